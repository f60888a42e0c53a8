import type { Ffd } from "../../model/facts.ts";
import { codeTaken, identityOf, type MarkReader, takeMark } from "../../model/marks/marks.ts";

/**
 * A rule for the result of a mark's check. The rules simulate the drive's keys and the government's marking system. The first row whose
 * `gtin` and `serialEnd` match decides. An absent member matches every mark.
 */
export interface MarkRow {
  /** First digits of the product number. */
  gtin?: string;
  /** Last characters of the serial number. */
  serialEnd?: string;
  /**
   * Tag 2106. Bit 0: checked in the drive. Bit 1: the drive's check passed. Bit 2: checked by the government's marking system. Bit 3: the
   * status in that system is good. Bit 4: the register is offline.
   */
  result: number;
}

/**
 * Rows for every outcome of fiscal-receipts 4.7. When a product number begins with 0952, seven zeros and 05, 07, 13, 03, 01 or 00, these
 * two digits are the result. GS1 reserves 952 for demonstrations. All other marks pass.
 */
export const MARK_ROWS: readonly MarkRow[] = [
  ...[5, 7, 13, 3, 1, 0].map((result) => ({ gtin: `09520000000${String(result).padStart(2, "0")}`, result })),
  { result: 15 },
];

/** Tag 2106 when nothing was checked. */
export const UNCHECKED = 0;

/** Returns tag 2106 of a mark: `UNCHECKED` for a mark without product and serial number, and for a mark that no row matches. */
export function checkedBy(rows: readonly MarkRow[], mark: string, read: MarkReader = takeMark): number {
  const taken = read(mark);
  if (taken.kind === "none" || !("serial" in taken.code)) return UNCHECKED;
  const { gtin, serial } = taken.code;
  const row = rows.find((one) => gtin.startsWith(one.gtin ?? "") && serial.endsWith(one.serialEnd ?? ""));
  return row?.result ?? UNCHECKED;
}

/** Whether marks are checked in this format. Formats before 1.2 store the product code unchecked (fiscal-receipts 4.7). */
export function checksMarks(ffd: Ffd): boolean {
  return ffd === "1.2";
}

/** How many check results a drive keeps between FF61 and the receipt (shtrih-protocol 8.1, A3h). */
export const MAX_CHECKED_MARKS = 128;

/** Returns the identity of the marked piece. It is the same for every spelling of the mark. */
export function identityOfMark(mark: string, read: MarkReader): string {
  const taken = read(mark);
  return identityOf(taken.kind === "taken" ? taken.code : codeTaken(mark));
}
