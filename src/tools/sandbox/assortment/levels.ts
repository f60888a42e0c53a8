import { refused } from "../call/refusal.ts";
import { stockTable } from "../reports/stock-all.ts";
import { productOf, type StockLevel, type StockTable } from "../stock/stock.ts";
import type { Reading } from "../types/entity-type.ts";
import { exactQuantity } from "../values/number.ts";
import type { Stored } from "../values/stored.ts";

/** Returns the stock of goods, summed over the counted warehouses. */
export type Levels = (goods: Stored) => StockLevel;

export interface StockScope {
  /** Whether a warehouse counts. Undefined: all count. */
  readonly stores: ((id: string) => boolean) | undefined;
  /** Undefined: now. */
  readonly momentMs: number | undefined;
}

/** Returns the row grouping. The sandbox has no batches, so `consignment` equals `variant`. Throws 1091 for any other text. */
export function readGroupBy(text: string | null): "product" | "variant" {
  if (text === null || text === "variant" || text === "consignment") return "variant";
  if (text !== "product") throw refused(1091, "groupBy");
  return text;
}

/** Returns the stock of goods. In the grouping by product, a product's stock includes its variants. The first use computes the table. */
export function levelsOf({ stores, momentMs }: StockScope, groupBy: "product" | "variant", reading: Reading): Levels {
  let table: StockTable | undefined;
  const tableOf = () => {
    table ??= stockTable(momentMs, reading);
    return table;
  };
  const own = (id: string): StockLevel => {
    let sum = NOTHING;
    for (const [store, level] of tableOf().levels.get(id) ?? []) if (stores?.(store) !== false) sum = added(sum, level);
    return sum;
  };
  let variants: ReadonlyMap<string, readonly string[]> | undefined;
  return ({ id }) => {
    let level = own(id);
    if (groupBy === "variant") return level;
    variants ??= variantsByProduct(reading);
    for (const variant of variants.get(id) ?? []) level = added(level, own(variant));
    return level;
  };
}

const NOTHING: StockLevel = { stock: 0, reserve: 0, inTransit: 0 };

function added(one: StockLevel, other: StockLevel): StockLevel {
  return {
    stock: exactQuantity(one.stock + other.stock),
    reserve: exactQuantity(one.reserve + other.reserve),
    inTransit: exactQuantity(one.inTransit + other.inTransit),
  };
}

function variantsByProduct({ account }: Reading): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const variant of account.objects.all("variant").values()) {
    const product = productOf(variant, account)?.id ?? "";
    const held = found.get(product);
    if (held === undefined) found.set(product, [variant.id]);
    else held.push(variant.id);
  }
  return found;
}
