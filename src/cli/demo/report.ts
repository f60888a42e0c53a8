import { visibleLine } from "../../kernel/visible.ts";
import { roubles } from "../../sandbox/caller/basket.ts";

/** What became of one step. */
export interface Row {
  number: number;
  title: string;
  documentNumber?: string;
  sign?: string;
  sumKopecks?: number | undefined;
  elapsedMs: number;
  note?: string;
}

const HEADINGS = ["#", "operation", "ФД", "ФП", "sum", "ms"];
/** Titles stand left, numbers right. */
const LEFT = new Set([1]);
const TITLE_WIDTH = 28;

/** One line as soon as the step is over. */
export function progressLine(row: Row): string {
  const [number = "", title = "", document, sign, sum, elapsed] = cells(row);
  const parts = [document && `ФД ${document}`, sign && `ФП ${sign}`, sum && `${sum} ₽`, `${elapsed} ms`, row.note];
  return visibleLine(`${number.padStart(2)}  ${title.padEnd(TITLE_WIDTH)} ${parts.filter(Boolean).join("  ")}`);
}

/** The table at the end: operation, fiscal numbers, sum, milliseconds. */
export function table(rows: readonly Row[]): string[] {
  const body = [HEADINGS, ...rows.map(cells)];
  const widths = HEADINGS.map((_, column) => Math.max(...body.map((line) => line[column]?.length ?? 0)));
  const lines = body.map((line) =>
    line
      .map((cell, column) => (LEFT.has(column) ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
  const [head = "", ...rest] = lines;
  return [head, "-".repeat(Math.max(...lines.map((line) => line.length))), ...rest];
}

/** Cash slips are no fiscal documents: their zeros are left out. */
function cells(row: Row): string[] {
  return [
    String(row.number),
    row.title,
    row.documentNumber === "0" ? "" : (row.documentNumber ?? ""),
    row.sign === "0" ? "" : (row.sign ?? ""),
    row.sumKopecks === undefined ? "" : roubles(row.sumKopecks),
    row.elapsedMs.toFixed(0),
  ];
}
