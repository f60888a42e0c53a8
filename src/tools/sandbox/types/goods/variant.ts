import type { Account } from "../../account/account.ts";
import { refused } from "../../call/refusal.ts";
import { productOf } from "../../stock/stock.ts";
import { referenceIn, type Stored, type Value, type Values, withoutEmpty } from "../../values/stored.ts";
import { entityTable } from "../entity-table.ts";
import type { EntityType, Writing } from "../entity-type.ts";
import { SHAPES } from "../shapes.ts";
import { settleBarcodes } from "./barcodes.ts";
import { CHARACTERISTIC, settleCharacteristics } from "./characteristics.ts";
import { GOODS } from "./goods.ts";
import { minimumStockOf, settleMinimumStock } from "./minimum-stock.ts";
import { settlePacks } from "./packs.ts";
import { mergeSalePrices, settlePrice, shownSalePrices } from "./prices.ts";
import { checkUniqueCode } from "./unique-code.ts";
import { variantName } from "./variant-name.ts";

/** Variants of a product (json-api 13.2), which differ in their characteristics. */
export const VARIANT: EntityType = {
  ...GOODS,
  name: "variant",
  fields: entityTable(
    `
    archived            bool                    out E
    article             string(255)             T
    barcodes            objects:barcode
    buyPrice            object:price
    characteristics     objects:characteristic  req out
    description         string(4096)
    discountProhibited  bool                    out
    images              list:image              out exp
    minPrice            object:price
    minimumStock        object:minimumStock     asked
    name                string(255)             out T
    packs               objects:pack
    product             ref:product|service     req out exp
    salePrices          objects:salePrice
    things              strings                 ro
    `,
    SHAPES,
    ["group", "owner", "shared"],
  ),
  attributesOf: undefined,
  webName: "feature",
  search: { match: "substring", fields: ["name"] },
  order: [..."id version updated updatedBy name description code externalCode archived article".split(" ")],
  complete: (draft) => ({ archived: false, discountProhibited: false, ...draft }),
  settle,
  derive,
  describes: { list: "characteristics", type: CHARACTERISTIC },
};

function settle(draft: Values, before: Stored | undefined, writing: Writing): Values {
  const product = productOf({ values: draft }, writing.account);
  if (product?.type === "service") throw refused(15002, "product");
  if (before !== undefined && referenceIn(before.values.product)?.id !== product?.id) throw refused(3001, "product");
  checkUniqueCode(draft, before, writing);
  const characteristics = settleCharacteristics(draft, before, writing);
  return withoutEmpty({
    ...draft,
    ...settlePrice(draft, "buyPrice", writing),
    ...settlePrice(draft, "minPrice", writing),
    ...settleMinimumStock(draft, before, writing),
    barcodes: settleBarcodes(draft, before, writing),
    // A variant has its own prices only after a body has stated prices. Until then answers show the prices of the product.
    salePrices: draft.salePrices === undefined ? undefined : mergeSalePrices(draft, before, writing),
    packs: settlePacks(draft, before, writing, product?.values.uom),
    characteristics,
    name: variantName(String(product?.values.name ?? ""), characteristics),
  });
}

/** Returns the minimum stock and the prices. The product's prices are the default (json-api 13.2). */
function derive(stored: Stored, account: Account): Values {
  const product = productOf(stored, account)?.values ?? {};
  const prices = ["salePrices", "buyPrice", "minPrice"].map((name): [string, Value | undefined] => [
    name,
    stored.values[name] ?? product[name],
  ]);
  const own = Object.fromEntries(prices);
  return withoutEmpty({
    ...own,
    ...(own.salePrices === undefined ? {} : shownSalePrices(own.salePrices, account)),
    minimumStock: minimumStockOf(stored),
  });
}
