import { DIRECTORY } from "../entity-defaults.ts";
import type { EntityType } from "../entity-type.ts";
import { fieldTable } from "../field.ts";
import { GOODS_TAX_SYSTEM, SERVICE_SUBJECT, SHAPES } from "../shapes.ts";
import { completeGoods, deriveGoods, settleGoods } from "./goods.ts";

/** Services (reference 13.4): goods without stock, marking or packs. */
export const SERVICE: EntityType = {
  ...DIRECTORY,
  name: "service",
  fields: fieldTable(
    `
    accountId            uuid           ro out E
    archived             bool           out E
    attributes           attributes     A
    barcodes             objects:barcode
    buyPrice             object:price
    code                 string(255)    T
    description          string(4096)   T
    discountProhibited   bool           out
    effectiveVat         int            ro
    effectiveVatEnabled  bool           ro
    externalCode         string(255)    out T
    files                list:file      exp
    group                ref:group      out exp E
    id                   uuid           ro out E
    minPrice             object:price
    name                 string(255)    req out T
    owner                ref:employee   exp E
    pathName             string(4096)   ro out T
    paymentItemType      ${SERVICE_SUBJECT}
    productFolder        ref:productfolder exp
    salePrices           objects:salePrice
    shared               bool           out E
    syncId               uuid           once E
    taxSystem            ${GOODS_TAX_SYSTEM}
    uom                  ref:uom        exp
    updated              datetime       ro out C
    useParentVat         bool           out
    vat                  int
    vatEnabled           bool
    `,
    SHAPES,
  ),
  offers: new Set(["create", "update", "delete", "template", "mass"]),
  attributesOf: "product",
  webName: "good",
  search: { match: "word-prefix", fields: ["name", "code"] },
  order: [..."id version updated updatedBy name code externalCode archived pathName syncId".split(" ")],
  complete: (draft) => ({ paymentItemType: "SERVICE", ...completeGoods(draft) }),
  settle: settleGoods,
  derive: deriveGoods,
};
