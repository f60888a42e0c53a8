import { entity } from "./entity-type.ts";
import { bool, choice, kind, list, number, ref, text, texts, uuid } from "./field.ts";
import { FILE_FIELDS, GOODS, GOODS_KEYS, packs, price } from "./shapes.ts";

const STORE_BALANCE = { store: ref("store")("required", "expand"), quantity: number("required") };

/** Goods (json-api 13.1). Only `name` is required. */
export const PRODUCT = entity({
  name: "product",
  fields: {
    ...GOODS,
    accountId: uuid("readOnly"),
    alcoholic: kind<{ readonly excise?: boolean; readonly type?: number; readonly strength?: number; readonly volume?: number }>()(),
    article: text("T"),
    buyPrice: price(),
    country: ref("country")("expand"),
    images: list(FILE_FIELDS)("expand"),
    isSerialTrackable: bool("E"),
    minimumBalance: number("C"),
    /** Only with `fields: "minimumStock"`. */
    minimumStock: kind<{ readonly type: string; readonly quantity?: number }>()(),
    onTap: bool(),
    packs: packs(),
    partialDisposal: bool(),
    paymentItemType: choice<"GOOD" | "EXCISABLE_GOOD" | "COMPOUND_PAYMENT_ITEM" | "ANOTHER_PAYMENT_ITEM">()(),
    ppeType: text(),
    /** Minimum stock of each warehouse; only with `fields: "minimumStock"`. */
    storebalances: list(STORE_BALANCE)(),
    supplier: ref("counterparty")("expand", "E"),
    things: texts(),
    tnved: text(),
    trackingType: choice<"NOT_TRACKED" | "MILK" | "TOBACCO" | "SHOES" | "WATER" | "BEER_ALCOHOL">()(),
    variantsCount: number("readOnly"),
    volume: number("C"),
    weighed: bool(),
    weight: number("C"),
  },
  keys: GOODS_KEYS,
  order: [
    "id",
    "version",
    "updated",
    "updatedBy",
    "name",
    "code",
    "externalCode",
    "archived",
    "pathName",
    "article",
    "isSerialTrackable",
    "weighed",
    "weight",
    "volume",
    "syncId",
  ],
  lists: { files: FILE_FIELDS, storebalances: STORE_BALANCE },
});
