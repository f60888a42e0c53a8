import type { JournalStore } from "../../src/journal/journal.ts";
import { type Clock, pause } from "../../src/kernel/clock.ts";
import { Failure } from "../../src/kernel/failure.ts";
import type { Life } from "./life.ts";
import type { SeededChance } from "./seeded-chance.ts";
import { LONGEST_STALL_MS, type Troubles } from "./troubles.ts";

export interface StoreSurroundings {
  clock: Clock;
  chance: SeededChance;
  troubles(): Troubles;
}

/**
 * The database as a process of the server has it: commits fail, or take their time. What a process had
 * committed when it died goes on in the database, and may land when the process is long gone.
 */
export class UnreliableStore {
  readonly #store: JournalStore;
  readonly #around: StoreSurroundings;

  constructor(store: JournalStore, around: StoreSurroundings) {
    this.#store = store;
    this.#around = around;
  }

  of(life: Life): JournalStore {
    return {
      commit: (work) => life.pass("commit", () => this.#unreliably(() => this.#store.commit(work))),
      read: (work) => life.pass("read", () => this.#store.read(work)),
    };
  }

  /** A commit that fails did nothing, or did all of it and could not say so; one that stalls does it first or last. */
  async #unreliably<T>(commit: () => Promise<T>): Promise<T> {
    const { clock, chance, troubles } = this.#around;
    const { commitFailure, commitStall } = troubles();
    if (chance.happens(commitStall)) {
      const [stallMs, first] = [chance.below(LONGEST_STALL_MS), chance.happens(0.5)];
      if (!first) await pause(clock, stallMs);
      const committed = await commit();
      if (first) await pause(clock, stallMs);
      return committed;
    }
    if (!chance.happens(commitFailure)) return commit();
    const happened = chance.happens(0.5);
    if (happened) await commit();
    throw new Failure("database-failed", "dependency", "the disk is full", { retrySafe: !happened });
  }
}
