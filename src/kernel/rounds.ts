import type { Clock } from "./clock.ts";

/** Work that is done at once and then again and again, each round an interval after the last one ended. */
export class Rounds {
  readonly #clock: Clock;
  readonly #intervalMs: number;
  readonly #work: () => Promise<void>;
  #cancelTimer: () => void = () => {};
  #closed = false;
  #round: Promise<void> = Promise.resolve();

  /** The work keeps its own failures: a round that rejects would be the last. */
  constructor(clock: Clock, intervalMs: number, work: () => Promise<void>) {
    this.#clock = clock;
    this.#intervalMs = intervalMs;
    this.#work = work;
  }

  start(): void {
    this.#round = this.#work().then(() => this.#schedule());
  }

  /** Begins no further round and waits for the one that runs. */
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
