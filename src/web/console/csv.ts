/** A value of a cell: texts are made harmless, numbers stay numbers. */
export type Cell = string | number | undefined;

/** Programs for tables know by it that the file is UTF-8. */
export const BYTE_ORDER_MARK = "\ufeff";

/** One row with semicolons between its cells. */
export function csvRow(cells: readonly Cell[]): string {
  return `${cells.map(cellText).join(";")}\r\n`;
}

function cellText(cell: Cell): string {
  if (cell === undefined) return "";
  if (typeof cell === "number") return String(cell).replace(".", ",");
  // A program for tables would calculate what begins like this, and a tab before it hides nothing.
  const harmless = /^[\s]*[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[";\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
