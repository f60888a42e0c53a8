import { DIRECTORY, NO_WRITES } from "../entity-defaults.ts";
import { entityTable } from "../entity-table.ts";
import type { EntityType } from "../entity-type.ts";
import { SHAPES } from "../shapes.ts";

/**
 * Everything that can be sold, in one list (json-api 13.10). `expand` and `order` use this table, which has the fields of products,
 * variants, bundles and services. The filter has its own table. Each row is rendered by the table of its own type.
 */
export const ASSORTMENT: EntityType = {
  ...DIRECTORY,
  name: "assortment",
  offers: NO_WRITES,
  attributesOf: "product",
  gathers: ["product", "variant", "bundle", "service"],
  fields: entityTable(
    `
    archived       bool               out
    article        string(255)
    attributes     attributes
    barcodes       objects:barcode
    buyPrice       object:price
    components     list:bundlecomponent  exp
    country        ref:country        exp
    group          ref:group          exp
    images         list:image         exp
    minPrice       object:price
    name           string(255)        out
    pathName       string(4096)
    product        ref:product        exp
    productFolder  ref:productfolder  exp
    salePrices     objects:salePrice
    shared         bool
    supplier       ref:counterparty   exp
    uom            ref:uom            exp
    volume         number
    weight         number
    `,
    SHAPES,
    ["accountId"],
  ),
  search: { match: "word-prefix", fields: ["name", "code", "article", "barcodes", "packs.barcodes"] },
  order: [..."id version updated updatedBy name code externalCode archived pathName article weight volume".split(" ")],
};
