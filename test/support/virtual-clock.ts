import { type Clock, nextTurn } from "../../src/kernel/clock.ts";

interface Timer {
  dueMs: number;
  order: number;
  callback: () => void;
}

/** A clock that stands still until it is moved, for tests, the simulation and the benchmark. */
export class VirtualClock implements Clock {
  #nowMs: number;
  #elapsedMs = 0;
  #order = 0;
  readonly #timers = new Set<Timer>();

  constructor(startMs: number) {
    this.#nowMs = startMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  monotonicMs(): number {
    return this.#elapsedMs;
  }

  after(delayMs: number, callback: () => void): () => void {
    const timer = { dueMs: this.#elapsedMs + delayMs, order: this.#order++, callback };
    this.#timers.add(timer);
    return () => {
      this.#timers.delete(timer);
    };
  }

  /** Moves time on. Timers fire in the order in which they are due, and promises settle between them. */
  async advance(byMs: number): Promise<void> {
    const untilMs = this.#elapsedMs + byMs;
    for (;;) {
      await nextTurn();
      const next = this.#earliest(untilMs);
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#step(next.dueMs);
      next.callback();
    }
    this.#step(untilMs);
    await nextTurn();
  }

  /** Sets the wall clock as a person at the machine would. Durations do not change. */
  jumpTo(nowMs: number): void {
    this.#nowMs = nowMs;
  }

  #step(elapsedMs: number): void {
    this.#nowMs += elapsedMs - this.#elapsedMs;
    this.#elapsedMs = elapsedMs;
  }

  #earliest(untilMs: number): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.dueMs > untilMs) continue;
      if (first === undefined || timer.dueMs < first.dueMs || (timer.dueMs === first.dueMs && timer.order < first.order)) {
        first = timer;
      }
    }
    return first;
  }
}
