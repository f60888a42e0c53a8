import type { Clock } from "../../../kernel/clock.ts";

/** The bank's clock runs ahead of the machine's clock. An option sets the difference, and a control request can increase it. */
export class BankClock {
  readonly #clock: Clock;
  #aheadMs: number;

  constructor(clock: Clock, aheadMs: number) {
    this.#clock = clock;
    this.#aheadMs = aheadMs;
  }

  nowMs(): number {
    return this.#clock.nowMs() + this.#aheadMs;
  }

  advance(byMs: number): void {
    this.#aheadMs += byMs;
  }

  after(delayMs: number, callback: () => void): () => void {
    return this.#clock.after(delayMs, callback);
  }
}
