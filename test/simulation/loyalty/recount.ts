import { SlowLoyalty } from "../../support/slow-loyalty.ts";
import type { SlowLine } from "../../support/slow-shares.ts";
import { BrokenPromise } from "../broken-promise.ts";
import { PERCENTS, type ProgrammeChoice } from "./programme.ts";
import { SlowCodes } from "./slow-codes.ts";

/** A receipt as its till knows it. */
export interface Receipt {
  id: string;
  memberName: string;
  lines: readonly SlowLine[];
  spent: number;
  earned: number;
  soldAtMs: number;
  cards: readonly { name: string; kopecks: number }[];
}

export interface PartBack {
  id: string;
  saleId: string;
  lines: readonly SlowLine[];
}

interface Waiting extends PartBack {
  receivedMs: number;
}

/** The ledgers as they must be. The slow model counts them from the operations, in the order of their commits. */
export class Recount {
  readonly model: SlowLoyalty;
  readonly codes = new SlowCodes();
  /** The member's id for each name that tills use. */
  readonly members = new Map<string, string>();
  readonly sales = new Set<string>();
  readonly returns = new Set<string>();
  readonly cards = new Map<string, number>();
  readonly #importedRows = new Set<string>();
  readonly #buyers = new Map<string, string>();
  readonly #visits = new Map<string, { nowMs: number; revision: number }>();
  #waiting: Waiting[] = [];
  /** The percent in force, in hundredths of a percent. It is one of `PERCENTS`. */
  percent: number = PERCENTS[0];
  /** Goes up with each change of the ledgers. */
  revision = 0;

  constructor(choice: ProgrammeChoice) {
    this.model = new SlowLoyalty(choice);
  }

  /** The member that was kept for the person of this name. */
  memberOf(name: string): string {
    const id = this.members.get(name);
    if (id === undefined) throw new Error(`${name} is no member yet`);
    return this.model.keptOf(id);
  }

  visited(memberId: string, nowMs: number): void {
    this.#visits.set(memberId, { nowMs, revision: this.revision });
  }

  /**
   * Whether the member has made a purchase or return since the quote, by a clock or by the order of commits. A quote is for the next
   * purchase only.
   */
  hasVisitedSince(memberId: string, { atMs, revision }: { atMs: number; revision: number }): boolean {
    const visit = this.#visits.get(memberId);
    return visit !== undefined && (visit.nowMs >= atMs || visit.revision > revision);
  }

  enrol(name: string, memberId: string, isNew: boolean): void {
    this.revision += 1;
    if (isNew) this.#make(name, memberId);
    else if (this.members.get(name) === undefined || this.memberOf(name) !== memberId)
      throw broken("one-member", `${name} is ${memberId}, and was ${this.members.get(name) ?? "nobody"}`);
  }

  /** Books a sale with `earned` points, and the returns that have waited for this sale. */
  sale(receipt: Receipt, earned: number, nowMs: number): void {
    this.revision += 1;
    const { id, lines, spent, soldAtMs } = receipt;
    if (this.sales.has(id)) throw broken("booked-once", `sale ${id}`);
    this.sales.add(id);
    this.#buyers.set(id, receipt.memberName);
    this.visited(this.memberOf(receipt.memberName), nowMs);
    // The clock of a till may be ahead. A purchase in the future would not count towards a tier, so it counts as made now.
    this.model.sale(id, this.memberOf(receipt.memberName), nowMs, { lines, spent, earned, soldAtMs: Math.min(soldAtMs, nowMs) });
    for (const { name, kopecks } of receipt.cards) this.cards.set(name, Math.max(0, (this.cards.get(name) ?? 0) - kopecks));
    const early = this.#waiting.filter(({ saleId }) => saleId === id);
    this.#waiting = this.#waiting.filter(({ saleId }) => saleId !== id);
    for (const each of early) this.model.giveBack(id, each.lines, nowMs);
  }

  /** Returns true when the return was accepted, now or when its sale comes. */
  giveBack(back: PartBack, nowMs: number): boolean {
    this.revision += 1;
    if (this.sales.has(back.saleId)) {
      if (!this.model.giveBack(back.saleId, back.lines, nowMs)) return false;
      const buyer = this.#buyers.get(back.saleId);
      if (buyer !== undefined) this.visited(this.memberOf(buyer), nowMs);
    } else this.#waiting.push({ ...back, receivedMs: nowMs });
    if (this.returns.has(back.id)) throw broken("booked-once", `return ${back.id}`);
    this.returns.add(back.id);
    return true;
  }

  get waiting(): readonly Waiting[] {
    return this.#waiting;
  }

  /** Gives up a return that has waited for its sale. */
  endWaiting(id: string): void {
    this.#waiting = this.#waiting.filter((each) => each.id !== id);
  }

  /** Returns false when the row was imported before. */
  takeOver(key: string, name: string, memberId: string, row: { points: number; spentKopecks: number }, nowMs: number): boolean {
    this.revision += 1;
    if (this.#importedRows.has(key)) return false;
    this.#importedRows.add(key);
    if (!this.members.has(name)) this.#make(name, memberId);
    if (this.memberOf(name) !== memberId) throw broken("one-member", `row ${key} went to ${memberId}, not to ${this.memberOf(name)}`);
    this.model.takeOver(memberId, nowMs, row);
    return true;
  }

  #make(name: string, memberId: string): void {
    if (this.members.has(name)) throw broken("one-member", `${name} was made twice`);
    this.model.enrol(memberId);
    this.members.set(name, memberId);
  }
}

/** A promise of loyalty was broken. */
export function broken(name: string, what: string): BrokenPromise {
  return new BrokenPromise(`${name}: ${what}`);
}
