/**
 * Text of commands is Windows-1251 (reference 0.2); tags inside TLV are CP866 and have a file of their own.
 * Nothing is refused for its letters: what the code page lacks becomes its nearest look, at worst `?`.
 */

/** The text in Windows-1251, one byte a character, cut at the limit. */
export function encodeCp1251(text: string, maxBytes = Number.POSITIVE_INFINITY): Buffer {
  const bytes: number[] = [];
  for (const character of text.normalize("NFC")) {
    const byte = BYTES.get(character);
    if (byte === undefined) bytes.push(...nearest(character));
    else bytes.push(byte);
    if (bytes.length >= maxBytes) break;
  }
  return Buffer.from(bytes.slice(0, maxBytes));
}

/** Every byte has a character, so that encoding gives the same bytes back. */
export function decodeCp1251(bytes: Uint8Array): string {
  return DECODER.decode(bytes);
}

const DECODER = new TextDecoder("windows-1251");
/** Node decodes the code page but does not encode it: the table is its decoder turned round. */
const BYTES = new Map(Array.from({ length: 256 }, (_, byte) => [DECODER.decode(Uint8Array.of(byte)), byte] as const));

const UNKNOWN = 0x3f;

/** Looks that no decomposition gives: money and arithmetic, quotation marks, dashes, frames. */
const NEAREST: Record<string, string> = {
  "₽": "руб.",
  "×": "x",
  "÷": ":",
  "−": "-",
  "‐": "-",
  "‑": "-",
  "‒": "-",
  "―": "-",
  "─": "-",
  "═": "=",
  "│": "|",
  "║": "|",
  "‟": '"',
  "″": '"',
  "′": "'",
  "∙": "·",
  "■": "¤",
  "½": "1/2",
  "¼": "1/4",
  "¾": "3/4",
  ø: "o",
  Ø: "O",
  ł: "l",
  Ł: "L",
  ß: "ss",
  æ: "ae",
  Æ: "AE",
};
/** Marks that have no look of their own: joiners, accents, halves of characters. */
const INVISIBLE = /^[\p{Cf}\p{Mn}\p{Cs}]$/u;

function nearest(character: string): number[] {
  const known = NEAREST[character];
  if (known !== undefined) return Array.from(known, (letter) => BYTES.get(letter) ?? UNKNOWN);
  if (INVISIBLE.test(character)) return [];
  const plain = character.normalize("NFKD").replace(/\p{Mn}/gu, "");
  const bytes = Array.from(plain, (letter) => BYTES.get(letter));
  return plain !== "" && bytes.every((byte) => byte !== undefined) ? bytes : [UNKNOWN];
}
