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

/** Text as a drive stores it: one byte a character of code page 866; what it lacks is replaced, at worst by `?`. */
export function encodeCp866(text: string): Buffer {
  const bytes: number[] = [];
  for (const character of text) {
    for (const known of REPLACEMENTS[character] ?? character) bytes.push(BYTES.get(known) ?? UNKNOWN);
  }
  return Buffer.from(bytes);
}

export function decodeCp866(bytes: Uint8Array): string {
  return new TextDecoder("ibm866").decode(bytes);
}

/** Node decodes the code page but does not encode it: the table is its decoder turned round. */
const BYTES: ReadonlyMap<string, number> = new Map(
  Array.from({ length: 256 }, (_, byte) => [decodeCp866(Uint8Array.of(byte)), byte] as const),
);
