import type { Account } from "../account/account.ts";
import { exactQuantity, numberIn } from "../values/number.ts";
import { type Element, elementsIn, type Reference, referenceIn, type Stored, type Value, type Values } from "../values/stored.ts";
import { shippedOf, stillReserved } from "./shipped.ts";

/** The stock of goods in one warehouse. */
export interface StockLevel {
  readonly stock: number;
  readonly reserve: number;
  readonly inTransit: number;
}

/** The stock of the account at a moment. */
export interface StockTable {
  /** Stock by the id of the goods, then of the warehouse. Goods without any document or opening stock are missing. */
  readonly levels: ReadonlyMap<string, ReadonlyMap<string, StockLevel>>;
  /** When the stock of goods last changed, in ms, by their id. The moment of the document may be earlier. */
  readonly changedAt: ReadonlyMap<string, number>;
  /** The latest moment of a document that moved the goods, in ms, by their id. */
  readonly movedAt: ReadonlyMap<string, number>;
  /** The earliest document moment after the table's moment. The table is not valid from then on. */
  readonly untilMs: number;
}

/** Returns the current stock. It is computed once after every change of a document. */
export function stockNow(account: Account): StockTable {
  const nowMs = account.clock.nowMs();
  return account.movements.at(nowMs, () => {
    const value = stockAt(account, nowMs);
    return { value, untilMs: value.untilMs };
  });
}

/**
 * The type of the opening stock, which a new shop begins with. `values`: assortment, store, quantity, moment. It has no
 * address.
 */
export const OPENING_STOCK = "openingstock";

/** Types of goods that have stock. */
export const STOCKED_TYPES = ["product", "variant"] as const;

/** Returns `quantity` of a row: the quantity that can be sold once all expected goods have arrived (json-api 14.1). */
export function available({ stock, reserve, inTransit }: StockLevel): number {
  return exactQuantity(stock - reserve + inTransit);
}

/**
 * Computes stock from documents. Opening stock and posted returns add goods, posted sales take goods; a bundle counts by its
 * components. Customer orders reserve what was not shipped yet. A document counts when its moment is not after `atMs` and its
 * last change not after `changedUntilMs` (D37). Services have no stock.
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
      // A reservation moves no goods.
      if (change.stock !== undefined) movedAt.set(part, Math.max(movedAt.get(part) ?? 0, numberIn(moment)));
    }
  };
  for (const { values } of account.objects.all(OPENING_STOCK).values()) {
    // An opening stock that an earlier release wrote has no moment, so the time of its writing is used.
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

/** Documents that move goods, with the sign of the change. */
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

/** Returns the goods that have stock: the goods themselves, the components of a bundle, nothing for a service. */
function partsOf(goods: Reference, account: Account): readonly (readonly [string, number])[] {
  if (goods.type === "product" || goods.type === "variant") return [[goods.id, 1]];
  if (goods.type !== "bundle") return [];
  const bundle = account.objects.get("bundle", goods.id);
  return elementsIn(bundle?.values.components).flatMap(({ values }) => {
    const part = referenceIn(values.assortment);
    return part === undefined || part.type === "service" ? [] : [[part.id, numberIn(values.quantity)] as const];
  });
}

/**
 * Returns a value of goods. A variant without its own value has the value of its product: prices, unit, folder, supplier
 * (json-api 13.2).
 */
export function ofGoods(goods: Stored, name: string, account: Account): Value | undefined {
  return goods.values[name] ?? productOf(goods, account)?.values[name];
}

/** Returns the product of a variant; undefined for other goods. */
export function productOf({ values }: Pick<Stored, "values">, account: Account): Stored | undefined {
  return account.objects.pointedBy(values.product);
}
