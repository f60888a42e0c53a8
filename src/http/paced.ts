import type { Clock } from "../kernel/clock.ts";

/** Questions that are answered anew one after the other, and how soon another may follow then. */
const AT_ONCE = 20;
const EVERY_MS = 250;

/**
 * A value that costs something to find out, asked for by anybody: who asks while it is being found out shares the result, and who
 * asks too often gets the last one. A machine that looks every second always gets a new one.
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
