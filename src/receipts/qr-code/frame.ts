import { Modules } from "./modules.ts";

/** The parts shared by all symbols of a version (ISO/IEC 18004, 6.3). */
export interface Frame {
  size: number;
  /** Cells of the encoding region, `row * size + column`, in the order of the codewords' bits (7.7.3). */
  order: Uint16Array;
  /** For each of the eight masks: function patterns, format information, and the mask in the data region. */
  layers: readonly Modules[];
}

export function frameOf(version: number): Frame {
  const patterns = new Patterns(version);
  const { size } = patterns;
  const order = orderOf(patterns);
  return { size, order, layers: MASKS.map((mask, number) => layerOf(patterns, order, mask, number)) };
}

/** Whether a module is inverted, by mask number (table 10). */
const MASKS: readonly ((row: number, column: number) => boolean)[] = [
  (row, column) => (row + column) % 2 === 0,
  (row) => row % 2 === 0,
  (_, column) => column % 3 === 0,
  (row, column) => (row + column) % 3 === 0,
  (row, column) => (Math.floor(row / 2) + Math.floor(column / 3)) % 2 === 0,
  (row, column) => ((row * column) % 2) + ((row * column) % 3) === 0,
  (row, column) => (((row * column) % 2) + ((row * column) % 3)) % 2 === 0,
  (row, column) => (((row + column) % 2) + ((row * column) % 3)) % 2 === 0,
];

function layerOf(patterns: Patterns, order: Uint16Array, mask: (row: number, column: number) => boolean, number: number): Modules {
  const { size } = patterns;
  const modules = new Modules(size);
  patterns.drawFormat(number);
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) if (patterns.isDark(row, column)) modules.darken(row, column);
  }
  for (const cell of order) {
    const [row, column] = [Math.floor(cell / size), cell % size];
    if (mask(row, column)) modules.darken(row, column);
  }
  return modules;
}

/**
 * The cells of the encoding region in the order of 7.7.3: from the lower right corner, in columns two modules wide, alternately up and
 * down. The column of the timing pattern is skipped.
 */
function orderOf(patterns: Patterns): Uint16Array {
  const { size } = patterns;
  const order: number[] = [];
  for (let right = size - 1, up = true; right > 0; right -= right === 8 ? 3 : 2, up = !up) {
    for (let step = 0; step < size; step++) {
      const row = up ? size - 1 - step : step;
      for (const column of [right, right - 1]) if (patterns.isFree(row, column)) order.push(row * size + column);
    }
  }
  return Uint16Array.from(order);
}

const [FREE, LIGHT, DARK] = [0, 1, 2];

/** The function patterns of a version. Each cell is light, dark or free for data. */
class Patterns {
  readonly size: number;
  readonly #cells: Uint8Array;

  constructor(version: number) {
    this.size = 17 + 4 * version;
    this.#cells = new Uint8Array(this.size ** 2);
    this.#drawTiming();
    const far = this.size - 4;
    for (const [row, column] of [
      [3, 3],
      [3, far],
      [far, 3],
    ] as const)
      this.#drawSquares(row, column, 4, [0, 1, 3]);
    const places = alignmentPlaces(version, this.size);
    const last = places.length - 1;
    for (const [i, row] of places.entries()) {
      for (const [j, column] of places.entries()) {
        const finder = (i === 0 && (j === 0 || j === last)) || (i === last && j === 0);
        if (!finder) this.#drawSquares(row, column, 2, [0, 2]);
      }
    }
    this.drawFormat(0);
    if (version >= 7) this.#drawVersion(version);
  }

  isFree(row: number, column: number): boolean {
    return this.#cells[row * this.size + column] === FREE;
  }

  isDark(row: number, column: number): boolean {
    return this.#cells[row * this.size + column] === DARK;
  }

  /** Draws the format information: level M (00), then the mask number. A code extends these five bits to fifteen (7.9.1). */
  drawFormat(mask: number): void {
    const bits = withCheck(mask, 10, 0x537) ^ 0x5412;
    const far = this.size - 1;
    for (let bit = 0; bit < 15; bit++) {
      const dark = ((bits >> bit) & 1) === 1;
      // The places around the upper left finder: down along its right side, then to the left below it. Skips the timing patterns.
      const around = bit < 6 ? bit : bit < 8 ? bit + 1 : 14 - bit;
      if (bit < 8) this.#set(around, 8, dark);
      else this.#set(8, bit === 8 ? 7 : around, dark);
      if (bit < 8) this.#set(8, far - bit, dark);
      else this.#set(far - 14 + bit, 8, dark);
    }
    this.#set(far - 7, 8, true);
  }

  /** Draws the version beside two finders: six bits of the version and twelve check bits (7.10). */
  #drawVersion(version: number): void {
    const bits = withCheck(version, 12, 0x1f25);
    for (let bit = 0; bit < 18; bit++) {
      const dark = ((bits >> bit) & 1) === 1;
      const [long, short] = [Math.floor(bit / 3), this.size - 11 + (bit % 3)];
      this.#set(long, short, dark);
      this.#set(short, long, dark);
    }
  }

  #drawTiming(): void {
    for (let at = 0; at < this.size; at++) {
      this.#set(6, at, at % 2 === 0);
      this.#set(at, 6, at % 2 === 0);
    }
  }

  /** Draws squares around a centre, dark at the given distances from it. Skips cells outside the symbol. */
  #drawSquares(row: number, column: number, reach: number, darkAt: readonly number[]): void {
    for (let down = -reach; down <= reach; down++) {
      for (let right = -reach; right <= reach; right++) {
        this.#set(row + down, column + right, darkAt.includes(Math.max(Math.abs(down), Math.abs(right))));
      }
    }
  }

  #set(row: number, column: number, dark: boolean): void {
    if (row < 0 || column < 0 || row >= this.size || column >= this.size) return;
    this.#cells[row * this.size + column] = dark ? DARK : LIGHT;
  }
}

/**
 * The rows of the alignment patterns (annex E), which are also their columns. The first is at 6. The rest is evenly spaced from the far
 * end.
 */
function alignmentPlaces(version: number, size: number): number[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const step = version === 32 ? 26 : 2 * Math.ceil((size - 13) / (2 * count - 2));
  return Array.from({ length: count }, (_, index) => (index === 0 ? 6 : size - 7 - (count - 1 - index) * step));
}

/** Returns the value, followed by the remainder of its division by the generator (annexes C and D). */
function withCheck(value: number, checkBits: number, generator: number): number {
  let remainder = value;
  for (let bit = 0; bit < checkBits; bit++) remainder = (remainder << 1) ^ ((remainder >> (checkBits - 1)) * generator);
  return (value << checkBits) | remainder;
}
