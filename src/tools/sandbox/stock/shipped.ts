import type { Account } from "../account/account.ts";
import { exactQuantity, numberIn } from "../values/number.ts";
import { type Element, elementsIn, referenceIn, type Stored } from "../values/stored.ts";

interface Shipped {
  readonly sum: number;
  /** Quantities by the order line's id. */
  readonly lines: ReadonlyMap<string, number>;
}

/**
 * Returns what an order's sales have sold, minus their returns. The documentation has no formula (json-api 13.9). `counts` selects sales
 * and returns, by default posted documents.
 * Lines are matched by goods, in order. A quantity beyond the order goes to the goods' last line. Undefined: the order has no sale.
 */
export function shippedOf(order: Stored, account: Account, counts: (document: Stored) => boolean = isPosted): Shipped | undefined {
  const sales = account.backlinks.of("customerOrder", order);
  if (sales.size === 0) return undefined;
  const sold = new Map<string, number>();
  let sum = 0;
  const take = ({ values }: Stored, sign: 1 | -1) => {
    sum += sign * numberIn(values.sum);
    for (const line of elementsIn(values.positions))
      sold.set(goodsIn(line), (sold.get(goodsIn(line)) ?? 0) + sign * numberIn(line.values.quantity));
  };
  for (const sale of sales.values()) {
    if (!counts(sale)) continue;
    take(sale, 1);
    for (const back of account.backlinks.of("demand", sale).values()) if (counts(back)) take(back, -1);
  }
  return { sum, lines: byLine(elementsIn(order.values.positions), sold) };
}

/** Returns the quantity that a line still reserves: its reserve minus the shipped quantity. */
export function stillReserved({ id, values }: Element, shipped: Shipped | undefined): number {
  return Math.max(0, numberIn(values.reserve) - (shipped?.lines.get(id) ?? 0));
}

function isPosted({ values }: Stored): boolean {
  return values.applicable !== false && values.deleted === undefined;
}

function byLine(lines: readonly Element[], sold: Map<string, number>): Map<string, number> {
  const last = new Map(lines.map((line) => [goodsIn(line), line]));
  return new Map(
    lines.map((line) => {
      const left = sold.get(goodsIn(line)) ?? 0;
      const here = last.get(goodsIn(line)) === line ? left : Math.min(left, numberIn(line.values.quantity));
      sold.set(goodsIn(line), left - here);
      return [line.id, exactQuantity(here)];
    }),
  );
}

function goodsIn({ values }: Element): string {
  return referenceIn(values.assortment)?.id ?? "";
}
