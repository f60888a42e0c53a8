import type { EntityType } from "../entity-type.ts";
import { SERVICE_SUBJECT } from "../shapes.ts";
import { completeGoods, deriveGoods, GOODS, goodsTable, settleGoods } from "./goods.ts";

/** Goods without stock, marking and packs (json-api 13.4). */
export const SERVICE: EntityType = {
  ...GOODS,
  name: "service",
  fields: goodsTable(`
    buyPrice         object:price
    paymentItemType  ${SERVICE_SUBJECT}
  `),
  search: { match: "word-prefix", fields: ["name", "code"] },
  order: [..."id version updated updatedBy name code externalCode archived pathName syncId".split(" ")],
  complete: (draft) => ({ paymentItemType: "SERVICE", ...completeGoods(draft) }),
  settle: settleGoods,
  derive: deriveGoods,
};
