import type { LoyaltyStore } from "../../../src/loyalty/services.ts";
import type { Store } from "../../../src/store/database.ts";
import { openMemoryStore } from "../../support/memory-store.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

export const KEY = { appId: "00000000-0000-4000-8000-000000000001", accountId: "11111111-0000-4000-8000-000000000001" };

/** Tables that a run writes. */
const WRITTEN = [
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
  "loyalty_quotes",
  "loyalty_codes",
  "loyalty_gift_entries",
  "loyalty_gift_cards",
  "loyalty_imports",
  "loyalty_programmes",
  "loyalty_keys",
] as const;

/** The database that all runs use, one after another. It counts the work under way, so that virtual time can wait for this work. */
export class LoyaltyStorage {
  readonly store: Store;
  #underWay = 0;

  constructor(store: Store) {
    this.store = store;
  }

  static async open(): Promise<LoyaltyStorage> {
    // Its time stands still, so that a slow machine changes nothing.
    const store = await openMemoryStore({ clock: new VirtualClock(0) });
    return new LoyaltyStorage(store);
  }

  get isIdle(): boolean {
    return this.#underWay === 0;
  }

  /** The store for the processes, whose work is counted. */
  get counted(): LoyaltyStore {
    return {
      commit: (work, what) => this.#count(this.store.commit(work, what)),
      read: (work) => this.#count(this.store.read(work)),
    };
  }

  /** Leaves nothing but an account that a till is connected to, with its key row, because a request for a code locks this row. */
  clear(): Promise<void> {
    return this.store.commit(async (tx) => {
      for (const table of WRITTEN) await tx.deleteFrom(table).execute();
      const key = { key_hash: "key", app_id: KEY.appId, account_id: KEY.accountId, added_at_ms: 0, retires_at_ms: null };
      await tx.insertInto("loyalty_keys").values(key).execute();
    });
  }

  close(): Promise<void> {
    return this.store.close();
  }

  async #count<T>(work: Promise<T>): Promise<T> {
    this.#underWay += 1;
    try {
      return await work;
    } finally {
      this.#underWay -= 1;
    }
  }
}
