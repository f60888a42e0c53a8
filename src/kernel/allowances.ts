import type { Clock } from "./clock.ts";

export interface AllowanceLimits {
  /** The largest allowance of a name, in units. A name that is not remembered has this allowance. */
  most: number;
  /** The time in which the allowance grows by one unit. */
  refillMs: number;
  /**
   * The largest number of remembered names. When there are more, the name whose allowance was not changed for longest is forgotten, and its
   * allowance starts again at `most`. Reading an allowance (`has`, `left`) does not change it.
   */
  names: number;
}

interface Allowance {
  left: number;
  /** The monotonic time at which `left` was stored. It is monotonic so that setting the system's clock does not change an allowance. */
  atMs: number;
}

/** Limits how often each name, such as a network or an account, may take a unit. The allowance of a name grows again with time. */
export class Allowances {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #limits: AllowanceLimits;
  readonly #known = new Map<string, Allowance>();

  constructor(clock: Pick<Clock, "monotonicMs">, limits: AllowanceLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Whether at least one unit may be taken now. */
  has(name: string): boolean {
    return this.#left(name) >= 1;
  }

  /** Returns the number of units that may be taken now. */
  left(name: string): number {
    return Math.max(0, Math.floor(this.#left(name)));
  }

  /** Takes one unit. Returns false, and takes nothing, when less than one unit is left. */
  take(name: string): boolean {
    const left = this.#left(name);
    if (left < 1) return false;
    this.#keep(name, left - 1);
    return true;
  }

  /**
   * Takes one unit, in advance if none is left, and returns how many milliseconds the caller must wait for it: 0 when a unit is left.
   * Returns undefined, and takes nothing, when the wait would be longer than `longestMs`.
   */
  takeAhead(name: string, longestMs: number): number | undefined {
    const left = this.#left(name);
    const waitMs = Math.max(0, 1 - left) * this.#limits.refillMs;
    if (waitMs > longestMs) return undefined;
    this.#keep(name, left - 1);
    return waitMs;
  }

  /**
   * Takes one unit even when nothing is left. The allowance may fall to minus `most`, and then needs longer to grow to one unit again.
   */
  charge(name: string): void {
    this.#keep(name, Math.max(this.#left(name) - 1, -this.#limits.most));
  }

  /** Returns a unit that was taken. The allowance does not grow above `most`. */
  giveBack(name: string): void {
    if (this.#known.has(name)) this.#keep(name, this.#left(name) + 1);
  }

  #left(name: string): number {
    const { most, refillMs } = this.#limits;
    const known = this.#known.get(name);
    if (known === undefined) return most;
    return Math.min(most, known.left + (this.#clock.monotonicMs() - known.atMs) / refillMs);
  }

  /**
   * Stores the allowance at the end of the map, so the first name of the map is the one that was stored longest ago. A full allowance is
   * not stored, because a name that is not in the map has a full allowance too.
   */
  #keep(name: string, left: number): void {
    const { most, names } = this.#limits;
    this.#known.delete(name);
    if (left >= most) return;
    this.#known.set(name, { left, atMs: this.#clock.monotonicMs() });
    const [quietest] = this.#known.keys();
    if (this.#known.size > names && quietest !== undefined) this.#known.delete(quietest);
  }
}
