import type { Entry } from "./entry.ts";

/** The number of entries that are remembered. An outcome is repeated at once or never, so few outcomes lie between. */
const MAX_REMEMBERED = 1_000;

/**
 * Tells a listener of entries that have become done. An outcome is committed again when the first commit seemed to fail,
 * and the journal cannot know whether the first call told of it. So what was told of lately is remembered.
 */
export class DoneNotices {
  readonly #listener: (entry: Entry) => void;
  readonly #told = new Set<string>();

  constructor(listener: (entry: Entry) => void = () => {}) {
    this.#listener = listener;
  }

  /** Tells of the entry's attempt, unless it was told of lately. */
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
