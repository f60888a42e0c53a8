import type { Clock } from "../kernel/clock.ts";

/** What was found out is the answer for so long: whoever asks a hundred times a second makes one commit in this time. */
const ANSWER_AGE_MS = 5_000;

/**
 * Whether changes can be committed now, found out by committing one. A commit that somebody made in the meantime says
 * it as well.
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

  /** Rejects with what the commit rejected with. */
  async ask(): Promise<void> {
    const oldestMs = this.#clock.monotonicMs() - ANSWER_AGE_MS;
    if (this.#committedAtMs > oldestMs) return;
    if (this.#asked === undefined || this.#asked.atMs <= oldestMs) {
      const answer = this.#tryToCommit();
      this.#asked = { atMs: this.#clock.monotonicMs(), answer };
    }
    await this.#asked.answer;
  }
}
