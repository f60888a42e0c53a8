/** The work that runs for a key. */
interface Running<Result, Subject> {
  /** What the work was begun for. A later caller compares it with its own subject. */
  subject: Subject;
  /** Settles when the key is free again. */
  result: Promise<Result>;
}

/**
 * One piece of work at a time for each key. A caller that comes while it runs gets its result and starts nothing. The
 * callers bound the number of running keys: the server admits a limited number of requests, and an owner of background
 * work compares `size` with its limit.
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

  /** The running work of the key, else the given work, started now. */
  join(key: string, subject: Subject, work: () => Promise<Result>): Running<Result, Subject> {
    const earlier = this.#running.get(key);
    if (earlier !== undefined) return earlier;
    const running = { subject, result: work().finally(() => this.#running.delete(key)) };
    this.#running.set(key, running);
    return running;
  }

  /** Waits for all work that runs now. Rejects with the first failure. */
  async idle(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ result }) => result));
  }
}
