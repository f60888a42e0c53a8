import { decodeCp1251 } from "./charset.ts";

/** Values of tables (shtrih-protocol 5.5): text in Windows-1251, numbers with the lowest byte first. */

/** Reads a CHAR field. A zero ends the text. Trailing spaces are padding and are dropped. */
export function readTableText(value: Uint8Array): string {
  const end = value.indexOf(0);
  return decodeCp1251(end < 0 ? value : value.subarray(0, end)).trimEnd();
}

const MAX_BIN_BYTES = 6;

/** Reads a BIN field; 0 for an empty field. Bytes after the sixth are ignored. */
export function readTableNumber(value: Uint8Array): number {
  return value.subarray(0, MAX_BIN_BYTES).reduceRight((total, byte) => total * 256 + byte, 0);
}

/**
 * Table numbers that are the same on every desktop model. The answer of F7h has the table numbers of the drive, the data operator and the
 * document format. `drive` is used when the device does not answer F7h or does not give the number.
 */
export const TABLES = {
  settings: 1,
  operators: 2,
  texts: 4,
  payments: 5,
  taxes: 6,
  regional: 17,
  drive: 18,
  network: 21,
} as const;

/** Modes of 10h and 11h: the low half of the byte (shtrih-protocol 7.1). */
export const MODES = {
  dataOutput: 1,
  shiftOpen: 2,
  shiftExpired: 3,
  shiftClosed: 4,
  blocked: 5,
  dateWaiting: 6,
  decimalPoint: 7,
  documentOpen: 8,
  resetAllowed: 9,
  testRun: 10,
} as const;

/** Submodes of 10h and 11h (shtrih-protocol 7.2). */
export const SUBMODES = { idle: 0, noPaper: 1, noPaperPrinting: 2, paperBack: 3, printingReport: 4, printing: 5 } as const;

/** Bits of the flags of 10h and 11h (shtrih-protocol 5.1). */
export const FLAGS = { receiptRoll: 0x0002, receiptPaper: 0x0080, coverOpen: 0x0400, drawerOpen: 0x0800 } as const;

/** Splits a mode byte. Kinds of an open document: 0 income, 1 outcome, 2 and 3 their returns, 4 not fiscal. */
export function modeOf(byte: number): { mode: number; kind: number } {
  return { mode: byte & 0x0f, kind: byte >> 4 };
}
