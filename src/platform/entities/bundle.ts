import { entity } from "./entity-type.ts";
import { bool, choice, list, number, ref, text, uuid } from "./field.ts";
import { FILE_FIELDS, GOODS, GOODS_KEYS, price } from "./shapes.ts";

/** A component of a bundle (json-api 13.3). */
const COMPONENT = {
  accountId: uuid("readOnly"),
  assortment: ref("product", "variant", "service")("required", "expand"),
  quantity: number("required"),
};

/** Bundles of goods (json-api 13.3): a name and one to fifty components. */
export const BUNDLE = entity({
  name: "bundle",
  fields: {
    ...GOODS,
    article: text("T"),
    components: list(COMPONENT)("required", "expand"),
    country: ref("country")("expand"),
    images: list(FILE_FIELDS)("expand"),
    overhead: price(),
    partialDisposal: bool(),
    paymentItemType: choice<"GOOD" | "EXCISABLE_GOOD" | "COMPOUND_PAYMENT_ITEM" | "ANOTHER_PAYMENT_ITEM">()(),
    tnved: text(),
    trackingType: choice<"NOT_TRACKED">()(),
    volume: number("C"),
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
    "syncId",
    "description",
    "article",
    "weight",
    "volume",
  ],
  lists: { components: COMPONENT, files: FILE_FIELDS },
});
