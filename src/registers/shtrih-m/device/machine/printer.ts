import type { Clock } from "../../../../kernel/clock.ts";

/** The submodes of this printer (shtrih-protocol 7.2). */
type Submode = 0 | 1 | 2 | 3 | 5;

/**
 * The print mechanism. Submodes: idle (0), idle without paper (1), stopped inside a document without paper (2), paper is back and B0h is
 * awaited (3), printing (5).
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

  /** Whether a document is printing or half printed. */
  get isBusy(): boolean {
    return this.submode !== 0 && this.submode !== 1;
  }

  print(forMs: number): void {
    if (!this.hasPaper) this.#stopped = true;
    else this.#busyUntilMs = Math.max(this.#busyUntilMs, this.#clock.monotonicMs() + forMs);
  }

  setPaper(present: boolean): void {
    this.#roll = present;
    // Without paper, a document that is printing stops immediately.
    if (!present && this.#clock.monotonicMs() < this.#busyUntilMs) this.#stopped = true;
  }

  /** Ends the paper. `halfPrinted`: the document stops in the middle. */
  runOut(halfPrinted: boolean): void {
    this.setPaper(false);
    if (halfPrinted) this.#stopped = true;
  }

  /** B0h: continues printing. False: no document waits for B0h, or the paper is not back. */
  resume(forMs: number): boolean {
    if (this.submode !== 3) return false;
    this.#stopped = false;
    this.#busyUntilMs = this.#clock.monotonicMs() + forMs;
    return true;
  }

  /** Drops the document that is printing, because a power cut loses its rest. The host may then request a copy. */
  reset(): void {
    this.#stopped = false;
    this.#busyUntilMs = 0;
  }
}
