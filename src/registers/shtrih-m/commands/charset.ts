import { spelled } from "../../../model/texts/spelling.ts";

/**
 * Text of commands is Windows-1251 (reference 0.2). Texts inside TLV are CP866, see tags/cp866. A letter that the code
 * page lacks is never refused: it is spelled with letters that are there, at worst as `?`.
 */

/** The text in Windows-1251, one byte a character, cut at the limit. */
export function encodeCp1251(text: string, maxBytes = Number.POSITIVE_INFINITY): Buffer {
  const plain = spelled(text, (unit) => BYTES.has(unit));
  return Buffer.from(Array.from(plain, (character) => BYTES.get(character) ?? UNKNOWN).slice(0, maxBytes));
}

/** Every byte has a character, so that encoding gives the same bytes back. */
export function decodeCp1251(bytes: Uint8Array): string {
  return DECODER.decode(bytes);
}

const UNKNOWN = 0x3f;
const DECODER = new TextDecoder("windows-1251");
/** Node decodes the code page but does not encode it: the table is its decoder turned round. */
const BYTES = new Map(Array.from({ length: 256 }, (_, byte) => [DECODER.decode(Uint8Array.of(byte)), byte] as const));
