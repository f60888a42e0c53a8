/** What is under way for a key. */
interface Running<Result, Subject> {
  /** What it was begun for, by which somebody who asks meanwhile tells whether it is the same. */
  subject: Subject;
  /** Settles once the key is free again. */
  result: Promise<Result>;
}

/**
 * One piece of work at a time for each key: whoever asks while it goes on gets its result and begins nothing. How many keys are
 * under way is bounded by those who ask: requests by what the server lets in, work in the background by a limit that its owner
 * holds against `size`.
 */
export class PerKeyWork<Result, Subject = undefined> {
  readonly #running = new Map<string, Running<Result, Subject>>();

  /** Keys that are under way. */
  get size(): number {
    return this.#running.size;
  }

  has(key: string): boolean {
    return this.#running.has(key);
  }

  /** What is under way for the key, else the work, begun now. */
  join(key: string, subject: Subject, work: () => Promise<Result>): Running<Result, Subject> {
    const earlier = this.#running.get(key);
    if (earlier !== undefined) return earlier;
    const running = { subject, result: work().finally(() => this.#running.delete(key)) };
    this.#running.set(key, running);
    return running;
  }

  /** Waits for all that is under way now. Rejects with the first that fails. */
  async idle(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ result }) => result));
  }
}
