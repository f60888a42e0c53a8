import type { Entry } from "./entry.ts";

/** The number of remembered calls of the listener. Few are needed: a commit that seemed to fail is repeated immediately or never. */
const MAX_REMEMBERED = 1_000;

/**
 * Calls a listener for entries that became done. When the commit of an outcome seemed to fail, the outcome is committed again. The latest
 * calls are remembered, so the listener is not called twice.
 */
export class DoneNotices {
  readonly #listener: (entry: Entry) => void;
  readonly #told = new Set<string>();

  constructor(listener: (entry: Entry) => void = () => {}) {
    this.#listener = listener;
  }

  /** Calls the listener for the entry's attempt, unless a remembered call did. */
  tell(entry: Entry): void {
    const attempt = `${entry.id}/${entry.attempt}`;
    if (this.#told.has(attempt)) return;
    this.#told.add(attempt);
    for (const oldest of this.#told) {
      if (this.#told.size <= MAX_REMEMBERED) break;
      this.#told.delete(oldest);
    }
    this.#listener(entry);
  }
}
