import type { Account } from "../account/account.ts";
import type { Call } from "../call/call.ts";
import { shapeIn, type Value, type Values } from "../values/stored.ts";
import { type Field, fieldTable } from "./field.ts";

interface SettingsScope {
  readonly account: Account;
  readonly call: Call;
}

/** Settings: one object without id at one address. A GET reads all of it, a PUT changes a part. */
export interface SettingsType {
  /** `meta.type`, and the type of the stored object. */
  readonly name: string;
  /** The address below `{api}`. `metadata` is the address of the metadata of the settings. */
  readonly path: string;
  readonly metadata: string;
  readonly fields: readonly Field[];
  /** Whether each user has separate settings. Otherwise a caller with administrator rights changes the settings for all. */
  readonly personal: boolean;
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

/** Settings of goods (json-api 13.10). `createdShared` is the platform's spelling, instead of `createShared`. */
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

/** Settings of counterparties (json-api 13.10). */
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

/** Settings of the company (json-api 13.12). Answers add currency, price types and country. */
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

/** A user's default values for documents (json-api 13.12). */
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

/** Returns the stored id of settings. Answers do not show it. */
export function settingsId({ name, personal }: SettingsType, { account, call }: SettingsScope): string {
  return account.namedId(personal ? `${name}/${call.caller.employee.id}` : name);
}

/** Returns the defaults with the stored changes. */
export function settingsOf(type: SettingsType, scope: SettingsScope): Values {
  const kept = scope.account.objects.get(type.name, settingsId(type, scope))?.values ?? {};
  return mergedSettings(type.defaults(scope), kept);
}

/** Returns the settings after a change. In an object only the given members change. A reference is replaced as a whole. */
export function mergedSettings(before: Values, changes: Values): Values {
  const merged = Object.entries(changes).map(([name, value]): [string, Value | undefined] => {
    const [held, given] = [shapeIn(before[name]), shapeIn(value)];
    return [name, held === undefined || given === undefined || "id" in given ? value : { ...held, ...given }];
  });
  return { ...before, ...Object.fromEntries(merged) };
}
