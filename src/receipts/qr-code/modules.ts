/** How many lines of a symbol a word holds. The highest of the word's 32 bits repeats the first line of the next word. */
export const LINES_A_WORD = 31;

/**
 * The modules of a symbol, as bits of words. They are stored twice, so that neighbours in both directions can be compared by words. A word
 * of `across` has up to 32 rows of one column. A word of `down` has up to 32 columns of one row. Words for the same lines are consecutive.
 */
export class Modules {
  readonly size: number;
  readonly across: Int32Array;
  readonly down: Int32Array;

  constructor(size: number) {
    this.size = size;
    this.across = new Int32Array(size * Math.ceil(size / LINES_A_WORD));
    this.down = new Int32Array(this.across.length);
  }

  darken(row: number, column: number): void {
    mark(this.across, this.size, row, column);
    mark(this.down, this.size, column, row);
  }

  isDark(row: number, column: number): boolean {
    const word = this.across[Math.floor(row / LINES_A_WORD) * this.size + column] ?? 0;
    return ((word >>> (row % LINES_A_WORD)) & 1) === 1;
  }

  /** Sets each module to the exclusive or of two modules. */
  combine(one: Modules, other: Modules): void {
    for (let at = 0; at < this.across.length; at++) {
      this.across[at] = (one.across[at] ?? 0) ^ (other.across[at] ?? 0);
      this.down[at] = (one.down[at] ?? 0) ^ (other.down[at] ?? 0);
    }
  }
}

function mark(words: Int32Array, size: number, line: number, along: number): void {
  const bit = line % LINES_A_WORD;
  const at = Math.floor(line / LINES_A_WORD) * size + along;
  words[at] = (words[at] ?? 0) | (1 << bit);
  if (bit === 0 && at >= size) words[at - size] = (words[at - size] ?? 0) | (1 << LINES_A_WORD);
}
