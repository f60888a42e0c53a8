import { entity } from "./entity-type.ts";
import { choice } from "./field.ts";
import { FILE_FIELDS, GOODS, GOODS_KEYS, price } from "./shapes.ts";

/** Services (json-api 13.4). Only `name` is required. */
export const SERVICE = entity({
  name: "service",
  fields: {
    ...GOODS,
    buyPrice: price(),
    paymentItemType: choice<"SERVICE" | "WORK" | "PROVIDING_RID" | "COMPOUND_PAYMENT_ITEM" | "ANOTHER_PAYMENT_ITEM">()(),
  },
  keys: GOODS_KEYS,
  order: ["id", "version", "updated", "updatedBy", "name", "code", "externalCode", "archived", "pathName", "syncId"],
  lists: { files: FILE_FIELDS },
});
