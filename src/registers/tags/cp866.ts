import { spelled } from "../../model/texts/spelling.ts";

const ABSENT = -1;

/** Text as a drive stores it: one byte a character of code page 866; what it lacks is spelled, at worst as `?`. */
export function encodeCp866(text: string): Buffer {
  const plain = spelled(text, (unit) => byteOf(unit.charCodeAt(0)) !== ABSENT);
  const bytes = Buffer.allocUnsafe(plain.length);
  for (let at = 0; at < plain.length; at += 1) bytes[at] = byteOf(plain.charCodeAt(at));
  return bytes;
}

export function decodeCp866(bytes: Uint8Array): string {
  return new TextDecoder("ibm866").decode(bytes);
}

function byteOf(utf16: number): number {
  return BYTES[utf16] ?? ABSENT;
}

/** Node decodes the code page but does not encode it: the table, by UTF-16 code, is its decoder turned round. */
const BYTES = new Int16Array(65_536).fill(ABSENT);
for (let byte = 0; byte < 256; byte += 1) BYTES[decodeCp866(Uint8Array.of(byte)).charCodeAt(0)] = byte;
