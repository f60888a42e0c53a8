import type { BankClock } from "./bank-clock.ts";
import type { Ledger } from "./ledger.ts";

/** A Node timer with too long a delay fires immediately, so a long wait is split into waits of at most this length. */
const LONGEST_WAIT_MS = 86_400_000;

/** Wakes the bank at the moment of the next due event. */
export class Agenda {
  readonly #clock: BankClock;
  readonly #ledger: Ledger;
  readonly #wake: () => void;
  #disarm: (() => void) | undefined;
  #closed = false;

  constructor(parts: { clock: BankClock; ledger: Ledger; wake: () => void }) {
    this.#clock = parts.clock;
    this.#ledger = parts.ledger;
    this.#wake = parts.wake;
  }

  /** Call it after every change of the ledger or the clock, and after every wake. */
  arm(): void {
    this.#disarm?.();
    this.#disarm = undefined;
    const { nextDueMs } = this.#ledger;
    if (this.#closed || nextDueMs === Number.POSITIVE_INFINITY) return;
    const delayMs = Math.min(Math.max(nextDueMs - this.#clock.nowMs(), 0), LONGEST_WAIT_MS);
    this.#disarm = this.#clock.after(delayMs, this.#wake);
  }

  close(): void {
    this.#closed = true;
    this.#disarm?.();
  }
}
