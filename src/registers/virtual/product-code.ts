import { decodeCp866, encodeCp866 } from "../tags/cp866.ts";
import { tlv } from "../tags/tlv.ts";

/** Serial lengths in use, longest first: a scanner that loses the separator leaves no other way to find the end. */
const SERIAL_LENGTHS = [13, 7, 6];
const GS = "\u001d";
const UNRECOGNISED_BYTES = 32;
/** What codes are made of; anything else is no code and is stored as it looks. */
const ALPHABET = new RegExp(`^[${GS}!-~]+$`);
const LEADING_GS = new RegExp(`^${GS}`);
/** Product, serial number of seven, price and check value, without any separator. */
const PACK_OF_CIGARETTES = new RegExp(`^\\d{14}[^${GS}]{15}$`);

/**
 * Tag 1163 of a marked position (fiscal-receipts 4.7): product and serial number without the signature.
 * A code whose shape is unknown is stored as such, cut to what tag 1300 holds.
 */
export function productCodeTlv(mark: string): Buffer {
  const code = mark
    .replaceAll("↔", GS)
    .replace(/^\](?:d2|C1|Q3)/, "")
    .replace(LEADING_GS, "");
  const item = ALPHABET.test(code) ? readItem(code) : undefined;
  if (item === undefined) return tlv(1163, [tlv(1300, decodeCp866(encodeCp866(mark).subarray(0, UNRECOGNISED_BYTES)))]);
  return tlv(1163, [tlv(item.hasFullKey ? 1305 : 1306, item.value)]);
}

/** GTIN and serial, and whether the long key of a full code follows (91) or the short one (93). */
function readItem(code: string): { value: string; hasFullKey: boolean } | undefined {
  if (PACK_OF_CIGARETTES.test(code)) return { value: code.slice(0, 21), hasFullKey: false };
  if (!/^01\d{14}21/.test(code)) return undefined;
  const serial = code.slice(18);
  const separator = serial.indexOf(GS);
  const length =
    separator >= 0 ? separator : SERIAL_LENGTHS.find((candidate) => /^(?:91|93|17|7003|8005|3103)/.test(serial.slice(candidate)));
  if (length === undefined || !SERIAL_LENGTHS.includes(length)) return undefined;
  const rest = serial.slice(length + (separator >= 0 ? 1 : 0));
  return { value: code.slice(0, 18 + length), hasFullKey: rest.startsWith("91") };
}
