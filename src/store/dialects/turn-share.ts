import { type Clock, nextTurn } from "../../kernel/clock.ts";

/** How long statements may follow each other in one turn of the event loop. One more statement begins in another turn. */
const MOST_MS = 8;

/**
 * SQLite answers a statement before the call returns, so statements that follow each other would run in one turn of the event loop, however
 * many they are. This class makes room for the process's other work, such as the sales of other tills.
 */
export class TurnShare {
  readonly #clock: Clock;
  /** When the first statement of the present turn began, on the monotonic clock. */
  #sinceMs: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves when a statement may begin. */
  async begin(): Promise<void> {
    while (this.#sinceMs !== undefined && this.#clock.monotonicMs() - this.#sinceMs > MOST_MS) await nextTurn();
    if (this.#sinceMs !== undefined) return;
    this.#sinceMs = this.#clock.monotonicMs();
    void nextTurn().then(() => {
      this.#sinceMs = undefined;
    });
  }
}
