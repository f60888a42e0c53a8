import { visible } from "../../../kernel/visible.ts";

/** The value of a cell. A text is changed so that a spreadsheet program does not run it as a formula. Numbers stay numbers. */
export type Cell = string | number | undefined;

/** Spreadsheet programs recognise UTF-8 by this mark. */
export const BYTE_ORDER_MARK = "\ufeff";

/** Returns one row with semicolons between its cells. */
export function csvRow(cells: readonly Cell[]): string {
  return `${cells.map(cellText).join(";")}\r\n`;
}

function cellText(cell: Cell): string {
  if (cell === undefined) return "";
  if (typeof cell === "number") return String(cell).replace(".", ",");
  // Spreadsheet programs run a text that begins with one of these signs as a formula, also after a tab or spaces. Some programs also run it
  // after the full-width forms of the signs.
  const harmless = /^[\s]*[=+\-@＝＋－＠\t\r]/.test(cell) ? `'${cell}` : cell;
  const written = harmless.split("\r\n").map(visible).join("\r\n");
  return /[";\r\n]/.test(written) ? `"${written.replaceAll('"', '""')}"` : written;
}
