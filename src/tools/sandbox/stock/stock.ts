import type { Account } from "../account/account.ts";
import { exactQuantity, numberIn } from "../values/number.ts";
import { type Element, elementsIn, type Reference, referenceIn, type Stored, type Value, type Values } from "../values/stored.ts";
import { heldBack, shippedOf } from "./shipped.ts";

/** What lies in one warehouse of one kind of goods. */
export interface StockLevel {
  readonly stock: number;
  readonly reserve: number;
  readonly inTransit: number;
}

/** Stock of the account at a moment: goods by warehouse. `seen`: a document or an opening stock named them. */
export interface StockTable {
  /** Levels by id of the goods, then of the warehouse. */
  readonly levels: ReadonlyMap<string, ReadonlyMap<string, StockLevel>>;
  /** When the stock of goods last became another, in ms, by their id: a document of an earlier day may have been written now. */
  readonly changedAt: ReadonlyMap<string, number>;
  /** When goods last moved by the moments of the documents, in ms. */
  readonly movedAt: ReadonlyMap<string, number>;
  /** The earliest moment after the table's that some document has: from then on the table is another one. */
  readonly untilMs: number;
}

/** Stock as it is now, computed once for every change of it. */
export function stockNow(account: Account): StockTable {
  const nowMs = account.clock.nowMs();
  return account.movements.at(nowMs, () => {
    const value = stockAt(account, nowMs);
    return { value, untilMs: value.untilMs };
  });
}

/** Opening stock: what the account's shop begins with; `values`: assortment, store, quantity, moment. Never seen at an address. */
export const OPENING_STOCK = "openingstock";

/** Goods that stock is kept of. */
export const STOCKED_TYPES = ["product", "variant"] as const;

/** `quantity` of a row: what can be sold once everything on its way has come (14.1). */
export function available({ stock, reserve, inTransit }: StockLevel): number {
  return exactQuantity(stock - reserve + inTransit);
}

/**
 * Computes stock from documents: opening stock and posted returns come in, posted sales go out, a bundle by its
 * components; customer orders reserve what was not shipped yet. Only documents up to the moment count, and of these only what was changed no later
 * than `changedUntilMs` (D37). Services have no stock.
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
      // A reservation moves nothing.
      if (change.stock !== undefined) movedAt.set(part, Math.max(movedAt.get(part) ?? 0, numberIn(moment)));
    }
  };
  for (const { values } of account.objects.all(OPENING_STOCK).values()) {
    // Accounts that were begun earlier know only when it was written.
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
    bookDocument(order, (line) => ({ reserve: heldBack(line, shipped) }), book);
  }
  return { levels, changedAt, movedAt, untilMs };
}

/** Documents that move goods, and which way. */
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

/** The goods themselves, or what a bundle is made of; a service is nothing. */
function partsOf(goods: Reference, account: Account): readonly (readonly [string, number])[] {
  if (goods.type === "product" || goods.type === "variant") return [[goods.id, 1]];
  if (goods.type !== "bundle") return [];
  const bundle = account.objects.get("bundle", goods.id);
  return elementsIn(bundle?.values.components).flatMap(({ values }) => {
    const part = referenceIn(values.assortment);
    return part === undefined || part.type === "service" ? [] : [[part.id, numberIn(values.quantity)] as const];
  });
}

/** What a variant does not say of itself is its product's: prices, unit, folder, supplier (13.2). */
export function ofGoods(goods: Stored, name: string, account: Account): Value | undefined {
  return goods.values[name] ?? productOf(goods, account)?.values[name];
}

/** The product of a variant; undefined for other goods. */
export function productOf({ values }: Pick<Stored, "values">, account: Account): Stored | undefined {
  return account.objects.pointedBy(values.product);
}
