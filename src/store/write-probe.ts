import type { Clock } from "../kernel/clock.ts";

/** What was found out is the answer for so long: whoever asks a hundred times a second makes one commit in this time. */
const ANSWER_AGE_MS = 5_000;

/**
 * Whether changes can be committed now, found out by committing one. A commit that somebody made in the meantime says
 * it as well; after one that failed nothing older counts.
 */
export class WriteProbe {
  readonly #clock: Clock;
  readonly #tryToCommit: () => Promise<void>;
  #committedAtMs = Number.NEGATIVE_INFINITY;
  #asked: { atMs: number; answer: Promise<void> } | undefined;

  constructor(clock: Clock, tryToCommit: () => Promise<void>) {
    this.#clock = clock;
    this.#tryToCommit = tryToCommit;
  }

  /** Something was committed just now. */
  committed(): void {
    this.#committedAtMs = this.#clock.monotonicMs();
  }

  /** The database has just refused a commit: whoever asks next has it tried anew. */
  failed(): void {
    this.#committedAtMs = Number.NEGATIVE_INFINITY;
    this.#asked = undefined;
  }

  /** Rejects with what the commit rejected with. */
  async ask(): Promise<void> {
    const oldestMs = this.#clock.monotonicMs() - ANSWER_AGE_MS;
    if (this.#committedAtMs > oldestMs) return;
    if (this.#asked === undefined || this.#asked.atMs <= oldestMs) this.#try();
    await this.#asked?.answer;
  }

  #try(): void {
    const asked = { atMs: this.#clock.monotonicMs(), answer: this.#tryToCommit() };
    this.#asked = asked;
    // The failure of this very commit is its answer, and is kept like any other.
    asked.answer.catch(() => {
      this.#asked ??= asked;
    });
  }
}
