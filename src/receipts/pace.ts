import { nextTurn } from "../kernel/clock.ts";

/** Rows of text that are worked on before others get a turn of the event loop: a millisecond or two, and more than most receipts have. */
const ROWS_A_TURN = 400;

/** Has a long receipt drawn in several turns of the event loop; a short one is drawn in one. */
export class Pace {
  #rows = 0;

  /** So many rows are done since the last call; resolves at once, or after everybody else's turn. */
  async after(rows: number): Promise<void> {
    this.#rows += rows;
    if (this.#rows < ROWS_A_TURN) return;
    this.#rows = 0;
    await nextTurn();
  }
}
