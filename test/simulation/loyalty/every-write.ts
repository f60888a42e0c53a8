import type { UnknownRow } from "kysely";
import { verifyLedger } from "../../../src/loyalty/ledger/verify.ts";
import type { LoyaltyStore } from "../../../src/loyalty/services.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";
import { type DeathPlan, Deaths } from "../deaths.ts";
import { Life } from "../life.ts";
import { SeededChance } from "../seeded-chance.ts";
import { CALM } from "../troubles.ts";
import { UnreliableStore } from "../unreliable-store.ts";
import { type LoyaltyServer, loyaltyServer } from "./server.ts";
import type { LoyaltyStorage } from "./storage.ts";
import { WatchedStore } from "./watched-store.ts";

/** An act on the ledger. It is repeated when nobody knows whether it was done. */
export interface Deed {
  title: string;
  /** A large deed is tried only in the long run, and only at some of its awaits. */
  isLarge?: boolean;
  /** Stores what must be there before the deed. */
  prepare(server: LoyaltyServer, clock: VirtualClock): Promise<void>;
  act(server: LoyaltyServer): Promise<unknown>;
}

export interface Attempt {
  /** Whether a process has died. */
  hasDied: boolean;
  /** The number of awaits and statements at which a process could have died. */
  awaits: number;
  /** Everything that is stored at the end, without random ids. */
  stored: Record<string, UnknownRow[]>;
  findings: readonly object[];
}

/** A Sunday at noon in Moscow. */
const START_MS = Date.UTC(2026, 10, 29, 9);
/** The one seed of all attempts, because the preparation must be the same every time. */
const SEED = 19;

/**
 * Does a deed by a process that dies where the plan says, and then by another process until the deed has ended. Without a plan
 * nobody dies. With `withoutTransactions` each statement is committed alone, and the test must notice it.
 */
export async function attempt(
  storage: LoyaltyStorage,
  deed: Deed,
  plan: DeathPlan | undefined,
  withoutTransactions = false,
): Promise<Attempt> {
  await storage.clear();
  const chance = new SeededChance(SEED);
  const clock = new VirtualClock(START_MS);
  const deaths = new Deaths(plan ?? { kind: "at", await: 0, fate: "die-before" }, chance);
  const faults: unknown[] = [];
  const store = new WatchedStore({
    store: storage.counted,
    fail: (error) => void faults.push(error),
    withoutTransactions,
  });
  const begin = (life: Life) => {
    const mortal = new UnreliableStore(store.of(life, clock), { clock, chance, troubles: () => CALM }).of(life);
    return loyaltyServer(life, { clock: life.clock(clock), store: mortal, chance, keepsQuotes: true, isDatabaseOutside: false });
  };
  await deed.prepare(begin(new Life(() => "live")), clock);
  let hasDied = false;
  for (let ended = false; !ended; ) {
    const life = new Life((point) => deaths.fate(point, CALM));
    const dead = life.died.then(() => "dead" as const);
    ended = (await Promise.race([deed.act(begin(life)), dead])) !== "dead";
    hasDied ||= !ended;
    if (!ended) await idle(storage);
  }
  if (faults.length > 0) throw faults[0];
  const { findings } = await verifyLedger(storage.store);
  return { hasDied, awaits: deaths.awaits, stored: await storedIn(storage.store), findings };
}

/** Waits until the work that the dead process had begun has ended. */
async function idle(storage: LoyaltyStorage): Promise<void> {
  // A read waits until the transaction before it is over.
  while (!storage.isIdle) await storage.store.read((db) => db.selectFrom("loyalty_orders").select("id").limit(1).execute());
}

/** Columns with random values, or with hashes of such values. */
const BY_CHANCE = ["id", "member_id", "card_id", "order_id", "sale_id", "merged_into", "kept_id", "gone_id", "hash", "entry_hash"];
const SEALED = ["personal_sealed", "code_sealed", "subject", "moved", "inputs_hash"];
const LEFT_OUT = new Set([...BY_CHANCE, ...SEALED]);

const COMPARED = [
  "loyalty_entries",
  "loyalty_lots",
  "loyalty_allocations",
  "loyalty_accounts",
  "loyalty_tier_events",
  "loyalty_order_lines",
  "loyalty_orders",
  "loyalty_merges",
  "loyalty_aliases",
  "loyalty_terms",
  "loyalty_members",
  "loyalty_codes",
  "loyalty_gift_entries",
  "loyalty_gift_cards",
  "loyalty_imports",
  "loyalty_programmes",
] as const;

async function storedIn(store: LoyaltyStore): Promise<Record<string, UnknownRow[]>> {
  const stored: Record<string, UnknownRow[]> = {};
  for (const table of COMPARED) {
    const rows: UnknownRow[] = await store.read((db) => db.selectFrom(table).selectAll().execute());
    const plain = rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !LEFT_OUT.has(name))));
    stored[table] = plain.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  }
  return stored;
}
