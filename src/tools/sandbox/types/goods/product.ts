import type { Account } from "../../account/account.ts";
import { type Stored, type Values, withoutEmpty } from "../../values/stored.ts";
import { DIRECTORY } from "../entity-defaults.ts";
import type { EntityType, Writing } from "../entity-type.ts";
import { fieldTable } from "../field.ts";
import { GOODS_SUBJECT, GOODS_TAX_SYSTEM, SHAPES, TRACKING_TYPE } from "../shapes.ts";
import { checkExclusions } from "./exclusions.ts";
import { checkMeasures, completeGoods, deriveGoods, settleGoods } from "./goods.ts";
import { minimumStockOf, settleMinimumStock } from "./minimum-stock.ts";
import { settlePacks } from "./packs.ts";
import { renameVariants } from "./variant-name.ts";

/** Goods (reference 13.1). */
export const PRODUCT: EntityType = {
  ...DIRECTORY,
  name: "product",
  fields: fieldTable(
    `
    accountId            uuid           ro out
    alcoholic            object:alcoholic
    archived             bool           out E
    article              string(255)    T
    attributes           attributes     A
    barcodes             objects:barcode
    buyPrice             object:price
    code                 string(255)    T
    country              ref:country    exp
    description          string(4096)   T
    discountProhibited   bool           out
    effectiveVat         int            ro
    effectiveVatEnabled  bool           ro
    externalCode         string(255)    out T
    files                list:file      exp
    group                ref:group      out exp E
    id                   uuid           ro out E
    images               list:image     exp
    isSerialTrackable    bool           E
    minPrice             object:price
    minimumBalance       number         C
    minimumStock         object:minimumStock  asked
    name                 string(255)    req out T
    owner                ref:employee   exp E
    packs                objects:pack
    partialDisposal      bool
    pathName             string(4096)   ro out T
    paymentItemType      ${GOODS_SUBJECT}
    ppeType              string(255)
    productFolder        ref:productfolder exp
    salePrices           objects:salePrice
    shared               bool           out E
    storebalances        list:storebalance    asked
    supplier             ref:counterparty  exp E
    syncId               uuid           once E
    taxSystem            ${GOODS_TAX_SYSTEM}
    things               strings
    tnved                string(255)
    trackingType         ${TRACKING_TYPE}
    uom                  ref:uom        exp
    updated              datetime       ro out C
    useParentVat         bool           out
    variantsCount        int            ro out
    vat                  int
    vatEnabled           bool
    volume               number         C
    weight               number         C
    weighed              bool
    onTap                bool
    `,
    SHAPES,
  ),
  lists: {
    /** Minimum stock of each warehouse, for the kind WAREHOUSE_VARIED. */
    storebalances: { name: "storebalance", fields: fieldTable("store ref:store req exp\nquantity number req") },
  },
  offers: new Set(["create", "update", "delete", "template", "mass"]),
  attributesOf: "product",
  webName: "good",
  idFindsArchived: true,
  search: { match: "word-prefix", fields: ["name", "code", "article"] },
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
    // Both are there only when they are true (13.1).
    weighed: draft.weighed === true ? true : undefined,
    onTap: draft.onTap === true ? true : undefined,
  });
}
