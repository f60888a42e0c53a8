/** One field of a table (shtrih-protocol 5.5, 6). */
export type TableField = (
  | {
      type: "bin";
      /** Size in bytes, lowest byte first. */
      size: number;
      min: number;
      max: number;
      standard(row: number): number;
    }
  | {
      type: "char";
      size: number;
      standard(row: number): string;
      /** The padding byte in reads: spaces for taxpayer numbers, otherwise zeros. */
      padding: 0x00 | 0x20;
    }
) & {
  name: string;
  /** `fixed`: never written. `closed`: written only while the shift is closed. */
  writing: "free" | "fixed" | "closed";
};

export interface Table {
  name: string;
  rows: number;
  /** The fields from field 1 on. */
  fields: readonly TableField[];
}

type Standard<T> = T | ((row: number) => T);

interface BinOptions {
  size?: number;
  min?: number;
  max?: number;
  writing?: TableField["writing"];
}

export function bin(name: string, standard: Standard<number>, { size = 1, min = 0, max, writing = "free" }: BinOptions = {}): TableField {
  return { type: "bin", name, size, min, max: max ?? 2 ** (8 * size) - 1, writing, standard: always(standard) };
}

export function char(
  name: string,
  size: number,
  standard: Standard<string> = "",
  { padding = 0x00, writing = "free" }: { padding?: 0x00 | 0x20; writing?: TableField["writing"] } = {},
): TableField {
  return { type: "char", name, size, padding, writing, standard: always(standard) };
}

/** Returns the fields by number. The fields outside `known` accept any byte and have no meaning in this device. */
export function numbered(last: number, known: Readonly<Record<number, TableField>>): TableField[] {
  return Array.from({ length: last }, (_, at) => known[at + 1] ?? bin("Резерв", 0));
}

function always<T>(standard: Standard<T>): (row: number) => T {
  return typeof standard === "function" ? (standard as (row: number) => T) : () => standard;
}
