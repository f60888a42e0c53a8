import { nextTurn } from "../kernel/clock.ts";

/** Rows of text drawn in one turn of the event loop: one or two milliseconds. Most receipts have fewer rows. */
const ROWS_A_TURN = 400;

/** Divides the drawing of a long receipt into several turns of the event loop. A short receipt takes one turn. */
export class Pace {
  #rows = 0;

  /** Adds the rows drawn since the last call. Resolves immediately or, after `ROWS_A_TURN` rows, in the next turn of the event loop. */
  async after(rows: number): Promise<void> {
    this.#rows += rows;
    if (this.#rows < ROWS_A_TURN) return;
    this.#rows = 0;
    await nextTurn();
  }
}
