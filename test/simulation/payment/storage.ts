import type { JournalStore } from "../../../src/journal/journal.ts";
import type { Store } from "../../../src/store/database.ts";
import { openMemoryStore } from "../../support/memory-store.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

/** Tables that a run writes, children first. */
const WRITTEN = [
  "payment_moves",
  "payment_calls",
  "payment_refunds",
  "bank_notifications",
  "payments",
  "acquirer_accounts",
  "acquirer_hooks",
  "leases",
  "seen_tokens",
  "forgotten_tokens",
  "entries",
] as const;

/**
 * The database in memory that all runs use, one after another. It counts the work under way, so that virtual time can
 * wait for this work.
 */
export class PaymentStorage {
  readonly store: Store;
  #underWay = 0;

  private constructor(store: Store) {
    this.store = store;
  }

  static async open(): Promise<PaymentStorage> {
    // Its time stands still, so that a slow machine changes nothing.
    const store = await openMemoryStore({ clock: new VirtualClock(0) });
    return new PaymentStorage(store);
  }

  get isIdle(): boolean {
    return this.#underWay === 0;
  }

  /** The store for the processes, whose work is counted. */
  get counted(): JournalStore {
    return {
      commit: (work, what) => this.#count(this.store.commit(work, what)),
      read: (work) => this.#count(this.store.read(work)),
    };
  }

  async clear(): Promise<void> {
    for (const table of WRITTEN) await this.store.db.deleteFrom(table).execute();
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
