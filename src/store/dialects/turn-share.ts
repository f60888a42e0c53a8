import { type Clock, nextTurn } from "../../kernel/clock.ts";

/**
 * How long statements may take in one turn of the event loop. The next statement begins in another turn. The program handles the rows
 * between two statements, which takes a multiple of this time.
 */
const MOST_MS = 2;

/**
 * SQLite answers a statement before the call returns, so statements that follow each other would run in one turn of the event loop, however
 * many they are. This class makes room for the process's other work, such as the sales of other tills.
 */
export class TurnShare {
  readonly #clock: Clock;
  /** How long statements took in this turn. */
  #usedMs = 0;
  #beganMs = 0;
  #isCounting = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves when a statement or a transaction may begin. Until `end` no other may begin. */
  async begin(): Promise<void> {
    if (this.#usedMs > MOST_MS) await nextTurn();
    this.#beganMs = this.#clock.monotonicMs();
  }

  /** Notes that the statement or transaction has ended. */
  end(): void {
    this.#usedMs += this.#clock.monotonicMs() - this.#beganMs;
    if (this.#isCounting) return;
    this.#isCounting = true;
    void nextTurn().then(() => {
      this.#usedMs = 0;
      this.#isCounting = false;
    });
  }
}
