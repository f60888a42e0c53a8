import type { Clock } from "./clock.ts";

/** Runs work at once and then repeatedly. The interval counts from the end of a round. */
export class Rounds {
  readonly #clock: Clock;
  readonly #intervalMs: number;
  readonly #work: () => Promise<void>;
  #cancelTimer: () => void = () => {};
  #closed = false;
  #round: Promise<void> = Promise.resolve();

  /** `work` must handle its own failures: after a rejection no further round would start. */
  constructor(clock: Clock, intervalMs: number, work: () => Promise<void>) {
    this.#clock = clock;
    this.#intervalMs = intervalMs;
    this.#work = work;
  }

  start(): void {
    this.#round = this.#work().then(() => this.#schedule());
  }

  /** Starts no further round and waits for the running one. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelTimer();
    await this.#round;
  }

  #schedule(): void {
    if (this.#closed) return;
    this.#cancelTimer = this.#clock.after(this.#intervalMs, () => this.start());
  }
}
