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
  // A spreadsheet program runs a text that begins like this as a formula, also after a tab or spaces, and some with the wide signs too.
  const harmless = /^[\s]*[=+\-@＝＋－＠\t\r]/.test(cell) ? `'${cell}` : cell;
  const written = harmless.split("\r\n").map(visible).join("\r\n");
  return /[";\r\n]/.test(written) ? `"${written.replaceAll('"', '""')}"` : written;
}
