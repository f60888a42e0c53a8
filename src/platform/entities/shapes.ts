import { attributes, bool, choice, kind, list, moment, number, ref, text, texts, uuid } from "./field.ts";
import type { Meta, Ref, RefInput } from "./meta.ts";

interface Price {
  /** Minor units, possibly with a fraction. */
  readonly value: number;
  readonly currency?: Ref<"currency">;
}

interface PriceInput {
  readonly value: number;
  readonly currency?: RefInput<"currency">;
}

export interface PriceType extends Ref<"pricetype"> {
  readonly id: string;
  readonly name: string;
  readonly externalCode?: string;
}

interface SalePrice extends Price {
  readonly priceType: PriceType;
}

interface SalePriceInput extends PriceInput {
  readonly priceType: RefInput<"pricetype">;
}

/** An object with exactly one key (json-api 13.1). */
type Barcode =
  | { readonly ean13: string }
  | { readonly ean8: string }
  | { readonly code128: string }
  | { readonly gtin: string }
  | { readonly upc: string };

interface Pack {
  readonly id: string;
  readonly uom: Ref<"uom">;
  readonly quantity: number;
  readonly barcodes?: readonly Barcode[];
}

interface PackInput {
  readonly id?: string;
  readonly uom: RefInput<"uom">;
  readonly quantity: number;
  readonly barcodes?: readonly Barcode[];
}

/** A structured address (json-api 5.7). */
interface Address {
  readonly postalCode?: string;
  readonly country?: RefInput<"country">;
  readonly region?: RefInput<"region">;
  readonly city?: string;
  readonly street?: string;
  readonly house?: string;
  readonly apartment?: string;
  readonly addInfo?: string;
  readonly comment?: string;
}

interface Rate {
  readonly currency: Ref<"currency">;
  readonly value?: number;
}

interface RateInput {
  readonly currency: RefInput<"currency">;
  readonly value?: number;
}

/** Enum TaxSystem (json-api 12.1). */
type TaxSystem =
  | "GENERAL_TAX_SYSTEM"
  | "SIMPLIFIED_TAX_SYSTEM_INCOME"
  | "SIMPLIFIED_TAX_SYSTEM_INCOME_OUTCOME"
  | "UNIFIED_AGRICULTURAL_TAX"
  | "PRESUMPTIVE_TAX_SYSTEM"
  | "PATENT_BASED";

export const price = kind<Price, PriceInput>();
export const salePrices = kind<readonly SalePrice[], readonly SalePriceInput[]>();
export const barcodes = kind<readonly Barcode[]>();
export const packs = kind<readonly Pack[], readonly PackInput[]>();
export const address = kind<Address>();
export const priceType = kind<PriceType, RefInput<"pricetype">>();
export const rate = kind<Rate, RateInput>();
export const taxSystem = choice<TaxSystem>();
const goodsTaxSystem = choice<TaxSystem | "TAX_SYSTEM_SAME_AS_GROUP">();

/** A picture of an object (json-api 15). */
export interface Image {
  readonly meta: Meta<"image">;
  readonly title?: string | null;
  readonly filename: string;
  readonly size?: number | null;
  readonly updated?: string | null;
  readonly miniature?: Ref["meta"] | null;
  readonly tiny?: Ref["meta"] | null;
}

/** Fields of files and images in lists. Each file and image has its own address. Images are written by the class `Images`. */
export const FILE_FIELDS = {
  title: text("readOnly"),
  filename: text("required"),
  content: text("required"),
  size: number("readOnly"),
  created: moment("readOnly"),
  updated: moment("readOnly"),
  createdBy: ref("employee")("readOnly"),
};
export const files = list(FILE_FIELDS);

/** Fields of every object that people own (json-api 5.6). */
export const OWNED = {
  accountId: uuid("readOnly", "E"),
  owner: ref("employee")("expand", "E"),
  group: ref("group")("expand", "E"),
  shared: bool("kept", "E"),
  updated: moment("readOnly", "C"),
  externalCode: text("kept", "T"),
};

/** Filters by the last editor of an object. No field contains this editor. */
export const EDITOR_FILTER = { updatedBy: text("E") };

/** Fields that all documents share (json-api 12, common part). */
export const DOCUMENT = {
  ...OWNED,
  attributes: attributes("A"),
  created: moment("readOnly", "C"),
  deleted: moment("readOnly", "C"),
  description: text("T"),
  files: files("expand"),
  moment: moment("kept", "C"),
  name: text("kept", "T"),
  printed: bool("readOnly", "E"),
  published: bool("readOnly", "E"),
  syncId: uuid("once"),
};

/**
 * Filter keys of documents that are not fields: last editor, recycle bin, name of the state, and in `GOODS_KEY` goods in the lines
 * (json-api 6.2).
 */
export const DOCUMENT_KEYS = { ...EDITOR_FILTER, isDeleted: bool("E"), "state.name": text("E") };
export const GOODS_KEY = { assortment: ref("product", "service", "variant", "bundle", "productfolder")("E") };

export const DOCUMENT_ORDER = [
  "id",
  "syncId",
  "version",
  "updated",
  "updatedBy",
  "name",
  "description",
  "externalCode",
  "moment",
  "applicable",
  "sum",
  "created",
] as const;

/** Fields that goods of every kind share (json-api 13.1, 13.3, 13.4). */
export const GOODS = {
  ...OWNED,
  archived: bool("kept", "E"),
  attributes: attributes("A"),
  barcodes: barcodes(),
  code: text("T"),
  description: text("T"),
  discountProhibited: bool("kept"),
  effectiveVat: number("readOnly"),
  effectiveVatEnabled: bool("readOnly"),
  files: files("expand"),
  minPrice: price(),
  name: text("required", "T"),
  pathName: text("readOnly", "T"),
  productFolder: ref("productfolder")("expand"),
  salePrices: salePrices(),
  syncId: uuid("once"),
  taxSystem: goodsTaxSystem(),
  uom: ref("uom")("expand"),
  useParentVat: bool("kept"),
  vat: number(),
  vatEnabled: bool(),
};

export const GOODS_KEYS = { ...EDITOR_FILTER, barcode: text("T") };

/** Lines of documents (json-api 12.2), with goods of every kind. */
export const LINE = {
  accountId: uuid("readOnly"),
  assortment: ref("product", "service", "variant", "bundle", "consignment")("expand", "required"),
  discount: number(),
  pack: kind<{ readonly id: string; readonly quantity?: number; readonly uom?: Ref<"uom"> }>()(),
  price: number(),
  quantity: number("required"),
  things: texts(),
  vat: number(),
  vatEnabled: bool(),
};
