import type { AccountRow, EntryRow, LotRow, LoyaltyAllocationsTable } from "../../../store/loyalty-tables.ts";
import { hashOfEntry, lotOf } from "../entry.ts";
import { compared, type Finding, MAX_NAMED, namedOfGap } from "./finding.ts";

/** Kinds of entries that always make a lot. */
const LOT_MAKERS = ["EARN", "GRANT", "MIGRATE"];

interface CountedLot {
  row: LotRow;
  remaining: number;
  hasEntry: boolean;
}

/**
 * Recomputes the ledger of one member. Pass the rows in the order of their numbers. The check keeps the lots in memory, but not the
 * entries.
 */
export class MemberCheck {
  readonly memberId: string;
  readonly #findings: Finding[] = [];
  readonly #lots = new Map<number, CountedLot>();
  #number = 0;
  #hash = "";
  #debt = 0;
  /** The stored hash of the entry whose number the account names as its newest. */
  #hashAtAccount: string | undefined;
  readonly #account: AccountRow | undefined;

  constructor(memberId: string, account: AccountRow | undefined, lots: readonly LotRow[]) {
    this.memberId = memberId;
    this.#account = account;
    for (const row of lots) this.#lots.set(row.number, { row, remaining: row.original, hasEntry: false });
  }

  /** Reads the next entry with its allocations, ordered by place. */
  entry(entry: EntryRow, taken: readonly LoyaltyAllocationsTable[]): void {
    const hasGap = entry.number !== this.#number + 1;
    if (hasGap) this.#missing(this.#number + 1, entry.number - 1);
    const lot = this.#lots.get(entry.number);
    if (lot !== undefined) lot.hasEntry = true;
    else if (LOT_MAKERS.includes(entry.kind)) this.#add("loyalty_lots", entry.number, { code: "missing" });
    this.#checkHash(entry, taken, lot, hasGap);
    this.#checkSum(entry, taken, lot);
    for (const [index, each] of taken.entries()) this.#allocation(each, index + 1, entry.number);
    this.#debt += entry.debt_points;
    if (this.#debt < 0) this.#differs("loyalty_entries", entry.number, "debt_points", entry.debt_points, entry.debt_points - this.#debt);
    this.#number = entry.number;
    this.#hash = entry.hash;
    if (entry.number === this.#account?.entry_number) this.#hashAtAccount = entry.hash;
  }

  /** Reads an allocation that belongs to no entry. */
  lostAllocation(each: LoyaltyAllocationsTable): void {
    this.#add("loyalty_allocations", `${each.entry_number}/${each.lot_number}`, { code: "surplus" });
    this.#take(each);
  }

  /** Compares the account and its lots with the passed entries. Returns all findings. */
  finish(): Finding[] {
    for (const [number, { row, remaining, hasEntry }] of this.#lots) {
      if (!hasEntry) this.#add("loyalty_lots", number, { code: "surplus" });
      this.#differs("loyalty_lots", number, "remaining", row.remaining, remaining);
      if (row.remaining < 0 || row.remaining > row.original)
        this.#differs("loyalty_lots", number, "remaining", row.remaining, Math.min(Math.max(row.remaining, 0), row.original));
    }
    const account = this.#account;
    if (account === undefined) this.#add("loyalty_accounts", "", { code: "missing" });
    else this.#compareAccount(account);
    return this.#findings;
  }

  #compareAccount(account: AccountRow): void {
    const points = [...this.#lots.values()].reduce((sum, { remaining }) => sum + remaining, 0);
    this.#differs("loyalty_accounts", "", "points", account.points, points);
    this.#differs("loyalty_accounts", "", "debt_points", account.debt_points, this.#debt);
    this.#checkNewest(account);
  }

  /**
   * The account names its newest entry by number and hash. If only the number fits the newest entry, the hash was altered. If only the hash
   * fits it, the number was altered. If the number is higher, entries are missing. If number and hash fit an earlier entry, the entries
   * after it are surplus.
   */
  #checkNewest({ entry_number: number, entry_hash: hash }: AccountRow): void {
    if (number === this.#number) this.#differs("loyalty_accounts", "", "entry_hash", hash, this.#hash);
    else if (hash === this.#hash) this.#differs("loyalty_accounts", "", "entry_number", number, this.#number);
    else if (number > this.#number) this.#missing(this.#number + 1, number);
    else if (hash === (number === 0 ? "" : this.#hashAtAccount))
      for (let each = number + 1; each <= Math.min(this.#number, number + MAX_NAMED); each++)
        this.#add("loyalty_entries", each, { code: "surplus" });
    else this.#differs("loyalty_accounts", "", "entry_number", number, this.#number);
  }

  /** After a gap the previous hash is unknown, so the hash is not checked. The gap itself is a finding. */
  #checkHash(entry: EntryRow, taken: readonly LoyaltyAllocationsTable[], lot: CountedLot | undefined, hasGap: boolean): void {
    if (hasGap) return;
    const { hash, ...row } = entry;
    const allocations = taken.map(({ lot_number: lotNumber, points }) => ({ lotNumber, points }));
    const made = lot === undefined ? undefined : lotOf(lot.row);
    const stored = { row, allocations, ...(made === undefined ? {} : { lot: { ...made, kind: made.kind, points: made.original } }) };
    // `lotOf` reads an unknown kind as a known kind, so the kind is compared too.
    const isKindRead = made === undefined || made.kind === lot?.row.kind;
    if (hashOfEntry(this.#hash, stored) !== hash || !isKindRead) this.#add("loyalty_entries", entry.number, { code: "altered" });
  }

  #checkSum({ number, kind, points, debt_points: debt }: EntryRow, taken: readonly LoyaltyAllocationsTable[], lot?: CountedLot): void {
    const out = taken.reduce((sum, each) => sum + each.points, 0);
    // A repayment takes the same points from lots and from the debt (loyalty-model 4.5).
    if (kind === "DEBT_REPAY") this.#differs("loyalty_entries", number, "debt_points", debt, -out);
    const counted = kind === "DEBT_REPAY" ? -out : (lot?.row.original ?? 0) - out - debt;
    this.#differs("loyalty_entries", number, "points", points, counted);
  }

  #allocation(each: LoyaltyAllocationsTable, place: number, entryNumber: number): void {
    const row = `${entryNumber}/${each.lot_number}`;
    this.#differs("loyalty_allocations", row, "place", each.place, place);
    if (each.lot_number >= entryNumber) this.#add("loyalty_allocations", row, { code: "surplus" });
    this.#take(each);
    const lot = this.#lots.get(each.lot_number);
    if (lot === undefined) this.#add("loyalty_lots", each.lot_number, { code: "missing" });
    else if (lot.remaining < 0 || lot.remaining > lot.row.original) {
      const most = lot.remaining < 0 ? each.points + lot.remaining : each.points + lot.remaining - lot.row.original;
      this.#differs("loyalty_allocations", row, "points", each.points, most);
    }
  }

  #take({ lot_number: number, points }: LoyaltyAllocationsTable): void {
    const lot = this.#lots.get(number);
    if (lot !== undefined) lot.remaining -= points;
  }

  #missing(from: number, to: number): void {
    for (const number of namedOfGap(from, to)) this.#add("loyalty_entries", number, { code: "missing" });
  }

  #add(table: Finding["table"], row: number | string, fault: Finding["fault"]): void {
    this.#findings.push({ ...this.#place(table, row), fault });
  }

  #differs(table: Finding["table"], row: number | string, column: string, stored: number | string, counted: number | string): void {
    this.#findings.push(...compared(this.#place(table, row), column, stored, counted));
  }

  #place(table: Finding["table"], row: number | string) {
    return { table, row: row === "" ? this.memberId : `${this.memberId}/${row}`, memberId: this.memberId };
  }
}
