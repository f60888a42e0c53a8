/** The maximum number of simultaneous requests (json-api 11.2). */
const MAX_PER_CALLER = 5;
const MAX_PER_ACCOUNT = 20;

/** Counts running requests for each caller and for the account. */
export class ParallelLimit {
  readonly #running = new Map<string, number>();
  #all = 0;

  /** Counts the request, even one too many. `leave` must be called after the request. */
  enter(key: string): { readonly tooMany: boolean; leave(): void } {
    const own = (this.#running.get(key) ?? 0) + 1;
    this.#running.set(key, own);
    this.#all += 1;
    return { tooMany: own > MAX_PER_CALLER || this.#all > MAX_PER_ACCOUNT, leave: () => this.#leave(key) };
  }

  #leave(key: string): void {
    const left = (this.#running.get(key) ?? 0) - 1;
    if (left > 0) this.#running.set(key, left);
    else this.#running.delete(key);
    this.#all -= 1;
  }
}
