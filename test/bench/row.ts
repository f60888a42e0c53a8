/** One measured value, as `--json` writes it. */
export interface Row {
  /** Begins with the name of its part: `sale.`, `signature.` … */
  name: string;
  value: number;
  unit: string;
  /** The value of the same work without anything unnecessary, in the same unit. */
  floor?: number;
  /** The ratio of value and floor: the reached share of the floor, or how many times the floor is needed. */
  ratio?: number;
}

/** A part of the benchmark. */
export interface Part {
  /** The name for `--only`. The names of its rows begin with it. */
  prefix: string;
  /** `only`: the prefix of the wanted rows, for a part that can make some of its rows without the others. */
  run(note: (text: string) => void, only: string): Promise<Row[]>;
}

export function withFloor(row: Row, floor: number): Row & { floor: number; ratio: number } {
  return { ...row, floor: rounded(floor), ratio: rounded(row.value / floor) };
}

/** The row with the middle ratio. */
export function medianRow(rows: readonly (Row & { ratio: number })[]): Row {
  const middle = median(rows.map(({ ratio }) => ratio));
  const row = rows.find(({ ratio }) => ratio === middle);
  if (row === undefined) throw new Error("no rows to choose from");
  return row;
}

/** Rounds to four significant digits. Further digits are noise. */
export function rounded(value: number): number {
  return Number(value.toPrecision(4));
}

export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

/** The smallest value that is not exceeded by the given share of all values. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] ?? Number.NaN;
}
