import type { Clock } from "../kernel/clock.ts";

/** The maximum number of values computed in one burst, and the time between two computations afterwards. */
const AT_ONCE = 20;
const EVERY_MS = 250;

/**
 * Computes an expensive value that anybody may request. Requests during a computation share its result or its failure. A request that comes
 * too soon gets the last result or failure. A monitor that asks once a second, and is the only caller, gets a new value each time.
 */
export class Paced<T> {
  readonly #clock: Clock;
  readonly #find: () => Promise<T>;
  #running: Promise<T> | undefined;
  #last: Promise<T> | undefined;
  #dueMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, find: () => Promise<T>) {
    this.#clock = clock;
    this.#find = find;
  }

  get(): Promise<T> {
    if (this.#running !== undefined) return this.#running;
    const nowMs = this.#clock.monotonicMs();
    const dueMs = Math.max(this.#dueMs, nowMs - AT_ONCE * EVERY_MS) + EVERY_MS;
    if (dueMs > nowMs && this.#last !== undefined) return this.#last;
    this.#dueMs = dueMs;
    const running = this.#find();
    this.#running = running;
    this.#last = running;
    const over = () => {
      if (this.#running === running) this.#running = undefined;
    };
    running.then(over, over);
    return running;
  }
}
