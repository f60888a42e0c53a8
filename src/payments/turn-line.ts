/**
 * Runs a limited number of works at once, in the order in which they came. If all works of a burst ran at once, every
 * answer would be as late as the last one. In a line the first work is answered first. The callers bound how many works
 * wait.
 */
export class TurnLine {
  readonly #atOnce: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /** Does the work in its turn. Rejects as the work does. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#atOnce) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running += 1;
    try {
      return await work();
    } finally {
      // The place goes to the next work in the line. When no work waits, the place becomes free.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}
