/** One measured value, as `--json` writes it. */
export interface Row {
  /** Begins with the name of its part: `sale.`, `signature.` … */
  name: string;
  value: number;
  unit: string;
  /** The same work without anything that is not needed for it, in the same unit. */
  floor?: number;
  /** Value against floor: what share of the floor is reached, or how many times the floor is taken. */
  ratio?: number;
}

/** A part of the benchmark. */
export interface Part {
  /** What `--only` compares with: names of its rows begin so. */
  prefix: string;
  /** `only`: the prefix that was asked for, for a part that can make some of its rows without the others. */
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

/** Four significant digits: more is noise. */
export function rounded(value: number): number {
  return Number(value.toPrecision(4));
}

export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

/** The smallest value that at least the given share of all does not exceed. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] ?? Number.NaN;
}
