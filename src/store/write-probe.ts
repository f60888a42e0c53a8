import type { Clock } from "../kernel/clock.ts";

/** How long an answer stays valid. However often a caller asks, this bounds the trial commits. */
const ANSWER_AGE_MS = 5_000;

/**
 * Tests with a commit whether changes can be committed. A successful commit of other work counts too. A failed commit cancels all earlier
 * successes.
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

  committed(): void {
    this.#committedAtMs = this.#clock.monotonicMs();
  }

  /** Call this after a failed commit: the next question makes a new trial commit. */
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
    // A failed trial calls `failed`, which removes this answer. The failure is an answer too, so the answer is put back.
    trial.answer.catch(() => {
      this.#trial ??= trial;
    });
  }
}
