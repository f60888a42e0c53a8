import type { Clock } from "../kernel/clock.ts";

/** How many values may be computed at once, and the time until the next one. */
const AT_ONCE = 20;
const EVERY_MS = 250;

/**
 * A value that is costly to compute and that anybody may request. Callers that request it during a computation share the
 * result. A caller that requests it too often gets the last result. A monitor that requests it once a second always gets a
 * new one.
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
