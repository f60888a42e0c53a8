import { visible } from "../../../kernel/visible.ts";
import { sayIn } from "../../language.ts";
import { shownPart } from "../../shown-part.ts";

/**
 * The value of a cell. Undefined: an empty cell. A number gets a decimal comma. A text that a spreadsheet program could run as a formula
 * gets an apostrophe before it, so the program shows it as a text.
 */
export type Cell = string | number | undefined;

/** Spreadsheet programs need this mark to recognise UTF-8. */
export const BYTE_ORDER_MARK = "\ufeff";

/** Returns one row of cells, separated by semicolons. */
export function csvRow(cells: readonly Cell[]): string {
  return `${cells.map(cellText).join(";")}\r\n`;
}

function cellText(cell: Cell): string {
  if (cell === undefined) return "";
  if (typeof cell === "number") return String(cell).replace(".", ",");
  // Spreadsheet programs run a text that begins with one of these signs as a formula, also after a tab or spaces. Some programs also accept
  // the full-width signs.
  const shown = shownPart(sayIn("en"), cell);
  const harmless = /^[\s]*[=+\-@＝＋－＠\t\r]/.test(shown) ? `'${shown}` : shown;
  const written = harmless.split("\r\n").map(visible).join("\r\n");
  return /[";\r\n]/.test(written) ? `"${written.replaceAll('"', '""')}"` : written;
}
