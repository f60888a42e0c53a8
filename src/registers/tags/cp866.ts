import { CP866 } from "../../model/texts/code-page.ts";

/** Encodes a text in code page 866, as a drive stores it. Characters outside the page become similar characters or `?`. */
export function encodeCp866(text: string): Buffer {
  return CP866.encode(text);
}

export function decodeCp866(bytes: Uint8Array): string {
  return CP866.decode(bytes);
}
