import type { Clock } from "../kernel/clock.ts";

/** How long an answer stays valid. So even a caller that asks a hundred times a second causes only one commit in this time. */
const ANSWER_AGE_MS = 5_000;

/**
 * Finds out whether changes can be committed, by making a commit. A successful commit of other work counts too. After a failed commit no
 * earlier success counts.
 */
export class WriteProbe {
  readonly #clock: Clock;
  readonly #tryToCommit: () => Promise<void>;
  #committedAtMs = Number.NEGATIVE_INFINITY;
  #trial: { atMs: number; answer: Promise<void> } | undefined;

  constructor(clock: Clock, tryToCommit: () => Promise<void>) {
    this.#clock = clock;
    this.#tryToCommit = tryToCommit;
  }

  /** Call this after a successful commit. */
  committed(): void {
    this.#committedAtMs = this.#clock.monotonicMs();
  }

  /** Call this after the database has refused a commit: the next question makes a new trial commit. */
  failed(): void {
    this.#committedAtMs = Number.NEGATIVE_INFINITY;
    this.#trial = undefined;
  }

  /** Rejects with the error of the trial commit. */
  async ask(): Promise<void> {
    const oldestMs = this.#clock.monotonicMs() - ANSWER_AGE_MS;
    if (this.#committedAtMs > oldestMs) return;
    if (this.#trial === undefined || this.#trial.atMs <= oldestMs) this.#try();
    await this.#trial?.answer;
  }

  #try(): void {
    const trial = { atMs: this.#clock.monotonicMs(), answer: this.#tryToCommit() };
    this.#trial = trial;
    // The failed trial commit has removed this answer through `failed`. Its failure is an answer too and is kept like any other.
    trial.answer.catch(() => {
      this.#trial ??= trial;
    });
  }
}
