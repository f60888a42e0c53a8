import { nextTurn } from "../clock.ts";

/**
 * Work that may be done in steps. Each `yield` gives the amount of work since the previous `yield`, in units. A unit takes about a tenth of
 * a microsecond when V8 has compiled the code, and ten times as long when the code runs for the first time.
 */
export type Stepped<Result> = Generator<number, Result, undefined>;

/** A step ends at the first `yield` after this many units. Other work runs between two steps. */
const UNITS_A_STEP = 10_000;

interface Waiting {
  /** Returns true at the end of the work. */
  step(): boolean;
}

/** Does all the work without a pause. */
export function doneAtOnce<Result>(work: Stepped<Result>): Result {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

/**
 * Does one step of one waiting piece of work, lets the process do its other work, then does one step of the next waiting piece. So other
 * work runs after each step, however many pieces wait.
 */
export class StepByStep {
  readonly #waiting: Waiting[] = [];
  #running = false;

  /** Queues the work. Resolves with the work's result, or rejects with its error. */
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
