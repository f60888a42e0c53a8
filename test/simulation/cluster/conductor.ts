import { type Clock, nextTurn } from "../../../src/kernel/clock.ts";
import type { SeededRandom } from "../../../src/tools/seeded-random.ts";

interface Waiting {
  process: string;
  dueMs: number;
  order: number;
  resume: () => void;
}

/** Turns of the event loop after which everything that could go on has gone on. */
const TURNS = 4;

/**
 * Decides which process goes on and what time it is. A process goes on when a timer of its clock is due or the database has answered, and
 * never while it is paused. Its monotonic clock runs on meanwhile, as that of a stopped process does.
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

  /** The clock of a process. No two begin at the same time, and the wall clocks have nothing to do with each other. */
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

  /** The process goes on after the delay, as an answer that takes so long. */
  suspend(process: string, delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      this.#wait(process, delayMs, resolve);
    });
  }

  /** Work of the database itself, which takes no time of the simulation. */
  async atDatabase<T>(work: () => Promise<T>): Promise<T> {
    this.#atDatabase += 1;
    try {
      return await work();
    } finally {
      this.#atDatabase -= 1;
    }
  }

  /** Plays until the time, one step after the other. `between`: called between two steps, while nothing runs. */
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

  /** One of those that are ready first: several are ready at once after a pause. */
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
