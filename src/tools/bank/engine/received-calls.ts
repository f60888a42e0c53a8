/** One call that the bank received, as the control line shows it. */
export interface ReceivedCall {
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly key: string | null;
  /** Null: nothing was answered, or not yet. */
  readonly status: number | null;
}

/** Some megabytes. Of more calls the oldest are forgotten. */
const MAX_CALLS = 10_000;

/** The newest calls, in memory only. */
export class ReceivedCalls {
  #calls: { at: string; method: string; path: string; key: string | null; status: number | null }[] = [];

  /** Notes a call. What is known of it later is set on the returned object. */
  received(call: { at: string; method: string; path: string }): { key: string | null; status: number | null } {
    const noted = { ...call, key: null, status: null };
    this.#calls.push(noted);
    // Cutting at each call would move the whole list each time.
    if (this.#calls.length >= 2 * MAX_CALLS) this.#calls = this.#calls.slice(-MAX_CALLS);
    return noted;
  }

  list(): readonly ReceivedCall[] {
    return this.#calls.slice(-MAX_CALLS);
  }
}
