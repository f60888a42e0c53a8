import type { SeededRandom } from "../../seeded-random.ts";

/** The GS1 group separator. */
const GS = "\u001d";
const LETTERS_AND_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const SERIAL_LENGTH = 13;
const KEY_LENGTH = 4;
/** The signature lengths of shapes A and B in fiscal-receipts 4.7. The shapes differ in nothing else. */
const SIGNATURE_LENGTHS = { shoes: 88, clothing: 44 };

export type MarkedGroup = keyof typeof SIGNATURE_LENGTHS;

/** Returns a well-formed marking code that was never issued. Its signature is random. */
export function inventMark(group: MarkedGroup, gtin: string, random: SeededRandom): string {
  const serial = random.text(LETTERS_AND_DIGITS, SERIAL_LENGTH);
  const key = random.text(LETTERS_AND_DIGITS, KEY_LENGTH);
  const signature = random.text(LETTERS_AND_DIGITS, SIGNATURE_LENGTHS[group]);
  return `01${gtin}21${serial}${GS}91${key}${GS}92${signature}`;
}

/** Returns the GTIN-14 for thirteen digits. The weights are 3, 1, 3 and so on from the left (fiscal-receipts 4.7, rule 7). */
export function gtinOf(digits: string): string {
  let sum = 0;
  for (const [index, digit] of [...digits.padStart(13, "0")].entries()) sum += Number(digit) * (index % 2 === 0 ? 3 : 1);
  return digits.padStart(13, "0") + String((10 - (sum % 10)) % 10);
}
