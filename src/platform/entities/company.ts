import { attributes, bool, choice, kind, moment, number, ref, text, uuid } from "./field.ts";
import { address, OWNED } from "./shapes.ts";

/** A bank account of a buyer or company (json-api 13.5). */
export const BANK_ACCOUNT = {
  accountId: uuid("readOnly"),
  accountNumber: text("required"),
  bankLocation: text(),
  bankName: text(),
  bic: text(),
  correspondentAccount: text(),
  isDefault: bool("kept"),
  updated: moment("readOnly"),
};

/** Fields of both buyers and companies (json-api 13.5, 13.8). An address in one line is cleared with "", not with null (json-api 5.5). */
export const COMPANY = {
  ...OWNED,
  actualAddress: text("kept", "T"),
  actualAddressFull: address(),
  archived: bool("kept", "E"),
  attributes: attributes("A"),
  bonusPoints: number("readOnly"),
  bonusProgram: ref("bonusprogram")("expand"),
  certificateDate: moment(),
  certificateNumber: text(),
  code: text("T"),
  companyType: choice<"legal" | "entrepreneur" | "individual">()("kept", "E"),
  created: moment("readOnly", "C"),
  description: text("T"),
  email: text("T"),
  fax: text("T"),
  inn: text("T"),
  kpp: text("T"),
  legalAddress: text("kept", "T"),
  legalAddressFull: address(),
  legalFirstName: text(),
  legalLastName: text(),
  legalMiddleName: text(),
  legalTitle: text("T"),
  /** Requisites for Uzbekistan and Kazakhstan. */
  mod__requisites__uz: kind<Readonly<Record<string, unknown>>>()(),
  mod__requisites__kz: kind<Readonly<Record<string, unknown>>>()(),
  name: text("required", "T"),
  ogrn: text(),
  ogrnip: text(),
  okpo: text(),
  phone: text("T"),
  syncId: uuid("once"),
};

export const COMPANY_ORDER = [
  "id",
  "version",
  "updated",
  "updatedBy",
  "name",
  "description",
  "code",
  "externalCode",
  "archived",
  "created",
  "phone",
  "email",
  "fax",
] as const;
