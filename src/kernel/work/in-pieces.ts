/**
 * The largest number of rows that one commit changes. In SQLite a commit blocks the event loop. With rows of ten thousand characters a
 * commit of this size takes about 10 ms.
 */
const ROWS_A_PIECE = 300;

/**
 * Changes or deletes any number of rows in as many commits as needed, and returns the number of rows. `change` commits the change of at
 * most `limit` rows that were not changed yet, and returns their number. Other work runs between two commits.
 */
export async function inPieces(change: (limit: number) => Promise<number>): Promise<number> {
  let changed = 0;
  for (;;) {
    const rows = await change(ROWS_A_PIECE);
    changed += rows;
    if (rows < ROWS_A_PIECE) return changed;
  }
}
