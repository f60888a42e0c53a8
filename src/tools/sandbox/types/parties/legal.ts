import type { Values } from "../../values/stored.ts";

/** Kinds of company, also of other countries. */
export const COMPANY_TYPE = "enum:legal|entrepreneur|individual|legalUZ|entrepreneurUZ|individualUZ|legalKZ|entrepreneurKZ|individualKZ";

/** Legal details of counterparties and organizations (json-api 13.5, 13.8). */
export const LEGAL_ROWS = `
    certificateDate      minute
    certificateNumber    string(255)
    inn                  string(255)    T
    kpp                  string(255)    T
    legalAddress         string(255)    T
    legalAddressFull     object:address
    legalFirstName       string(255)
    legalLastName        string(255)
    legalMiddleName      string(255)
    legalTitle           string(4096)   T
    mod__requisites__uz  json:object
    mod__requisites__kz  json:object
    ogrn                 string(255)
    ogrnip               string(255)
    okpo                 string(255)
`;

const NAMES = ["legalFirstName", "legalLastName", "legalMiddleName"];
const COMPANY_FIELDS = ["legalTitle", "kpp", "ogrn"];
const TRADER_FIELDS = ["ogrnip", "certificateNumber", "certificateDate"];
const PERSON_FIELDS = ["birthDate", "sex"];

const FOREIGN: Readonly<Record<string, readonly string[]>> = {
  legal: [...NAMES, ...TRADER_FIELDS, ...PERSON_FIELDS],
  entrepreneur: [...COMPANY_FIELDS, ...PERSON_FIELDS],
  individual: [...COMPANY_FIELDS, ...TRADER_FIELDS, "okpo"],
};

/**
 * Returns undefined for every field that this kind of company lacks. Undefined removes the field, because the platform ignores such fields
 * (json-api 13.5).
 */
export function withoutForeignKind({ companyType }: Values): Values {
  const kind = String(companyType ?? "legal").replace(/(UZ|KZ)$/, "");
  return Object.fromEntries((FOREIGN[kind] ?? []).map((name) => [name, undefined]));
}
