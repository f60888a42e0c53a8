import { nextTurn } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import type { Db } from "../ledger/ledger-queries.ts";
import type { ReturnedLine } from "../points/matching.ts";
import type { LoyaltyServices } from "../services.ts";
import { bookedReturns, STRANGE_PRODUCT, sumsOfReturns } from "./returned-queries.ts";

/** How many returns are added up in one step. Each may have a thousand lines. */
const RETURNS_A_STEP = 4;
/** How many returns the transaction of another return may add up itself. In SQLite a transaction is one turn of the event loop. */
const MAX_UNREAD = 4;
/** The largest number of sales whose sums are kept: the sales that were used last. A sale of a thousand lines takes about 300 KB. */
const MAX_SALES = 20;

/** The code of the failure when `of` finds too many returns that are not added up yet. Call `read` again. */
export const RETURNS_UNREAD = "loyalty-returns-unread";

interface Sums {
  returnIds: Set<number>;
  lines: Map<string, ReturnedLine>;
}

/**
 * What the booked returns of a sale have brought back. A sale may have any number of returns of a thousand lines, so their lines are added
 * up step by step before the transaction, and the sums are kept. The lines of a booked return never change.
 */
export class EarlierReturns {
  readonly #store: LoyaltyServices["store"];
  readonly #known = new Map<number, Sums>();

  constructor(store: LoyaltyServices["store"]) {
    this.#store = store;
  }

  /** Adds up the returns that are not known yet. Call it before the transaction in which `of` is called. */
  async read(saleId: number): Promise<void> {
    const ids = await this.#store.read((db) => bookedReturns(db, saleId));
    const sums = this.#sumsOf(saleId, ids);
    const unread = ids.filter((id) => !sums.returnIds.has(id));
    for (let from = 0; from < unread.length; from += RETURNS_A_STEP) {
      const step = unread.slice(from, from + RETURNS_A_STEP);
      const lines = await this.#store.read((db) => sumsOfReturns(db, saleId, step));
      // Another call may have added the same returns meanwhile.
      if (step.some((id) => sums.returnIds.has(id))) return this.read(saleId);
      for (const id of step) sums.returnIds.add(id);
      for (const line of lines) addTo(sums.lines, line);
      await nextTurn();
    }
  }

  /** Returns what came back, including returns that were booked since `read`. Throws `loyalty-returns-unread` when these are too many. */
  async of(db: Db, saleId: number): Promise<ReturnedLine[]> {
    const ids = await bookedReturns(db, saleId);
    const known = this.#sumsOf(saleId, ids);
    const unread = ids.filter((id) => !known.returnIds.has(id));
    if (unread.length > MAX_UNREAD)
      throw new Failure(RETURNS_UNREAD, "dependency", "Other returns of the sale were booked meanwhile", { retrySafe: true });
    if (unread.length === 0) return [...known.lines.values()];
    const lines = new Map(known.lines);
    for (const line of await sumsOfReturns(db, saleId, unread)) addTo(lines, line);
    return [...lines.values()];
  }

  /**
   * Returns the known sums of the sale. If they have a return that is not booked any more, an older copy of the database was restored, and
   * the sums begin anew.
   */
  #sumsOf(saleId: number, booked: readonly number[]): Sums {
    const kept = this.#known.get(saleId);
    const ids = new Set(booked);
    const isWhole = kept !== undefined && [...kept.returnIds].every((id) => ids.has(id));
    const known = isWhole ? kept : { returnIds: new Set<number>(), lines: new Map() };
    this.#known.delete(saleId);
    this.#known.set(saleId, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_SALES && oldest !== undefined) this.#known.delete(oldest);
    return known;
  }
}

/**
 * Adds a line to the sums. The sums have a single line for all goods that the sale did not have: its quantity is one piece, and its price
 * is the money of all these goods.
 */
function addTo(sums: Map<string, ReturnedLine>, line: ReturnedLine): void {
  const isStrange = line.productId === STRANGE_PRODUCT;
  const key = isStrange ? STRANGE_PRODUCT : `${line.productId}/${line.unitKopecks}`;
  const sum = sums.get(key);
  if (sum === undefined) {
    sums.set(key, line);
    return;
  }
  sums.set(key, {
    ...sum,
    paidKopecks: sum.paidKopecks + line.paidKopecks,
    grossKopecks: sum.grossKopecks + line.grossKopecks,
    ...(isStrange
      ? { unitKopecks: sum.unitKopecks + line.unitKopecks }
      : { quantityMillionths: sum.quantityMillionths + line.quantityMillionths }),
  });
}
