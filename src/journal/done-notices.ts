import type { Entry } from "./entry.ts";

/**
 * The number of entries that are remembered. A commit that seemed to fail is repeated at once or never, so few other outcomes are committed
 * between the two commits.
 */
const MAX_REMEMBERED = 1_000;

/**
 * Calls a listener for entries that have become done. When the commit of an outcome seemed to fail, the outcome is committed again. The
 * journal cannot know whether it called the listener after the first commit. So the latest calls are remembered.
 */
export class DoneNotices {
  readonly #listener: (entry: Entry) => void;
  readonly #told = new Set<string>();

  constructor(listener: (entry: Entry) => void = () => {}) {
    this.#listener = listener;
  }

  /** Calls the listener for the entry's attempt, unless this is one of the latest calls. */
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
