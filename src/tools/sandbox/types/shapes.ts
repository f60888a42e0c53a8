import { fieldTable, type Shapes } from "./field.ts";

const TAX_SYSTEMS =
  "GENERAL_TAX_SYSTEM|SIMPLIFIED_TAX_SYSTEM_INCOME|SIMPLIFIED_TAX_SYSTEM_INCOME_OUTCOME|UNIFIED_AGRICULTURAL_TAX|PRESUMPTIVE_TAX_SYSTEM|PATENT_BASED";

/** The tax systems (json-api 12.1) as a field kind. Goods have one more value. */
export const TAX_SYSTEM = `enum:${TAX_SYSTEMS}`;
export const GOODS_TAX_SYSTEM = `enum:${TAX_SYSTEMS}|TAX_SYSTEM_SAME_AS_GROUP`;

/** The payment subjects of goods and services (json-api 13.1). */
export const GOODS_SUBJECT = "enum:GOOD|EXCISABLE_GOOD|COMPOUND_PAYMENT_ITEM|ANOTHER_PAYMENT_ITEM";
export const SERVICE_SUBJECT = "enum:SERVICE|WORK|PROVIDING_RID|COMPOUND_PAYMENT_ITEM|ANOTHER_PAYMENT_ITEM";

/** Marking categories (json-api 13.1). */
const TRACKING =
  "NOT_TRACKED|AUTO_FLUIDS|BEER_ALCOHOL|BICYCLE|CHEMISTRY|CONSERVE|CONSTRUCTION|ELECTRONICS|FOOD_SUPPLEMENT|FURSLP|GADGETS|GROCERY|LP_CLOTHES|LP_LINENS|MEDICAL_DEVICES|MILK|NABEER|NCP|OTP|PERFUMERY|PET_FOOD|RADIO|SANITIZER|SEAFOOD|SHOES|SOFT_DRINKS|TIRES|TOBACCO|TOYS|VEGETABLE_OIL|VETPHARMA|WATER";
export const TRACKING_TYPES: readonly string[] = TRACKING.split("|");
/** The marking categories as a field kind. The kind accepts unknown values, because the goods' rules refuse them with 16106. */
export const TRACKING_TYPE = `enum:${TRACKING}|*`;

const PRICE = fieldTable(`
  value     number        req
  currency  ref:currency  exp
`);

const SALE_PRICE = fieldTable(`
  value      number          req
  currency   ref:currency    exp
  priceType  whole:pricetype
`);

// The lengths exceed the limit of 255 characters, so the barcode rules see longer barcodes and refuse them with 3011.
const BARCODE = fieldTable(`
  ean13    string(10000)
  ean8     string(10000)
  code128  string(10000)
  gtin     string(10000)
  upc      string(10000)
`);

const PACK = fieldTable(
  `
  id        uuid
  uom       ref:uom   req exp
  quantity  number    req
  barcodes  objects:barcode
`,
  { barcode: BARCODE },
);

const ALCOHOLIC = fieldTable(`
  excise    bool
  type      int
  strength  number
  volume    number
`);

const MINIMUM_STOCK = fieldTable(`
  type      enum:ALL_WAREHOUSE_SUM|ALL_WAREHOUSE_SAME|WAREHOUSE_VARIED
  quantity  number
`);

const CHARACTERISTIC = fieldTable(`
  meta   itself:characteristic  ro
  id     uuid
  name   string(255)
  value  string(255)
`);

/** A structured address (json-api 5.7). */
const ADDRESS = fieldTable(`
  postalCode  string(255)
  country     ref:country  exp
  region      ref:region   exp
  city        string(255)
  street      string(255)
  house       string(30)
  apartment   string(30)
  addInfo     string(255)
  comment     string(255)
`);

/** An organization's VAT settings, for documents without their own (json-api 13.8). */
const COMPANY_VAT = fieldTable(`
  useCompanyVat             bool
  defaultCompanyVat         int
  defaultCompanyVatEnabled  bool
`);

/** Nested objects in several types. */
export const SHAPES: Shapes = {
  price: PRICE,
  salePrice: SALE_PRICE,
  barcode: BARCODE,
  pack: PACK,
  alcoholic: ALCOHOLIC,
  minimumStock: MINIMUM_STOCK,
  characteristic: CHARACTERISTIC,
  address: ADDRESS,
  companyVat: COMPANY_VAT,
};
