import { refused, within, withinEach } from "../../call/refusal.ts";
import { type Stored, shapesIn, type Value, type Values } from "../../values/stored.ts";
import type { Writing } from "../entity-type.ts";

/** The longest barcode in characters. A longer barcode is refused with 3011. */
const MAX_LENGTH = 255;
const GTIN_LENGTHS = new Set([8, 12, 13, 14]);

/**
 * Applies a body's barcodes and returns the new barcodes (json-api 13.1). New goods without barcodes get a generated barcode.
 * An empty array in a change removes all barcodes. An array of only empty values also means no barcodes, even for new goods.
 * A new array replaces the old array. Only its new barcodes are checked.
 */
export function settleBarcodes(draft: Values, before: Stored | undefined, { account }: Writing): Value | undefined {
  const sent = shapesIn(draft.barcodes);
  if (before === undefined && sent.length === 0) return [{ ean13: madeEan13(account.newId()) }];
  if (draft.barcodes === before?.values.barcodes) return draft.barcodes;
  const filled = sent.filter((barcode) => Object.values(barcode).some((value) => value !== ""));
  const known = new Set(shapesIn(before?.values.barcodes).map((barcode) => JSON.stringify(barcode)));
  within("barcodes", () =>
    withinEach(sent, (barcode) => filled.includes(barcode) && !known.has(JSON.stringify(barcode)) && checkBarcode(barcode)),
  );
  return filled.length === 0 ? undefined : (filled as Value);
}

/** Throws 3016 unless the element has exactly one value, 3011 for a long value, 3014 for a GTIN with a wrong length or check digit. */
export function checkBarcode(barcode: Values): void {
  const [entry, more] = Object.entries(barcode);
  if (entry === undefined || more !== undefined) throw refused(3016, "barcodes");
  const [kind, value] = entry;
  const text = String(value);
  if (text.length > MAX_LENGTH) throw refused(3011, "barcodes", text);
  if (kind === "gtin" && !isGtin(text)) throw refused(3014, "barcodes", text);
}

/**
 * Returns an EAN-13 with prefix 2, reserved for a shop's own use. The id determines the digits, so the same seed gives the same barcode.
 */
export function madeEan13(id: string): string {
  const digits = BigInt(`0x${id.replaceAll("-", "").slice(0, 15)}`) % 100_000_000_000n;
  return withCheckDigit(`2${digits.toString().padStart(11, "0")}`);
}

/** Appends GS1's check digit. The weights are 3 and 1 in turn, from the right. */
export function withCheckDigit(digits: string): string {
  let sum = 0;
  for (let place = 0; place < digits.length; place += 1) {
    sum += Number(digits[digits.length - 1 - place]) * (place % 2 === 0 ? 3 : 1);
  }
  return digits + String((10 - (sum % 10)) % 10);
}

function isGtin(text: string): boolean {
  return GTIN_LENGTHS.has(text.length) && /^\d+$/.test(text) && withCheckDigit(text.slice(0, -1)) === text;
}
