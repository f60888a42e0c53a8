import type { Clock } from "../../../../kernel/clock.ts";

/** Submodes of chapter 7.2 that this printer has. */
type Submode = 0 | 1 | 2 | 3 | 5;

/**
 * The print mechanism. Its submodes: idle (0), idle without paper (1), printing (5), stopped in the middle because the paper
 * ended (2), paper is back and B0h is awaited (3).
 */
export class Printer {
  readonly #clock: Clock;
  /** Whether the virtual device has paper. Its faults may remove the paper. */
  readonly #fed: () => boolean;
  #roll = true;
  #busyUntilMs = 0;
  #stopped = false;

  constructor(clock: Clock, fed: () => boolean) {
    this.#clock = clock;
    this.#fed = fed;
  }

  get hasPaper(): boolean {
    return this.#roll && this.#fed();
  }

  get submode(): Submode {
    const printing = this.#clock.monotonicMs() < this.#busyUntilMs;
    if (printing && !this.hasPaper) this.#stopped = true;
    if (this.#stopped) return this.hasPaper ? 3 : 2;
    if (printing) return 5;
    return this.hasPaper ? 0 : 1;
  }

  /** Whether a document is being printed, or is half printed. */
  get isBusy(): boolean {
    return this.submode !== 0 && this.submode !== 1;
  }

  print(forMs: number): void {
    if (!this.hasPaper) this.#stopped = true;
    else this.#busyUntilMs = Math.max(this.#busyUntilMs, this.#clock.monotonicMs() + forMs);
  }

  /** Removes the paper or puts it in. Without paper a running document stops. */
  setPaper(present: boolean): void {
    this.#roll = present;
    // A running mechanism stops at once when its paper is removed.
    if (!present && this.#clock.monotonicMs() < this.#busyUntilMs) this.#stopped = true;
  }

  /** Makes the paper run out. A half-printed document stops in the middle. */
  runOut(halfPrinted: boolean): void {
    this.setPaper(false);
    if (halfPrinted) this.#stopped = true;
  }

  /** B0h: continues printing. Returns false when no document waits for B0h. */
  resume(forMs: number): boolean {
    if (this.submode !== 3) return false;
    this.#stopped = false;
    this.#busyUntilMs = this.#clock.monotonicMs() + forMs;
    return true;
  }

  /** Drops the running document: after a power cut the rest is not printed. The host may request a copy. */
  reset(): void {
    this.#stopped = false;
    this.#busyUntilMs = 0;
  }
}
