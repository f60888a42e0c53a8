import { BANK_ACCOUNT, COMPANY, COMPANY_ORDER } from "./company.ts";
import { entity } from "./entity-type.ts";
import { choice, kind, list, moment, number, ref, text, texts, uuid } from "./field.ts";
import { EDITOR_FILTER, FILE_FIELDS, files, priceType } from "./shapes.ts";

const CONTACT_PERSON = {
  accountId: uuid("readOnly"),
  agent: ref("counterparty")("readOnly", "expand"),
  description: text(),
  email: text(),
  externalCode: text("kept"),
  name: text("required"),
  phone: text(),
  position: text(),
  updated: moment("readOnly"),
};

const NOTE = {
  accountId: uuid("readOnly"),
  agent: ref("counterparty")("readOnly"),
  author: ref("employee")("readOnly", "expand"),
  created: moment("readOnly"),
  description: text("required"),
};

/** Buyers and suppliers (json-api 13.5). Only `name` is required. */
export const COUNTERPARTY = entity({
  name: "counterparty",
  fields: {
    ...COMPANY,
    accounts: list(BANK_ACCOUNT)("expand"),
    birthDate: moment(),
    contactpersons: list(CONTACT_PERSON)("expand"),
    discountCardNumber: text("T"),
    discounts: kind<readonly Readonly<Record<string, unknown>>[]>()(),
    files: files("expand"),
    notes: list(NOTE)("expand"),
    priceType: priceType("T"),
    salesAmount: number("readOnly"),
    sex: choice<"MALE" | "FEMALE">()(),
    state: ref("state")("expand", "E"),
    tags: texts("T"),
  },
  keys: { ...EDITOR_FILTER, "accounts.accountnumber": text("T"), "state.name": text("E") },
  order: COMPANY_ORDER,
  lists: { accounts: BANK_ACCOUNT, contactpersons: CONTACT_PERSON, notes: NOTE, files: FILE_FIELDS },
});
