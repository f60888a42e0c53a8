import { type Clock, nextTurn } from "../../../src/kernel/clock.ts";
import type { SeededRandom } from "../../../src/tools/seeded-random.ts";

interface Waiting {
  process: string;
  dueMs: number;
  order: number;
  resume: () => void;
}

/** After so many turns of the event loop, all work that needed no time is done. */
const TURNS = 4;

/**
 * Decides which process goes on and what time it is. A process goes on when a timer of its clock is due or the database has answered, but
 * not while it is paused. Its monotonic clock runs on during a pause, as that of a stopped process does.
 */
export class Conductor {
  readonly #random: SeededRandom;
  readonly #waiting = new Set<Waiting>();
  readonly #pausedUntilMs = new Map<string, number>();
  #nowMs = 0;
  #order = 0;
  #atDatabase = 0;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  /** The clock of a process. Each process begins at another monotonic time, and the wall clocks are not related to each other. */
  clockOf(process: string): Clock {
    const offsetMs = this.#random.below(1_000_000_000);
    return {
      nowMs: () => offsetMs * 1_000 + Math.floor(this.#nowMs),
      monotonicMs: () => offsetMs + this.#nowMs,
      after: (delayMs, callback) => this.#wait(process, delayMs, callback),
    };
  }

  pause(process: string, forMs: number): void {
    this.#pausedUntilMs.set(process, this.#nowMs + forMs);
  }

  /** Lets the process go on after the delay, as if an answer had taken so long. */
  suspend(process: string, delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      this.#wait(process, delayMs, resolve);
    });
  }

  /** Does work of the database itself. It takes no time of the simulation. */
  async atDatabase<T>(work: () => Promise<T>): Promise<T> {
    this.#atDatabase += 1;
    try {
      return await work();
    } finally {
      this.#atDatabase -= 1;
    }
  }

  /** Plays until the time, step by step. `between` is called between two steps, while no process runs. */
  async playUntil(untilMs: number, between: () => Promise<void>): Promise<void> {
    for (;;) {
      await this.#settle();
      await between();
      const next = this.#next(untilMs);
      if (next === undefined) break;
      this.#waiting.delete(next);
      this.#nowMs = Math.max(this.#nowMs, this.#readyMs(next));
      next.resume();
    }
    this.#nowMs = untilMs;
  }

  #wait(process: string, delayMs: number, resume: () => void): () => void {
    const waiting = { process, dueMs: this.#nowMs + delayMs, order: this.#order, resume };
    this.#order += 1;
    this.#waiting.add(waiting);
    return () => void this.#waiting.delete(waiting);
  }

  /** Chooses one of the processes that are ready first. After a pause several are ready at once. */
  #next(untilMs: number): Waiting | undefined {
    const ready = [...this.#waiting].filter((one) => this.#readyMs(one) <= untilMs);
    const firstMs = Math.max(this.#nowMs, Math.min(...ready.map((one) => this.#readyMs(one))));
    const first = ready.filter((one) => this.#readyMs(one) <= firstMs).toSorted((a, b) => a.order - b.order);
    return first[this.#random.below(first.length)];
  }

  #readyMs({ process, dueMs }: Waiting): number {
    return Math.max(dueMs, this.#pausedUntilMs.get(process) ?? 0);
  }

  async #settle(): Promise<void> {
    do for (let turn = 0; turn < TURNS; turn += 1) await nextTurn();
    while (this.#atDatabase > 0);
  }
}
