import { nextTurn } from "../../kernel/clock.ts";

/** The number of first frames that are checked at the same time. It keeps the database busy, and other queries wait for few of them. */
const AT_ONCE = 4;

/**
 * The order in which the first frames of unproved connections are read and checked: they begin one in each turn of the event loop. A
 * thousand strangers may send theirs at the same moment, and without this order no other work would run until all of them were read.
 */
export class FirstFrames {
  /** Oldest first. No connection has more than one, so there are no more than connections. */
  readonly #waiting: (() => Promise<void>)[] = [];
  #running = 0;
  /** True when a check has begun in this turn of the event loop. */
  #turning = false;

  /** `check` must not reject. */
  add(check: () => Promise<void>): void {
    this.#waiting.push(check);
    this.#next();
  }

  #next(): void {
    if (this.#turning || this.#running >= AT_ONCE) return;
    const check = this.#waiting.shift();
    if (check === undefined) return;
    this.#turning = true;
    this.#running += 1;
    void nextTurn().then(() => {
      this.#turning = false;
      this.#next();
    });
    void check().then(() => {
      this.#running -= 1;
      this.#next();
    });
  }
}
