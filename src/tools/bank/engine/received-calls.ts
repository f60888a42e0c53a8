export interface ReceivedCall {
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly key: string | null;
  /** Null: no answer so far, or none at all, because the connection was cut. */
  readonly status: number | null;
}

/** This many calls use some megabytes of memory. Older calls are dropped. */
const MAX_CALLS = 10_000;

/** The newest calls, in memory only. */
export class ReceivedCalls {
  #calls: { at: string; method: string; path: string; key: string | null; status: number | null }[] = [];

  /** Records a call. The caller later sets key and status on the returned object. */
  received(call: { at: string; method: string; path: string }): { key: string | null; status: number | null } {
    const noted = { ...call, key: null, status: null };
    this.#calls.push(noted);
    // The list is cut only at twice the limit, because each cut copies the whole list.
    if (this.#calls.length >= 2 * MAX_CALLS) this.#calls = this.#calls.slice(-MAX_CALLS);
    return noted;
  }

  list(): readonly ReceivedCall[] {
    return this.#calls.slice(-MAX_CALLS);
  }
}
