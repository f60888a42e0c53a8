import type { Account } from "../account/account.ts";
import { exactQuantity, numberIn } from "../values/number.ts";
import { type Element, elementsIn, type Reference, referenceIn, type Stored, type Value, type Values } from "../values/stored.ts";
import { shippedOf, stillReserved } from "./shipped.ts";

export interface StockLevel {
  readonly stock: number;
  readonly reserve: number;
  readonly inTransit: number;
}

export interface StockTable {
  /**
   * Stock by goods id, then by warehouse id, which is empty if a document names no warehouse. Goods that have neither a counted document
   * nor opening stock are missing.
   */
  readonly levels: ReadonlyMap<string, ReadonlyMap<string, StockLevel>>;
  /**
   * By goods id: when a counted document or opening stock was last changed, in ms since the epoch. Its `moment` may be another time.
   */
  readonly changedAt: ReadonlyMap<string, number>;
  /** By goods id: the latest moment of a document or opening stock that moved the goods, in ms since the epoch. */
  readonly movedAt: ReadonlyMap<string, number>;
  /** The earliest later moment of a document or opening stock. From then on the table is out of date. Infinity: there is none. */
  readonly untilMs: number;
}

/** Returns the current stock. It is cached until a document, opening stock or bundle changes, or until `untilMs`. */
export function stockNow(account: Account): StockTable {
  const nowMs = account.clock.nowMs();
  return account.movements.at(nowMs, () => {
    const value = stockAt(account, nowMs);
    return { value, untilMs: value.untilMs };
  });
}

/** The type of a new shop's opening stock, with the values assortment, store, quantity, moment. It has no address. */
export const OPENING_STOCK = "openingstock";

/** The types of goods with stock. */
export const STOCKED_TYPES = ["product", "variant"] as const;

/** Returns the sum of stock in several warehouses, or of several goods. */
export function sumOfStock(levels: Iterable<StockLevel>): StockLevel {
  let sum: StockLevel = { stock: 0, reserve: 0, inTransit: 0 };
  for (const { stock, reserve, inTransit } of levels) {
    sum = {
      stock: exactQuantity(sum.stock + stock),
      reserve: exactQuantity(sum.reserve + reserve),
      inTransit: exactQuantity(sum.inTransit + inTransit),
    };
  }
  return sum;
}

/** Returns a row's `quantity`: what can be sold after all expected goods have arrived (json-api 14.1). */
export function available({ stock, reserve, inTransit }: StockLevel): number {
  return exactQuantity(stock - reserve + inTransit);
}

/**
 * Computes stock from documents. Opening stock and posted returns add goods, posted sales remove goods. A bundle counts as its components.
 * Services have no stock.
 * Posted customer orders reserve the `reserve` of their lines, minus the shipped quantity.
 * A document in the recycle bin does not count. A document or opening stock with a moment after `atMs` does not count, nor does a document
 * that was last changed after `changedUntilMs` (json-api D37).
 */
export function stockAt(account: Account, atMs: number, changedUntilMs = Number.POSITIVE_INFINITY): StockTable {
  const levels = new Map<string, Map<string, StockLevel>>();
  const changedAt = new Map<string, number>();
  const movedAt = new Map<string, number>();
  let untilMs = Number.POSITIVE_INFINITY;
  const begun = (momentMs: number): boolean => {
    if (momentMs > atMs) untilMs = Math.min(untilMs, momentMs);
    return momentMs <= atMs;
  };
  const book: Book = (goods, store, change, { moment, updated }) => {
    for (const [part, times] of partsOf(goods, account)) {
      const byStore = levels.get(part) ?? new Map<string, StockLevel>();
      levels.set(part, byStore);
      const key = store?.id ?? "";
      const level = byStore.get(key) ?? { stock: 0, reserve: 0, inTransit: 0 };
      byStore.set(key, {
        stock: exactQuantity(level.stock + times * (change.stock ?? 0)),
        reserve: exactQuantity(level.reserve + times * (change.reserve ?? 0)),
        inTransit: exactQuantity(level.inTransit + times * (change.inTransit ?? 0)),
      });
      changedAt.set(part, Math.max(changedAt.get(part) ?? 0, numberIn(updated)));
      // A reservation does not move goods.
      if (change.stock !== undefined) movedAt.set(part, Math.max(movedAt.get(part) ?? 0, numberIn(moment)));
    }
  };
  for (const { values } of account.objects.all(OPENING_STOCK).values()) {
    // An earlier release stored an opening stock without moment. Its time of writing replaces the moment.
    const laid = { ...values, moment: values.moment ?? values.updated ?? 0 };
    const goods = referenceIn(values.assortment);
    if (begun(numberIn(laid.moment)) && goods !== undefined)
      book(goods, referenceIn(values.store), { stock: numberIn(values.quantity) }, laid);
  }
  const counts = ({ values }: Stored) =>
    values.applicable !== false &&
    values.deleted === undefined &&
    begun(numberIn(values.moment)) &&
    numberIn(values.updated) <= changedUntilMs;
  for (const [type, sign] of MOVING) {
    for (const document of account.objects.all(type).values())
      if (counts(document)) bookDocument(document, ({ values }) => ({ stock: sign * numberIn(values.quantity) }), book);
  }
  for (const order of account.objects.all("customerorder").values()) {
    if (!counts(order)) continue;
    const shipped = shippedOf(order, account, counts);
    bookDocument(order, (line) => ({ reserve: stillReserved(line, shipped) }), book);
  }
  return { levels, changedAt, movedAt, untilMs };
}

/** The documents that move goods, with the sign of the change. */
const MOVING = [
  ["retaildemand", -1],
  ["retailsalesreturn", 1],
] as const;

type Book = (goods: Reference, store: Reference | undefined, change: Partial<StockLevel>, source: Values) => void;

function bookDocument({ values }: Stored, changeOf: (line: Element) => Partial<StockLevel>, book: Book): void {
  for (const line of elementsIn(values.positions)) {
    const goods = referenceIn(line.values.assortment);
    if (goods !== undefined) book(goods, referenceIn(values.store), changeOf(line), values);
  }
}

/** Returns the goods whose stock changes, with quantities: the goods themselves, a bundle's components, nothing for a service. */
function partsOf(goods: Reference, account: Account): readonly (readonly [string, number])[] {
  if (goods.type === "product" || goods.type === "variant") return [[goods.id, 1]];
  if (goods.type !== "bundle") return [];
  const bundle = account.objects.get("bundle", goods.id);
  return elementsIn(bundle?.values.components).flatMap(({ values }) => {
    const part = referenceIn(values.assortment);
    return part === undefined || part.type === "service" ? [] : [[part.id, numberIn(values.quantity)] as const];
  });
}

/** Returns a value of goods. What a variant lacks comes from its product: prices, unit, folder, supplier (json-api 13.2). */
export function ofGoods(goods: Stored, name: string, account: Account): Value | undefined {
  return goods.values[name] ?? productOf(goods, account)?.values[name];
}

/** Returns the product of a variant; undefined for other goods. */
export function productOf({ values }: Pick<Stored, "values">, account: Account): Stored | undefined {
  return account.objects.pointedBy(values.product);
}
