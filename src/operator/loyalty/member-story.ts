import type { InstallationKey } from "../../accounts/installation.ts";
import { nextTurn } from "../../kernel/clock.ts";
import type { EntryRow } from "../../loyalty/ledger/entry.ts";
import { lotOf } from "../../loyalty/ledger/entry.ts";
import { accountOf, allLots, entriesAfter, lotsLeft } from "../../loyalty/ledger/ledger-queries.ts";
import type { MemberRow } from "../../loyalty/members/member-queries.ts";
import { documentKeysOf } from "../../loyalty/orders/order-queries.ts";
import { lotsOverPeriods } from "../../loyalty/points/lot-dates.ts";
import { type Balance, balanceAt, type Lot } from "../../loyalty/points/lots.ts";
import type { LoyaltyDesk } from "./services.ts";

export interface MemberStory {
  row: MemberRow;
  balance: Balance;
  tier: string | null;
  /** All lots, or those that still hold points, with their effective ends. */
  lots: readonly Lot[];
  /** The ledger or its newest entries, the oldest entry first. `document`: the key of the entry's document. */
  entries: readonly { entry: EntryRow; document?: string }[];
}

/** The number of rows that are read at once. In SQLite they take about 10 ms. Other work runs before the next rows. */
const ROWS_AT_ONCE = 500;

/** Returns everything about a member. With `newest`, for a page: only this many newest entries, and only lots that still hold points. */
export async function memberStory(
  { services, programmes }: Pick<LoyaltyDesk, "services" | "programmes">,
  key: InstallationKey,
  row: MemberRow,
  { newest }: { newest?: number } = {},
): Promise<MemberStory> {
  const { store, clock, zoneOf } = services;
  const zone = await zoneOf(key, "");
  await programmes.prepare(key);
  const { account, stored, current } = await store.read(async (db) => ({
    account: await accountOf(db, row.id),
    stored: (newest === undefined ? await allLots(db, row.id) : await lotsLeft(db, row.id)).map(lotOf),
    current: await programmes.current(db, key),
  }));
  const lots = lotsOverPeriods(stored, current.periods, account?.visited_at_ms ?? undefined, zone);
  const balance = balanceAt(lots, account?.debt_points ?? 0, clock.nowMs());
  return { row, balance, tier: account?.tier ?? null, lots, entries: await ledgerOf(store, row.id, account?.entry_number ?? 0, newest) };
}

async function ledgerOf(
  store: LoyaltyDesk["services"]["store"],
  memberId: string,
  lastNumber: number,
  newest = lastNumber,
): Promise<MemberStory["entries"]> {
  const ledger: { entry: EntryRow; document?: string }[] = [];
  for (;;) {
    const from = ledger.at(-1)?.entry.number ?? Math.max(0, lastNumber - newest);
    const entries = await store.read((db) => entriesAfter(db, memberId, from, ROWS_AT_ONCE));
    const ids = [...new Set(entries.flatMap(({ order_id: id }) => id ?? []))];
    const documents = await store.read((db) => documentKeysOf(db, ids));
    for (const entry of entries) {
      const document = entry.order_id === null ? undefined : documents.get(entry.order_id);
      ledger.push({ entry, ...(document === undefined ? {} : { document }) });
    }
    if (entries.length < ROWS_AT_ONCE) return ledger;
    await nextTurn();
  }
}
