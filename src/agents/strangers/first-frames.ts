import { nextTurn } from "../../kernel/clock.ts";

/** The maximum number of running checks. Four checks keep the database busy, and another query waits only for their queries. */
const AT_ONCE = 4;

/**
 * The order in which the first frames of unproved connections are read and checked. At most one check begins in a turn of the event loop.
 * A thousand strangers may send first frames at the same moment. Without this order no other work would run until all frames were read.
 */
export class FirstFrames {
  /** Checks that have not begun, oldest first. Each connection has at most one, so the limit of connections also limits this list. */
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
