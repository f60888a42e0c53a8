import { Failure } from "../../kernel/failure.ts";
import type { AccountRow, EntryRow, LotRow, LoyaltyAllocationsTable } from "../../store/loyalty-tables.ts";
import type { Allocation, Lot } from "../points/lots.ts";
import { type EntryKind, hashOfEntry, lotOf, type NewLot } from "./entry.ts";
import {
  allLots,
  emptyLots,
  insertAllocations,
  insertEntries,
  insertLots,
  lockAccount,
  lotsLeft,
  lotsNumbered,
  setRemaining,
  type Tx,
  updateAccount,
} from "./ledger-queries.ts";

export interface NewEntry {
  kind: EntryKind;
  /** Signed: negative for a debit. Includes points that become debt or repay debt. */
  points: number;
  debtPoints?: number;
  allocations?: readonly Allocation[];
  lot?: NewLot;
  orderId?: number;
  part?: number;
  reverses?: number;
  actor: string;
  reason?: string;
  /** JSON. */
  trace?: string;
}

export type AccountChange = Partial<Pick<AccountRow, "tier" | "tier_since_ms" | "tier_review_at_ms" | "visited_at_ms" | "has_bought">>;

/**
 * The account of one member within one transaction. `open` locks the account's row. `add` numbers entries and chains them by hash. `close`
 * writes everything together. Stored entries never change.
 */
export class AccountBook {
  readonly #tx: Tx;
  readonly #nowMs: number;
  readonly #lots: Map<number, LotRow>;
  readonly #changedLots = new Set<number>();
  readonly #newLots = new Set<number>();
  readonly #entries: EntryRow[] = [];
  readonly #allocations: LoyaltyAllocationsTable[] = [];
  #account: AccountRow;
  #change: AccountChange = {};

  private constructor(tx: Tx, nowMs: number, account: AccountRow, lots: readonly LotRow[]) {
    this.#tx = tx;
    this.#nowMs = nowMs;
    this.#account = account;
    this.#lots = new Map(lots.map((lot) => [lot.number, lot]));
  }

  /** Locks the account and reads the lots that still hold points. Throws `loyalty-account-missing`. */
  static async open(tx: Tx, memberId: string, nowMs: number): Promise<AccountBook> {
    return AccountBook.ofLocked(tx, memberId, nowMs, await lockAccount(tx, memberId));
  }

  /** As `open`, for an account that `tx` has already locked and read. */
  static async ofLocked(tx: Tx, memberId: string, nowMs: number, account: AccountRow | undefined): Promise<AccountBook> {
    if (account === undefined)
      throw new Failure("loyalty-account-missing", "fault", `Member ${memberId} has no account`, { retrySafe: false });
    return new AccountBook(tx, nowMs, account, await lotsLeft(tx, memberId));
  }

  /** Reads the lots with these numbers, including used-up lots, which `open` leaves out. */
  async withLots(numbers: readonly number[]): Promise<void> {
    const missing = numbers.filter((number) => !this.#lots.has(number));
    for (const lot of await lotsNumbered(this.#tx, this.memberId, missing)) this.#lots.set(lot.number, lot);
  }

  async withAllLots(): Promise<void> {
    for (const lot of await allLots(this.#tx, this.memberId)) if (!this.#lots.has(lot.number)) this.#lots.set(lot.number, lot);
  }

  get memberId(): string {
    return this.#account.member_id;
  }

  get account(): AccountRow {
    return { ...this.#account, ...this.#change };
  }

  /** The lots in the order of their numbers, including the effect of the entries added so far. */
  get lots(): Lot[] {
    return [...this.#lots.values()].sort((a, b) => a.number - b.number).map(lotOf);
  }

  /** Returns how many points of a lot expire by the entries that are not written yet. */
  expiredOf(lotNumber: number): number {
    const expiries = new Set(this.#entries.filter(({ kind }) => kind === "EXPIRE").map(({ number }) => number));
    return this.#allocations
      .filter((each) => each.lot_number === lotNumber && expiries.has(each.entry_number))
      .reduce((sum, { points }) => sum + points, 0);
  }

  change(change: AccountChange): void {
    this.#change = { ...this.#change, ...change };
  }

  /**
   * Adds an entry and returns its number. Throws `loyalty-entry-wrong` when the points are not whole or differ from the changes of lots and
   * debt. Also throws when the debt would be negative, a new lot empty, or a lot unknown, negative or above its original points.
   */
  add(entry: NewEntry): number {
    const { kind, points, debtPoints = 0, allocations = [], lot } = entry;
    const number = this.#account.entry_number + 1;
    this.#mustAddUp(entry);
    for (const each of allocations) this.#take(each);
    if (lot !== undefined) this.#makeLot(number, lot);
    const row = {
      member_id: this.memberId,
      number,
      kind,
      points,
      debt_points: debtPoints,
      order_id: entry.orderId ?? null,
      part: entry.part ?? 1,
      reverses: entry.reverses ?? null,
      at_ms: this.#nowMs,
      actor: entry.actor,
      reason: entry.reason ?? null,
      trace: entry.trace ?? null,
    };
    const hash = hashOfEntry(this.#account.entry_hash, { row, allocations, ...(lot === undefined ? {} : { lot }) });
    this.#entries.push({ ...row, hash });
    for (const [index, each] of allocations.entries())
      this.#allocations.push({
        member_id: this.memberId,
        entry_number: number,
        lot_number: each.lotNumber,
        points: each.points,
        place: index + 1,
      });
    const taken = allocations.reduce((sum, each) => sum + each.points, 0);
    this.#account = {
      ...this.#account,
      points: this.#account.points - taken + (lot?.points ?? 0),
      debt_points: this.#account.debt_points + debtPoints,
      entry_number: number,
      entry_hash: hash,
    };
    return number;
  }

  async close(): Promise<void> {
    const { points, debt_points, entry_number, entry_hash } = this.#account;
    await insertEntries(this.#tx, this.#entries);
    await insertLots(
      this.#tx,
      [...this.#newLots].flatMap((number) => this.#lots.get(number) ?? []),
    );
    const changed = [...this.#changedLots].flatMap((number) => (this.#newLots.has(number) ? [] : (this.#lots.get(number) ?? [])));
    // A purchase may use up thousands of lots, but leaves at most a few with a rest.
    const isEmpty = ({ remaining }: LotRow) => remaining === 0;
    await emptyLots(
      this.#tx,
      this.memberId,
      changed.filter(isEmpty).map(({ number }) => number),
    );
    for (const lot of changed) if (!isEmpty(lot)) await setRemaining(this.#tx, this.memberId, lot.number, lot.remaining);
    await insertAllocations(this.#tx, this.#allocations);
    await updateAccount(this.#tx, this.memberId, { points, debt_points, entry_number, entry_hash, ...this.#change });
  }

  /**
   * Checks that the points of an entry equal its effect. A debit takes points from lots and adds debt. A credit makes a lot, gives points
   * back to lots or lowers the debt.
   */
  #mustAddUp({ kind, points, debtPoints = 0, allocations = [], lot }: NewEntry): void {
    const taken = allocations.reduce((sum, each) => sum + each.points, 0);
    // A repayment takes the same points from lots and debt, so the sum omits the debt (loyalty-model 4.5). Only `loyalty verify` compares
    // the debt with the points.
    const expected = kind === "DEBT_REPAY" ? -taken : (lot?.points ?? 0) - taken - debtPoints;
    const debt = this.#account.debt_points + debtPoints;
    if (points !== expected || debt < 0 || !Number.isSafeInteger(points)) throw this.#wrong(`${kind} of ${points} moves ${expected}`);
  }

  #take({ lotNumber, points }: Allocation): void {
    const lot = this.#lots.get(lotNumber);
    const remaining = (lot?.remaining ?? 0) - points;
    if (lot === undefined || remaining < 0 || remaining > lot.original) throw this.#wrong(`lot ${lotNumber} would hold ${remaining}`);
    this.#lots.set(lotNumber, { ...lot, remaining });
    this.#changedLots.add(lotNumber);
  }

  #makeLot(number: number, lot: NewLot): void {
    if (lot.points <= 0) throw this.#wrong(`a lot of ${lot.points}`);
    this.#newLots.add(number);
    this.#lots.set(number, {
      member_id: this.memberId,
      number,
      kind: lot.kind,
      original: lot.points,
      remaining: lot.points,
      active_from_ms: lot.activeFromMs,
      expires_at_ms: lot.expiresAtMs,
    });
  }

  #wrong(what: string): Failure {
    return new Failure("loyalty-entry-wrong", "fault", `The ledger of member ${this.memberId} does not add up: ${what}`, {
      retrySafe: false,
    });
  }
}
