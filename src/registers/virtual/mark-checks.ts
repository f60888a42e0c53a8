import type { Ffd } from "../../model/facts.ts";
import { codeTaken, identityOf, readMark } from "../../model/marks/marks.ts";

/** A row of the table that stands for the drive's keys and the state's system: the first that matches a mark decides. */
export interface MarkRow {
  /** First digits of the product's number. */
  gtin?: string;
  /** Last character of the serial number. */
  serialEnd?: string;
  /** Tag 2106: bit 0 checked in the drive, 1 well, 2 checked by the state, 3 status well, 4 the register is offline. */
  result: number;
}

/**
 * Every outcome of fiscal-receipts 4.7 can be had: product numbers that begin with 952, which GS1 keeps for
 * demonstrations, give the result that follows seven zeros; all others are well.
 */
export const MARK_ROWS: readonly MarkRow[] = [
  ...[5, 7, 13, 3, 1, 0].map((result) => ({ gtin: `09520000000${String(result).padStart(2, "0")}`, result })),
  { result: 15 },
];

/** Tag 2106 where nothing was checked. */
export const UNCHECKED = 0;

/** Tag 2106 of a mark. What has no product and serial number cannot be checked. */
export function checkedBy(rows: readonly MarkRow[], mark: string): number {
  const read = readMark(mark);
  if (read.kind === "unreadable" || !("serial" in read.code)) return UNCHECKED;
  const { gtin, serial } = read.code;
  const row = rows.find((one) => gtin.startsWith(one.gtin ?? "") && serial.endsWith(one.serialEnd ?? ""));
  return row?.result ?? UNCHECKED;
}

/** Format 1.2 alone has checks of marks: before it a code is stored as it is (fiscal-receipts 4.7). */
export function checksMarks(ffd: Ffd): boolean {
  return ffd === "1.2";
}

/** Results of checks that a drive keeps between FF61 and the receipt (reference 8.1, A3h). */
export const MAX_CHECKED_MARKS = 128;

/** Which thing a mark is, however it is spelled. */
export function identityOfMark(mark: string): string {
  return identityOf(codeTaken(mark));
}
