import { entityTable } from "../entity-table.ts";
import type { EntityType } from "../entity-type.ts";
import { GOODS_TAX_SYSTEM, SERVICE_SUBJECT, SHAPES } from "../shapes.ts";
import { completeGoods, deriveGoods, GOODS, settleGoods } from "./goods.ts";

/** Services (reference 13.4): goods without stock, marking or packs. */
export const SERVICE: EntityType = {
  ...GOODS,
  name: "service",
  fields: entityTable(
    `
    archived             bool               out E
    attributes           attributes         A
    barcodes             objects:barcode
    buyPrice             object:price
    discountProhibited   bool               out
    effectiveVat         int                ro
    effectiveVatEnabled  bool               ro
    files                list:file          exp
    minPrice             object:price
    pathName             string(4096)       ro out T
    paymentItemType      ${SERVICE_SUBJECT}
    productFolder        ref:productfolder  exp
    salePrices           objects:salePrice
    syncId               uuid               once E
    taxSystem            ${GOODS_TAX_SYSTEM}
    uom                  ref:uom            exp
    useParentVat         bool               out
    vat                  int
    vatEnabled           bool
    `,
    SHAPES,
  ),
  search: { match: "word-prefix", fields: ["name", "code"] },
  order: [..."id version updated updatedBy name code externalCode archived pathName syncId".split(" ")],
  complete: (draft) => ({ paymentItemType: "SERVICE", ...completeGoods(draft) }),
  settle: settleGoods,
  derive: deriveGoods,
};
