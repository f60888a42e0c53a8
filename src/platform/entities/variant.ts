import { entity } from "./entity-type.ts";
import { bool, kind, list, moment, ref, text, texts, uuid } from "./field.ts";
import { barcodes, FILE_FIELDS, GOODS_KEYS, packs, price, salePrices } from "./shapes.ts";

/** Names a characteristic by id or, without an id, by name (json-api 13.2). */
interface CharacteristicInput {
  readonly id?: string;
  readonly name?: string;
  readonly value: string;
}

interface Characteristic extends CharacteristicInput {
  readonly id: string;
  readonly name: string;
}

/** Variants of products (json-api 13.2). They have no additional fields. */
export const VARIANT = entity({
  name: "variant",
  fields: {
    accountId: uuid("readOnly", "E"),
    archived: bool("kept", "E"),
    article: text("T"),
    barcodes: barcodes(),
    buyPrice: price(),
    characteristics: kind<readonly Characteristic[], readonly CharacteristicInput[]>()("required"),
    code: text("T"),
    description: text(),
    discountProhibited: bool("kept"),
    externalCode: text("kept", "T"),
    images: list(FILE_FIELDS)("expand"),
    minPrice: price(),
    /** Only with `fields: "minimumStock"`. */
    minimumStock: kind<{ readonly type: string; readonly quantity?: number }>()(),
    name: text("kept", "T"),
    packs: packs(),
    product: ref("product")("required", "expand"),
    salePrices: salePrices(),
    things: texts("readOnly"),
    updated: moment("readOnly", "C"),
  },
  keys: { ...GOODS_KEYS, productid: uuid("E") },
  order: ["id", "version", "updated", "updatedBy", "name", "description", "code", "externalCode", "archived", "article"],
  lists: {},
});
