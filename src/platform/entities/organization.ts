import { BANK_ACCOUNT, COMPANY, COMPANY_ORDER } from "./company.ts";
import { entity } from "./entity-type.ts";
import { bool, kind, list, moment, number, text } from "./field.ts";
import { BY_EDITOR } from "./shapes.ts";

/** Own companies (reference 13.8). Only `name` is needed. */
export const ORGANIZATION = entity({
  name: "organization",
  fields: {
    ...COMPANY,
    accounts: list(BANK_ACCOUNT)("expand"),
    advancePaymentVat: number(),
    chiefAccountant: text(),
    companyVat__ru: kind<{
      readonly useCompanyVat?: boolean;
      readonly defaultCompanyVat?: number;
      readonly defaultCompanyVatEnabled?: boolean;
    }>()(),
    director: text(),
    directorPosition: text(),
    isEgaisEnable: bool(),
    payerVat: bool(),
    trackingContractDate: moment(),
    trackingContractNumber: text(),
  },
  keys: { ...BY_EDITOR, "accounts.accountnumber": text("T") },
  order: [...COMPANY_ORDER, "inn", "kpp", "actualAddress", "legalTitle", "legalAddress"],
  lists: { accounts: BANK_ACCOUNT },
});
