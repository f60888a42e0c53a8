import { refused } from "../../call/refusal.ts";
import { numberIn } from "../../values/number.ts";
import { type Element, elementsIn, referenceIn, type Stored } from "../../values/stored.ts";
import type { Writing } from "../entity-type.ts";

/** The largest rounding error of summed binary fractions. Quantities have at most six decimals. */
const QUANTITY_NOISE = 1e-9;

/** Throws if a return contains goods outside the sale, or if all returns together exceed the sale (json-api D31). */
export function checkGoods(positions: readonly Element[], sale: Stored, before: Stored | undefined, writing: Writing): void {
  const sold = quantities(elementsIn(sale.values.positions));
  const returned = returnedOf(sale, before, writing);
  for (const [goods, quantity] of quantities(positions)) {
    const left = (sold.get(goods) ?? 0) - (returned.get(goods) ?? 0);
    if (quantity > left + QUANTITY_NOISE) throw refused(3007, undefined, "возвращается больше, чем продано");
  }
}

/** Throws if a changed sale has less of some goods than its returns. */
export function keepReturned(positions: readonly Element[], before: Stored | undefined, writing: Writing): void {
  if (before === undefined) return;
  const sold = quantities(positions);
  for (const [goods, quantity] of returnedOf(before, undefined, writing)) {
    if (quantity > (sold.get(goods) ?? 0) + QUANTITY_NOISE) throw refused(3007, undefined, "продано меньше, чем возвращено");
  }
}

/** Returns the quantities in a sale's returns, by goods. `except` and returns in the recycle bin do not count. */
function returnedOf(sale: Stored, except: Stored | undefined, { account }: Writing): Map<string, number> {
  const others = [...account.backlinks.of("demand", sale).values()].filter(
    ({ id, values }) => id !== except?.id && values.deleted === undefined,
  );
  return quantities(others.flatMap(({ values }) => elementsIn(values.positions)));
}

function quantities(lines: readonly Element[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { values } of lines) {
    const goods = referenceIn(values.assortment)?.id ?? "";
    sums.set(goods, (sums.get(goods) ?? 0) + numberIn(values.quantity));
  }
  return sums;
}
