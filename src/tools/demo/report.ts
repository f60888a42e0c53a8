import { visibleLine } from "../../kernel/visible.ts";
import { roubles } from "../sandbox/caller/basket.ts";

export interface Row {
  number: number;
  title: string;
  documentNumber?: string;
  sign?: string;
  sumKopecks?: number | undefined;
  elapsedMs: number;
  note?: string;
}

/** The widths are fixed, because each row is printed when its step ends. Titles are left-aligned, numbers right-aligned. */
const COLUMNS = [
  { heading: "#", width: 2 },
  { heading: "operation", width: 27, left: true },
  { heading: "ФД", width: 6 },
  { heading: "ФП", width: 10 },
  { heading: "sum", width: 10 },
  { heading: "ms", width: 5 },
];

/** Returns the head of the table and the line of dashes below it. */
export function tableHead(): string[] {
  const head = lineOf(COLUMNS.map(({ heading }) => heading));
  return [head, "-".repeat(head.length)];
}

/** Returns the row of a finished step: operation, fiscal numbers, sum, milliseconds, note. */
export function tableRow(row: Row): string {
  return visibleLine([lineOf(cells(row)), row.note].filter(Boolean).join("  "));
}

function lineOf(texts: readonly string[]): string {
  return COLUMNS.map(({ width, left }, column) => {
    const text = texts[column] ?? "";
    return left === true ? text.padEnd(width) : text.padStart(width);
  }).join("  ");
}

/** Returns the texts of a row. A cash slip is no fiscal document, so its number 0 and its sign 0 are omitted. */
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
