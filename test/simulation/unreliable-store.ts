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
 * The database as a process of the server sees it: commits fail, or take their time. A commit that was begun when the
 * process died goes on in the database, and may succeed long after the death.
 */
export class UnreliableStore {
  readonly #store: JournalStore;
  readonly #around: StoreSurroundings;
  #underway = 0;

  constructor(store: JournalStore, around: StoreSurroundings) {
    this.#store = store;
    this.#around = around;
  }

  of(life: Life): JournalStore {
    return {
      commit: (work) => life.pass("commit", () => this.#counted(() => this.#unreliably(() => this.#store.commit(work)))),
      read: (work) => life.pass("read", () => this.#store.read(work)),
    };
  }

  /** Whether a commit is under way, also one of a process that has died. */
  get isCommitting(): boolean {
    return this.#underway > 0;
  }

  async #counted<T>(commit: () => Promise<T>): Promise<T> {
    this.#underway += 1;
    try {
      return await commit();
    } finally {
      this.#underway -= 1;
    }
  }

  /**
   * A commit that fails has done either nothing or everything. A commit that takes its time does its work at the
   * beginning or at the end.
   */
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
