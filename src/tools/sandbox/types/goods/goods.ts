import type { Account } from "../../account/account.ts";
import { refused } from "../../call/refusal.ts";
import { type Stored, type Values, withoutEmpty } from "../../values/stored.ts";
import { DIRECTORY } from "../entity-defaults.ts";
import { entityTable, tableOver } from "../entity-table.ts";
import type { EntityType, Offer, Writing } from "../entity-type.ts";
import type { Field } from "../field.ts";
import { ASSORTMENT_SETTINGS, settingsOf } from "../settings.ts";
import { GOODS_TAX_SYSTEM, SHAPES } from "../shapes.ts";
import { settleBarcodes } from "./barcodes.ts";
import { pathNameIn } from "./path-names.ts";
import { mergeSalePrices, settlePrice, shownSalePrices } from "./prices.ts";
import { checkUniqueCode } from "./unique-code.ts";
import { completeVat, effectiveVat, settleVat } from "./vat.ts";

/** The columns of goods with a folder and a VAT rate: products, services, bundles. */
const GOODS_COLUMNS = entityTable(
  `
    archived             bool                 out E
    attributes           attributes           A
    barcodes             objects:barcode
    discountProhibited   bool                 out
    effectiveVat         int                  ro
    effectiveVatEnabled  bool                 ro
    files                list:file            exp
    minPrice             object:price
    pathName             string(4096)         ro out T
    productFolder        ref:productfolder    exp
    salePrices           objects:salePrice
    syncId               uuid                 once E
    taxSystem            ${GOODS_TAX_SYSTEM}
    uom                  ref:uom              exp
    useParentVat         bool                 out
    vat                  int
    vatEnabled           bool
  `,
  SHAPES,
);

/** Returns a table of goods with a folder and a VAT rate: the shared columns and the rows. */
export function goodsTable(rows: string): readonly Field[] {
  return tableOver(GOODS_COLUMNS, rows, SHAPES);
}

/** The shared properties of goods. A type's file states only the differences. */
export const GOODS = {
  ...DIRECTORY,
  offers: new Set<Offer>(["create", "update", "delete", "template", "mass"]),
  attributesOf: "product",
  webName: "good",
  createShared: (reading) => settingsOf(ASSORTMENT_SETTINGS, reading).createdShared === true,
  search: { match: "word-prefix", fields: ["name", "code", "article"] },
} as const satisfies Partial<EntityType>;

/** Returns the draft of a product, service or bundle with defaults. */
export function completeGoods(draft: Values): Values {
  return { archived: false, pathName: "", discountProhibited: false, ...completeVat(draft), ...draft };
}

/** Checks and completes products, services and bundles by their common rules. Throws a `Refusal`. */
export function settleGoods(draft: Values, before: Stored | undefined, writing: Writing): Values {
  checkUniqueCode(draft, before, writing);
  return withoutEmpty({
    ...draft,
    ...settlePrice(draft, "buyPrice", writing),
    ...settlePrice(draft, "minPrice", writing),
    ...settleVat(draft, before, writing),
    barcodes: settleBarcodes(draft, before, writing),
    salePrices: mergeSalePrices(draft, before, writing),
    pathName: pathNameIn(draft.productFolder, writing.account),
  });
}

/** Returns the computed values of goods for an answer. */
export function deriveGoods(stored: Stored, account: Account): Values {
  return { ...effectiveVat(stored, account), ...shownSalePrices(stored.values.salePrices, account) };
}

/** Throws 3002 for a negative weight, volume or minimum balance. */
export function checkMeasures({ weight, volume, minimumBalance }: Values): void {
  for (const [name, value] of Object.entries({ weight, volume, minimumBalance })) {
    if (typeof value === "number" && value < 0) throw refused(3002, name);
  }
}
