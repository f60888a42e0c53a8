import { fieldTable, type Shapes } from "./field.ts";

const TAX_SYSTEMS =
  "GENERAL_TAX_SYSTEM|SIMPLIFIED_TAX_SYSTEM_INCOME|SIMPLIFIED_TAX_SYSTEM_INCOME_OUTCOME|UNIFIED_AGRICULTURAL_TAX|PRESUMPTIVE_TAX_SYSTEM|PATENT_BASED";

/** Enum TaxSystem (12.1) as a kind; goods add the last value. */
export const TAX_SYSTEM = `enum:${TAX_SYSTEMS}`;
export const GOODS_TAX_SYSTEM = `enum:${TAX_SYSTEMS}|TAX_SYSTEM_SAME_AS_GROUP`;

const PRICE = fieldTable(`
  value     number        req
  currency  ref:currency
`);

const SALE_PRICE = fieldTable(`
  value      number         req
  currency   ref:currency
  priceType  ref:pricetype
`);

const BARCODE = fieldTable(`
  ean13    string(255)
  ean8     string(255)
  code128  string(255)
  gtin     string(255)
  upc      string(255)
`);

const PACK = fieldTable(`
  id        uuid      ro
  uom       ref:uom   req
  quantity  number    req
  barcodes  json
`);

/** Nested objects that several types share. */
export const SHAPES: Shapes = { price: PRICE, salePrice: SALE_PRICE, barcode: BARCODE, pack: PACK };
