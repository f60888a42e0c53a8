import type { Clock } from "./clock.ts";

export interface AllowanceLimits {
  /** How many may be taken at once. */
  most: number;
  /** Time after which one more may be taken. */
  refillMs: number;
  /**
   * Names that are remembered. Beyond this number the name that was quiet for longest is forgotten, and may then take
   * `most` again.
   */
  names: number;
}

interface Allowance {
  left: number;
  /** On the monotonic clock, so that setting the clock gives nobody more. */
  atMs: number;
}

/** Bounds how often each name may take something. What was taken grows back with time. */
export class Allowances {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #limits: AllowanceLimits;
  readonly #known = new Map<string, Allowance>();

  constructor(clock: Pick<Clock, "monotonicMs">, limits: AllowanceLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  has(name: string): boolean {
    return this.#left(name) >= 1;
  }

  /** False when nothing is left. Then nothing is taken. */
  take(name: string): boolean {
    const left = this.#left(name);
    if (left < 1) return false;
    this.#keep(name, left - 1);
    return true;
  }

  /**
   * Takes one that may be used after the time returned, in milliseconds: takers get their turns in the order in which they came.
   * Undefined: it would take longer than `longestMs`, and nothing is taken.
   */
  takeAhead(name: string, longestMs: number): number | undefined {
    const left = this.#left(name);
    const waitMs = Math.max(0, 1 - left) * this.#limits.refillMs;
    if (waitMs > longestMs) return undefined;
    this.#keep(name, left - 1);
    return waitMs;
  }

  /** Takes one whatever is left, down to a debt of `most`: those who can wait then wait for longer. */
  charge(name: string): void {
    this.#keep(name, Math.max(this.#left(name) - 1, -this.#limits.most));
  }

  giveBack(name: string): void {
    if (this.#known.has(name)) this.#keep(name, this.#left(name) + 1);
  }

  #left(name: string): number {
    const { most, refillMs } = this.#limits;
    const known = this.#known.get(name);
    if (known === undefined) return most;
    return Math.min(most, known.left + (this.#clock.monotonicMs() - known.atMs) / refillMs);
  }

  /** Moves the name to the end, so that the first name is the one that was quiet for longest. */
  #keep(name: string, left: number): void {
    const { most, names } = this.#limits;
    this.#known.delete(name);
    if (left >= most) return;
    this.#known.set(name, { left, atMs: this.#clock.monotonicMs() });
    const [quietest] = this.#known.keys();
    if (this.#known.size > names && quietest !== undefined) this.#known.delete(quietest);
  }
}
