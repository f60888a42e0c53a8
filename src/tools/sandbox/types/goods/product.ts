import type { Account } from "../../account/account.ts";
import { type Stored, type Values, withoutEmpty } from "../../values/stored.ts";
import type { EntityType, Writing } from "../entity-type.ts";
import { fieldTable } from "../field.ts";
import { GOODS_SUBJECT, TRACKING_TYPE } from "../shapes.ts";
import { checkExclusions } from "./exclusions.ts";
import { checkMeasures, completeGoods, deriveGoods, GOODS, goodsTable, settleGoods } from "./goods.ts";
import { minimumStockOf, settleMinimumStock } from "./minimum-stock.ts";
import { settlePacks } from "./packs.ts";
import { renameVariants } from "./variant-name.ts";

/** Products (json-api 13.1). */
export const PRODUCT: EntityType = {
  ...GOODS,
  name: "product",
  fields: goodsTable(`
    accountId          uuid                 ro out
    alcoholic          object:alcoholic
    article            string(255)          T
    buyPrice           object:price
    country            ref:country          exp
    images             list:image           exp
    isSerialTrackable  bool                 E
    minimumBalance     number               C
    minimumStock       object:minimumStock  asked
    packs              objects:pack
    partialDisposal    bool
    paymentItemType    ${GOODS_SUBJECT}
    ppeType            string(255)
    storebalances      list:storebalance    asked
    supplier           ref:counterparty     exp E
    things             strings
    tnved              string(255)
    trackingType       ${TRACKING_TYPE}
    variantsCount      int                  ro out
    volume             number               C
    weight             number               C
    weighed            bool
    onTap              bool
  `),
  lists: {
    /** The minimum stock of each warehouse, for the kind WAREHOUSE_VARIED. */
    storebalances: { name: "storebalance", fields: fieldTable("store ref:store req exp\nquantity number req") },
  },
  idFindsArchived: true,
  order: [
    ..."id version updated updatedBy name code externalCode archived pathName article isSerialTrackable weighed weight volume syncId".split(
      " ",
    ),
  ],
  parts: { type: "variant", field: "product" },
  complete: (draft) => ({
    weight: 0,
    volume: 0,
    isSerialTrackable: false,
    trackingType: "NOT_TRACKED",
    paymentItemType: "GOOD",
    ...completeGoods(draft),
  }),
  settle,
  derive: (stored, account: Account) => ({
    ...deriveGoods(stored, account),
    variantsCount: account.uses.of(stored).get("variant") ?? 0,
    minimumStock: minimumStockOf(stored),
  }),
};

function settle(draft: Values, before: Stored | undefined, writing: Writing): Values {
  checkExclusions(draft, before);
  checkMeasures(draft);
  if (before !== undefined && draft.name !== before.values.name) renameVariants(before, String(draft.name), writing.account);
  return withoutEmpty({
    ...settleGoods(draft, before, writing),
    ...settleMinimumStock(draft, before, writing),
    packs: settlePacks(draft, before, writing),
    // Both fields are present only if true (json-api 13.1).
    weighed: draft.weighed === true ? true : undefined,
    onTap: draft.onTap === true ? true : undefined,
  });
}
