interface Running<Result, Subject> {
  /** The data with which the work was started. A later caller compares these data with its own data. */
  subject: Subject;
  /** Settles when the key is free again. */
  result: Promise<Result>;
}

/**
 * Runs one piece of work at a time for each key. A caller that comes while the work runs gets the result of this work. The code that uses
 * the class limits the number of keys: by the number of accepted requests, or by comparing `size` with its own limit.
 */
export class PerKeyWork<Result, Subject = undefined> {
  readonly #running = new Map<string, Running<Result, Subject>>();

  get size(): number {
    return this.#running.size;
  }

  has(key: string): boolean {
    return this.#running.has(key);
  }

  /** Returns the running work of the key, or starts the given work. */
  join(key: string, subject: Subject, work: () => Promise<Result>): Running<Result, Subject> {
    const earlier = this.#running.get(key);
    if (earlier !== undefined) return earlier;
    const running = { subject, result: work().finally(() => this.#running.delete(key)) };
    this.#running.set(key, running);
    return running;
  }

  /** Waits for all work that is running at the call. Rejects with the first failure, without waiting for the rest. */
  async idle(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ result }) => result));
  }
}
