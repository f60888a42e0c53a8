import type { Clock } from "./clock.ts";

export interface AllowanceLimits {
  /** How much anybody may take at once. */
  most: number;
  /** After so long one more may be taken. */
  refillMs: number;
  /** Names that are remembered: of more, those that have taken nothing for longest are forgotten, and may take all again. */
  names: number;
}

interface Allowance {
  left: number;
  /** On the monotonic clock: no clock that is set gives anybody more. */
  atMs: number;
}

/** How much each of many may still take of something that grows again with time. */
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

  /** False when nothing is left; then nothing is taken. */
  take(name: string): boolean {
    const left = this.#left(name);
    if (left < 1) return false;
    this.#keep(name, left - 1);
    return true;
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

  /** Behind all others, so that the first name is the one that has been quiet for longest. */
  #keep(name: string, left: number): void {
    const { most, names } = this.#limits;
    this.#known.delete(name);
    if (left >= most) return;
    this.#known.set(name, { left, atMs: this.#clock.monotonicMs() });
    const [quietest] = this.#known.keys();
    if (this.#known.size > names && quietest !== undefined) this.#known.delete(quietest);
  }
}
