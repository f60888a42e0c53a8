import { nextTurn } from "../../kernel/clock.ts";

/**
 * The maximum number of checks that run at the same time. Four checks keep the database busy. A query of other work then waits only for the
 * queries of these checks.
 */
const AT_ONCE = 4;

/**
 * The queue in which the first frames of strangers wait to be read and checked. A stranger is a connection whose agent has not proved its
 * key. At most one check begins in a turn of the event loop. A thousand strangers may send first frames at the same moment. Without this
 * queue no other work would run until all these frames were read.
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
