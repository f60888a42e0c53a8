import type { InstallationKey } from "../../accounts/installation.ts";
import { wallTimeAt } from "../../kernel/moment.ts";
import type { AccountRow, EntryRow, LotRow, MemberRow } from "../../store/loyalty-tables.ts";
import { lotOf } from "../ledger/entry.ts";
import { accountOf, allLots, allocationsOf, entriesAfter } from "../ledger/ledger-queries.ts";
import { personalOf } from "../members/member.ts";
import { listMembers } from "../members/member-queries.ts";
import type { Personal } from "../members/personal-schema.ts";
import { lotsOverPeriods } from "../points/lot-dates.ts";
import type { ExpiryPeriod } from "../programme/programme.ts";
import type { LoyaltyServices } from "../services.ts";

const MEMBERS_AT_ONCE = 200;
const ENTRIES_AT_ONCE = 1_000;

export interface ExportedMember {
  row: MemberRow;
  /** Undefined: erased. */
  personal: Personal | undefined;
  account: AccountRow;
  lots: readonly LotRow[];
  entries: readonly { entry: EntryRow; taken: readonly (readonly [lotNumber: number, points: number])[] }[];
}

/**
 * Reads the members of an account one by one, the oldest first. Leaves out a member whose account row is lost. A server may book during the
 * export. So the lots of a member may be newer than the entries.
 */
export async function* exportedMembers(
  { store, seal }: Pick<LoyaltyServices, "store" | "seal">,
  key: InstallationKey,
): AsyncGenerator<ExportedMember> {
  let after: { createdAtMs: number; id: string } | undefined;
  for (;;) {
    const place = after;
    const rows = await store.read((db) =>
      listMembers(db, key, { limit: MEMBERS_AT_ONCE, ...(place === undefined ? {} : { after: place }) }),
    );
    for (const row of rows) {
      const account = await store.read((db) => accountOf(db, row.id));
      if (account === undefined) continue;
      const lots = await store.read((db) => allLots(db, row.id));
      const entries = await ledgerOf(store, row.id, account.entry_number);
      yield { row, personal: personalOf(row, seal), account, lots, entries };
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < MEMBERS_AT_ONCE) return;
    after = { createdAtMs: last.created_at_ms, id: last.id };
  }
}

/** Reads the entries up to `newest`, the number that the account names. */
async function ledgerOf(store: LoyaltyServices["store"], memberId: string, newest: number): Promise<ExportedMember["entries"]> {
  const ledger: { entry: EntryRow; taken: [number, number][] }[] = [];
  for (let number = 0; number < newest; ) {
    const from = number;
    const entries = await store.read((db) => entriesAfter(db, memberId, from, ENTRIES_AT_ONCE));
    const last = entries.at(-1);
    if (last === undefined) break;
    const taken = await store.read((db) => allocationsOf(db, memberId, from + 1, last.number));
    const byEntry = Map.groupBy(taken, ({ entry_number }) => entry_number);
    for (const entry of entries) {
      if (entry.number > newest) break;
      const own = byEntry.get(entry.number) ?? [];
      ledger.push({ entry, taken: own.map(({ lot_number, points }) => [lot_number, points]) });
    }
    number = last.number;
  }
  return ledger;
}

/**
 * Outstanding points by the month of their expiry, in the account's time zone; `never` for points without an end. `periods`: the expiry
 * rules of the account's programmes, because under rolling expiry a lot ends later than its stored date.
 */
export class Liability {
  readonly #zone: string;
  readonly #nowMs: number;
  readonly #points = new Map<string, number>();
  readonly #periods: readonly ExpiryPeriod[];
  #debtPoints = 0;

  constructor({ zone, nowMs, periods }: { zone: string; nowMs: number; periods: readonly ExpiryPeriod[] }) {
    this.#zone = zone;
    this.#nowMs = nowMs;
    this.#periods = periods;
  }

  add({ lots, account }: ExportedMember): void {
    this.#debtPoints += account.debt_points;
    const inForce = lotsOverPeriods(lots.map(lotOf), this.#periods, account.visited_at_ms ?? undefined, this.#zone);
    for (const { remaining, expiresAtMs: end } of inForce) {
      if (remaining === 0 || (end !== null && end <= this.#nowMs)) continue;
      const month = end === null ? "never" : wallTimeAt(end - 1, this.#zone).slice(0, "2026-11".length);
      this.#points.set(month, (this.#points.get(month) ?? 0) + remaining);
    }
  }

  get debtPoints(): number {
    return this.#debtPoints;
  }

  get months(): { month: string; points: number }[] {
    return [...this.#points].sort(([a], [b]) => (a < b ? -1 : 1)).map(([month, points]) => ({ month, points }));
  }
}
