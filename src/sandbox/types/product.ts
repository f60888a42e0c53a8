import type { EntityType } from "./entity-type.ts";
import { fieldTable } from "./field.ts";
import { GOODS_TAX_SYSTEM, SHAPES } from "./shapes.ts";

/** Goods (reference 13.1). */
export const PRODUCT: EntityType = {
  name: "product",
  fields: fieldTable(
    `
    accountId            uuid           ro out
    alcoholic            json
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
    name                 string(255)    req out T
    owner                ref:employee   exp E
    packs                objects:pack
    partialDisposal      bool
    pathName             string(4096)   ro out T
    paymentItemType      enum:GOOD|EXCISABLE_GOOD|COMPOUND_PAYMENT_ITEM|ANOTHER_PAYMENT_ITEM
    ppeType              string(255)
    productFolder        ref:productfolder exp
    salePrices           objects:salePrice
    shared               bool           out E
    supplier             ref:counterparty  exp E
    syncId               uuid           once E
    taxSystem            ${GOODS_TAX_SYSTEM}
    things               strings
    tnved                string(255)
    trackingType         enum:NOT_TRACKED|*
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
  lists: {},
  offers: new Set(["create", "update", "delete", "template", "mass"]),
  attributesOf: "product",
  states: false,
  metadata: true,
  document: false,
  webName: "good",
  search: { match: "word-prefix", fields: ["name", "code", "article"] },
  order: [
    ..."id version updated updatedBy name code externalCode archived pathName article isSerialTrackable weighed weight volume syncId".split(
      " ",
    ),
  ],
  complete: (draft) => ({
    archived: false,
    pathName: "",
    useParentVat: true,
    discountProhibited: false,
    weight: 0,
    volume: 0,
    variantsCount: 0,
    isSerialTrackable: false,
    trackingType: "NOT_TRACKED",
    paymentItemType: "GOOD",
    ...draft,
  }),
};
