import type { Account } from "../account/account.ts";
import type { Call } from "../call/call.ts";
import { shapeIn, type Value, type Values } from "../values/stored.ts";
import { type Field, fieldTable } from "./field.ts";

/** What a resource of settings depends on. */
interface SettingsScope {
  readonly account: Account;
  readonly call: Call;
}

/** A resource of settings: one object without an id, at one address, read whole and changed in part. */
export interface SettingsType {
  /** `meta.type`, and the type that it is kept as. */
  readonly name: string;
  /** Its address below `{api}`, and that of its metadata. */
  readonly path: string;
  readonly metadata: string;
  readonly fields: readonly Field[];
  /** Whether each user has settings of their own; otherwise the administrator changes those of all. */
  readonly personal: boolean;
  /** What holds until somebody has changed it. */
  defaults(scope: SettingsScope): Values;
}

const UNIQUE_CODES = fieldTable(`
  checkUniqueCode  bool  out
  fillUniqueCode   bool  out
`);

const BARCODES = fieldTable(`
  fillEAN13Barcode     bool  out
  weightBarcode        bool  out
  weightBarcodePrefix  int   out
`);

/** Goods (13.10). The name of the last field is the platform's. */
export const ASSORTMENT_SETTINGS: SettingsType = {
  name: "assortmentsettings",
  path: "entity/assortment/settings",
  metadata: "entity/assortment/metadata",
  personal: false,
  fields: fieldTable(
    `
    uniqueCodeRules  object:uniqueCodes  out
    barcodeRules     object:barcodes     out
    createdShared    bool                out
    `,
    { uniqueCodes: UNIQUE_CODES, barcodes: BARCODES },
  ),
  defaults: ({ call }) => ({
    uniqueCodeRules: { checkUniqueCode: call.settings.uniqueCodes, fillUniqueCode: false },
    barcodeRules: { fillEAN13Barcode: true, weightBarcode: false, weightBarcodePrefix: 20 },
    createdShared: true,
  }),
};

/** Counterparties (13.10). */
export const COUNTERPARTY_SETTINGS: SettingsType = {
  name: "counterpartysettings",
  path: "entity/counterparty/settings",
  metadata: "entity/counterparty/metadata",
  personal: false,
  fields: fieldTable(
    `
    uniqueCodeRules  object:uniqueCodes  out
    createShared     bool                out
    `,
    { uniqueCodes: UNIQUE_CODES },
  ),
  defaults: () => ({ uniqueCodeRules: { checkUniqueCode: false, fillUniqueCode: false }, createShared: false }),
};

/** The company (13.12); currency, price types and country stand beside them. */
export const COMPANY_SETTINGS: SettingsType = {
  name: "companysettings",
  path: "context/companysettings",
  metadata: "context/companysettings/metadata",
  personal: false,
  fields: fieldTable(`
    checkMinPrice             bool                      out
    checkShippingStock        bool                      out
    companyAddress            string(255)
    discountStrategy          enum:bySum|byPriority     out
    globalOperationNumbering  bool                      out
    useCompanyAddress         bool                      out
    useRecycleBin             bool                      out
  `),
  defaults: ({ call }) => ({
    checkMinPrice: false,
    checkShippingStock: false,
    discountStrategy: "bySum",
    globalOperationNumbering: false,
    useCompanyAddress: false,
    useRecycleBin: call.settings.recycleBin,
  }),
};

/** What documents of one user are filled with (13.12). */
export const USER_SETTINGS: SettingsType = {
  name: "usersettings",
  path: "context/usersettings",
  metadata: "context/usersettings/metadata",
  personal: true,
  fields: fieldTable(`
    defaultCompany                ref:organization
    defaultCustomerCounterparty   ref:counterparty
    defaultPlace                  ref:store
    defaultProject                ref:project
    defaultPurchaseCounterparty   ref:counterparty
    locale                        string(255)       out
    mailFooter                    string(4096)
  `),
  defaults({ account }) {
    const first = (type: string): Values => {
      const [stored] = account.objects.all(type).values();
      return stored === undefined ? {} : { type: stored.type, id: stored.id };
    };
    const places = { defaultCompany: first("organization"), defaultPlace: first("store") };
    return { locale: "ru_RU", ...Object.fromEntries(Object.entries(places).filter(([, { id }]) => id !== undefined)) };
  },
};

/** The id that settings are kept under: they have none outside. */
export function settingsId({ name, personal }: SettingsType, { account, call }: SettingsScope): string {
  return account.namedId(personal ? `${name}/${call.caller.employee.id}` : name);
}

/** What holds now: what somebody has changed, and the defaults. */
export function settingsOf(type: SettingsType, scope: SettingsScope): Values {
  const kept = scope.account.objects.get(type.name, settingsId(type, scope))?.values ?? {};
  return mergedSettings(type.defaults(scope), kept);
}

/** Settings after a change: of an object only what was named becomes another. */
export function mergedSettings(before: Values, changes: Values): Values {
  const merged = Object.entries(changes).map(([name, value]): [string, Value | undefined] => {
    const [held, given] = [shapeIn(before[name]), shapeIn(value)];
    return [name, held === undefined || given === undefined || "id" in given ? value : { ...held, ...given }];
  });
  return { ...before, ...Object.fromEntries(merged) };
}
