import { BANK_ACCOUNT, COMPANY, COMPANY_ORDER } from "./company.ts";
import { entity } from "./entity-type.ts";
import { bool, kind, list, moment, number, ref, text } from "./field.ts";
import { EDITOR_FILTER, type Image } from "./shapes.ts";

const picture = kind<Image, { readonly filename: string; readonly content: string }>();

/** Companies of the account (json-api 13.8). Only `name` is required. */
export const ORGANIZATION = entity({
  name: "organization",
  fields: {
    ...COMPANY,
    accounts: list(BANK_ACCOUNT)("expand"),
    advancePaymentVat: number(),
    chiefAccountant: text(),
    chiefAccountSign: picture(),
    companyVat__ru: kind<{
      readonly useCompanyVat?: boolean;
      readonly defaultCompanyVat?: number;
      readonly defaultCompanyVatEnabled?: boolean;
    }>()(),
    director: text(),
    directorPosition: text(),
    directorSign: picture(),
    /** Unlike the reference to a department in other types, this field cannot filter lists. */
    group: ref("group")("expand"),
    isEgaisEnable: bool(),
    payerVat: bool(),
    stamp: picture(),
    trackingContractDate: moment(),
    trackingContractNumber: text(),
  },
  keys: { ...EDITOR_FILTER, "accounts.accountnumber": text("T") },
  order: [...COMPANY_ORDER, "inn", "kpp", "actualAddress", "legalTitle", "legalAddress"],
  lists: { accounts: BANK_ACCOUNT },
});
