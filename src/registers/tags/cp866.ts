/** Characters that the code page lacks and shops use, with what is stored instead (fiscal-receipts 1.2). */
const REPLACEMENTS: Record<string, string> = {
  "«": '"',
  "»": '"',
  "“": '"',
  "”": '"',
  "„": '"',
  "’": "'",
  "‘": "'",
  "–": "-",
  "—": "-",
  "−": "-",
  "₽": "руб.",
  "×": "x",
  "…": "...",
  "\u00a0": " ",
};
const UNKNOWN = 0x3f;
const ABSENT = -1;

/** Text as a drive stores it: one byte a character of code page 866; what it lacks is replaced, at worst by `?`. */
export function encodeCp866(text: string): Buffer {
  const bytes = Buffer.allocUnsafe(text.length);
  for (let at = 0; at < text.length; at += 1) {
    const byte = byteOf(text.charCodeAt(at));
    if (byte === ABSENT) return encodeReplacing(text);
    bytes[at] = byte;
  }
  return bytes;
}

export function decodeCp866(bytes: Uint8Array): string {
  return new TextDecoder("ibm866").decode(bytes);
}

/** Slower: some character is none of the code page's. */
function encodeReplacing(text: string): Buffer {
  const replaced = Array.from(text, (character) => REPLACEMENTS[character] ?? character).join("");
  return Buffer.from(
    Array.from(replaced, (character) => byteOf(character.charCodeAt(0))).map((byte) => (byte === ABSENT ? UNKNOWN : byte)),
  );
}

function byteOf(utf16: number): number {
  return BYTES[utf16] ?? ABSENT;
}

/** Node decodes the code page but does not encode it: the table, by UTF-16 code, is its decoder turned round. */
const BYTES = new Int16Array(65_536).fill(ABSENT);
for (let byte = 0; byte < 256; byte += 1) BYTES[decodeCp866(Uint8Array.of(byte)).charCodeAt(0)] = byte;
