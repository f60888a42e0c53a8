import type { Clock } from "./clock.ts";

export interface AllowanceLimits {
  /** The largest number of units that a name may take at once, without waiting. */
  most: number;
  /** The time in which the allowance grows by one unit. */
  refillMs: number;
  /**
   * The largest number of remembered names. When there are more, the name that was not used for longest is forgotten, and its allowance
   * starts again at `most`.
   */
  names: number;
}

interface Allowance {
  left: number;
  /** The monotonic time of `left`. Setting the system's clock does not change an allowance. */
  atMs: number;
}

/** Limits how often each name may take something. The allowance of a name grows again with time. */
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

  /** Returns the number of units that may be taken now. */
  left(name: string): number {
    return Math.max(0, Math.floor(this.#left(name)));
  }

  /** Returns false, and takes nothing, when nothing is left. */
  take(name: string): boolean {
    const left = this.#left(name);
    if (left < 1) return false;
    this.#keep(name, left - 1);
    return true;
  }

  /**
   * Takes one unit of the allowance in advance and returns the milliseconds to wait for it. Callers thus get their turns in the order of
   * their calls. Undefined, and nothing is taken, when the wait would be longer than `longestMs`.
   */
  takeAhead(name: string, longestMs: number): number | undefined {
    const left = this.#left(name);
    const waitMs = Math.max(0, 1 - left) * this.#limits.refillMs;
    if (waitMs > longestMs) return undefined;
    this.#keep(name, left - 1);
    return waitMs;
  }

  /**
   * Takes one unit of the allowance even when nothing is left. The allowance may fall to minus `most`. Later callers of `takeAhead` then
   * wait longer.
   */
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

  /** Stores the allowance and moves the name to the end of the map. The first name of the map is the least recently used. */
  #keep(name: string, left: number): void {
    const { most, names } = this.#limits;
    this.#known.delete(name);
    if (left >= most) return;
    this.#known.set(name, { left, atMs: this.#clock.monotonicMs() });
    const [quietest] = this.#known.keys();
    if (this.#known.size > names && quietest !== undefined) this.#known.delete(quietest);
  }
}
