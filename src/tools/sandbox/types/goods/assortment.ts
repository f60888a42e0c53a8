import { DIRECTORY, NO_WRITES } from "../entity-defaults.ts";
import { entityTable } from "../entity-table.ts";
import type { EntityType } from "../entity-type.ts";
import { SHAPES } from "../shapes.ts";

/** Everything that can be sold in one list: what products, variants, bundles and services have in common. */
export const ASSORTMENT: EntityType = {
  ...DIRECTORY,
  name: "assortment",
  offers: NO_WRITES,
  metadata: false,
  attributesOf: "product",
  gathers: ["product", "variant", "bundle", "service"],
  fields: entityTable(
    `
    archived       bool               out E
    article        string(255)        T
    attributes     attributes         A
    barcodes       objects:barcode
    country        ref:country        exp
    group          ref:group          exp E
    images         list:image         exp
    name           string(255)        out T
    pathName       string(4096)       T
    product        ref:product        exp
    productFolder  ref:productfolder  exp E
    shared         bool               E
    supplier       ref:counterparty   exp E
    uom            ref:uom            exp
    volume         number             C
    weight         number             C
    `,
    SHAPES,
    ["accountId"],
  ),
  search: { match: "word-prefix", fields: ["name", "code", "article", "barcodes", "packs.barcodes"] },
  order: [..."id version updated updatedBy name code externalCode archived pathName article weight volume".split(" ")],
};
