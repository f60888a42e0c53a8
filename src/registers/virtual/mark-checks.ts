import type { Ffd } from "../../model/facts.ts";
import { codeTaken, identityOf, readMark } from "../../model/marks/marks.ts";

/**
 * One rule for the result of a mark's check. The rules replace the drive's keys and the government's marking system. The first row that
 * matches a mark decides.
 */
export interface MarkRow {
  /** First digits of the product's number. */
  gtin?: string;
  /** Last character of the serial number. */
  serialEnd?: string;
  /**
   * Tag 2106. Bit 0: checked in the drive. Bit 1: this check passed. Bit 2: checked by the government's marking system. Bit 3: the status
   * there is good. Bit 4: the register is offline.
   */
  result: number;
}

/**
 * Rows for every outcome of fiscal-receipts 4.7. A product number that begins with 0952 and seven zeros contains its
 * result as the next two digits. GS1 reserves 952 for demonstrations. All other marks pass.
 */
export const MARK_ROWS: readonly MarkRow[] = [
  ...[5, 7, 13, 3, 1, 0].map((result) => ({ gtin: `09520000000${String(result).padStart(2, "0")}`, result })),
  { result: 15 },
];

/** The value of tag 2106 when nothing was checked. */
export const UNCHECKED = 0;

/** Returns tag 2106 of a mark. A mark without product and serial number cannot be checked. */
export function checkedBy(rows: readonly MarkRow[], mark: string): number {
  const read = readMark(mark);
  if (read.kind === "unreadable" || !("serial" in read.code)) return UNCHECKED;
  const { gtin, serial } = read.code;
  const row = rows.find((one) => gtin.startsWith(one.gtin ?? "") && serial.endsWith(one.serialEnd ?? ""));
  return row?.result ?? UNCHECKED;
}

/** Whether the format checks marks. Only format 1.2 checks them. Earlier formats store a code unchanged (fiscal-receipts 4.7). */
export function checksMarks(ffd: Ffd): boolean {
  return ffd === "1.2";
}

/** The largest number of check results that a drive keeps between FF61 and the receipt (reference 8.1, A3h). */
export const MAX_CHECKED_MARKS = 128;

/** Returns the identity of the marked piece. It is the same for every form of the mark. */
export function identityOfMark(mark: string): string {
  return identityOf(codeTaken(mark));
}
