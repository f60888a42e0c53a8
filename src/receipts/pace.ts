import { nextTurn } from "../kernel/clock.ts";

/** Rows of text drawn in one turn of the event loop: one or two milliseconds of work. Most receipts have fewer. */
const ROWS_A_TURN = 400;

/** Divides the drawing of a long receipt into several turns of the event loop. A short one takes one turn. */
export class Pace {
  #rows = 0;

  /** Reports rows done since the last call. Resolves at once, or after other work had its turn. */
  async after(rows: number): Promise<void> {
    this.#rows += rows;
    if (this.#rows < ROWS_A_TURN) return;
    this.#rows = 0;
    await nextTurn();
  }
}
