import { nextTurn } from "../kernel/clock.ts";

/**
 * The number of rows of text that are drawn in one turn of the event loop. Drawing them takes one or two milliseconds. Most receipts have
 * fewer rows.
 */
const ROWS_A_TURN = 400;

/** Divides the drawing of a long receipt into several turns of the event loop. A short one takes one turn. */
export class Pace {
  #rows = 0;

  /**
   * Adds the rows that were done since the last call. Resolves at once, or after a turn of the event loop when `ROWS_A_TURN` rows were
   * done.
   */
  async after(rows: number): Promise<void> {
    this.#rows += rows;
    if (this.#rows < ROWS_A_TURN) return;
    this.#rows = 0;
    await nextTurn();
  }
}
