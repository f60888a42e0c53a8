/** The work that runs for a key. */
interface Running<Result, Subject> {
  /** The data for which the work was started. A later caller compares it with its own data. */
  subject: Subject;
  /** Settles when the key is free again. */
  result: Promise<Result>;
}

/**
 * Runs one piece of work at a time for each key. A caller that comes meanwhile gets the result of the running work and starts nothing. The
 * number of keys is not limited here: the server accepts a limited number of requests, and an owner of background work compares `size` with
 * its own limit.
 */
export class PerKeyWork<Result, Subject = undefined> {
  readonly #running = new Map<string, Running<Result, Subject>>();

  /** Number of keys with running work. */
  get size(): number {
    return this.#running.size;
  }

  has(key: string): boolean {
    return this.#running.has(key);
  }

  /** Returns the running work of the key. If there is none, starts the given work and returns it. */
  join(key: string, subject: Subject, work: () => Promise<Result>): Running<Result, Subject> {
    const earlier = this.#running.get(key);
    if (earlier !== undefined) return earlier;
    const running = { subject, result: work().finally(() => this.#running.delete(key)) };
    this.#running.set(key, running);
    return running;
  }

  /** Waits for all work that runs now. Rejects with the first failure, without waiting for the other work. */
  async idle(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ result }) => result));
  }
}
