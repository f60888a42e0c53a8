/**
 * Runs a limited number of jobs at the same time, in order of arrival. If all jobs of a burst ran together, every answer would be as late
 * as the last answer. The number of waiting jobs is not limited here.
 */
export class TurnLine {
  readonly #atOnce: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /** Does the work as soon as a place is free. Rejects as the work does. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#atOnce) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running += 1;
    try {
      return await work();
    } finally {
      // The place goes to the next waiting work, or becomes free.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}
