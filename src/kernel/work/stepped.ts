import { nextTurn } from "../clock.ts";

/**
 * Work that may be done in steps. Each `yield` says how much was done since the previous one, in units that take about a tenth of a
 * microsecond once their code is compiled. Code that runs for the first time takes ten times as long.
 */
export type Stepped<Result> = Generator<number, Result, undefined>;

/** The units of one step. Other work runs between two steps. */
const UNITS_A_STEP = 10_000;

interface Waiting {
  /** Returns true at the end of the work. */
  step(): boolean;
}

/** Does the work at once. */
export function doneAtOnce<Result>(work: Stepped<Result>): Result {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

/** Does one step of work in each turn of the event loop, in turn for all who wait. So the waiting work together delays others by one step. */
export class StepByStep {
  readonly #waiting: Waiting[] = [];
  #running = false;

  do<Result>(work: Stepped<Result>): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const step = () => {
      try {
        for (let units = 0; units < UNITS_A_STEP; ) {
          const { done, value } = work.next();
          if (done === true) {
            resolve(value);
            return true;
          }
          units += value;
        }
        return false;
      } catch (error) {
        reject(error);
        return true;
      }
    };
    this.#waiting.push({ step });
    if (!this.#running) void this.#run();
    return promise;
  }

  async #run(): Promise<void> {
    this.#running = true;
    for (let first = this.#waiting.shift(); first !== undefined; first = this.#waiting.shift()) {
      await nextTurn();
      if (!first.step()) this.#waiting.push(first);
    }
    this.#running = false;
  }
}
