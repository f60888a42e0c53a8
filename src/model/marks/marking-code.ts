import { readElements } from "./mark-elements.ts";
import { GS, SIGN, separatorEnds } from "./mark-separators.ts";

export { GS };

/**
 * The contents of a marking code (fiscal-receipts 4.7). `text` is the whole code for a device, with separators in their places. Its case
 * never changes, because the alphabet has both cases.
 */
export type MarkingCode =
  /**
   * GS1 with product and serial number. `full`: true when a key and a signature follow (shapes A, B), false when a short check value
   * follows.
   */
  | { shape: "gs1"; full: boolean; gtin: string; serial: string; text: string }
  /** A pack of cigarettes: product, serial number, highest price and check value, without separators. */
  | { shape: "tobacco-pack"; gtin: string; serial: string; price: string; text: string }
  | { shape: "fur"; text: string }
  /** A bar code of the product only. */
  | { shape: "ean-8" | "ean-13" | "itf-14"; gtin: string; text: string }
  | { shape: "unrecognised"; text: string };

/** Why a code of a known shape does not mark one piece of goods. */
export type CodeProblem =
  /** The check digit of the product number is wrong: the code was misread or mistyped. */
  | "check-digit"
  /** A box or a pallet, not a piece. */
  | "aggregate"
  /** A label printed by a scale. */
  | "weight-label";

type ReadCode = MarkingCode | { shape: "refused"; problem: CodeProblem };

/** Reads a code from which the prefix was removed. The separators may be spelled or missing. */
export function readCode(text: string): ReadCode {
  if (AGGREGATE.test(text)) return { shape: "refused", problem: "aggregate" };
  const gs1 = readGs1(text);
  if (gs1 !== undefined) return gs1;
  if (FUR.test(text)) return { shape: "fur", text };
  const pack = TOBACCO_PACK.exec(text)?.groups;
  if (pack !== undefined && hasCheckDigit(pack.gtin ?? "")) {
    return { shape: "tobacco-pack", gtin: pack.gtin ?? "", serial: pack.serial ?? "", price: pack.price ?? "", text };
  }
  return readBarCode(text) ?? { shape: "unrecognised", text };
}

/** Whether the last digit is the check digit: mod 10 with alternating weights 3 and 1. The digit before the check digit has weight 3. */
export function hasCheckDigit(digits: string): boolean {
  const sum = [...digits.padStart(14, "0").slice(0, -1)].reduce((total, digit, at) => total + Number(digit) * (at % 2 === 0 ? 3 : 1), 0);
  return String((10 - (sum % 10)) % 10) === digits.at(-1);
}

const PRODUCT = /^01(?<gtin>\d{14})/;
const SERIAL_IDENTIFIER = "21";
const TOBACCO_PACK = new RegExp(`^(?<gtin>\\d{14})(?<serial>${SIGN}{7})(?<price>${SIGN}{4})${SIGN}{4}$`);
const FUR = /^RU-\d{6}-[A-Za-z0-9]{10}$/;
/** SSCC of a transport package, or a package's contents and their number. */
const AGGREGATE = new RegExp(`^(?:00\\d{18}|02\\d{14}(?:${GS}|37|$))`);

/** Undefined when the text has no product number followed by a serial number. */
function readGs1(text: string): ReadCode | undefined {
  const gtin = PRODUCT.exec(text)?.groups?.gtin;
  const begin = gtin === undefined ? undefined : serialBegin(text, "01".length + gtin.length);
  if (gtin === undefined || begin === undefined) return undefined;
  if (!hasCheckDigit(gtin)) return { shape: "refused", problem: "check-digit" };
  const parts = readElements(text.slice(begin));
  if (parts === undefined) return { shape: "unrecognised", text };
  const { serial, full, tail } = parts;
  return { shape: "gs1", full, gtin, serial, text: `01${gtin}21${serial}${tail}` };
}

/** Returns where the serial number begins. A separator between product number and `21` is dropped (fiscal-receipts 4.7, rule 2). */
function serialBegin(text: string, at: number): number | undefined {
  const found = [at, ...separatorEnds(text, at)].find((place) => text.startsWith(SERIAL_IDENTIFIER, place));
  const begin = found === undefined ? undefined : found + SERIAL_IDENTIFIER.length;
  return begin === undefined || begin >= text.length ? undefined : begin;
}

const BAR_CODES = { 8: "ean-8", 13: "ean-13", 14: "itf-14" } as const;

function readBarCode(text: string): ReadCode | undefined {
  if (!/^\d+$/.test(text)) return undefined;
  const shape = BAR_CODES[text.length as keyof typeof BAR_CODES];
  if (shape === undefined) return undefined;
  // Shops themselves assign numbers that begin with 2, so this is a scale's label, not a maker's product.
  if (shape === "ean-13" && text.startsWith("2")) return { shape: "refused", problem: "weight-label" };
  return hasCheckDigit(text) ? { shape, gtin: text, text } : { shape: "refused", problem: "check-digit" };
}
