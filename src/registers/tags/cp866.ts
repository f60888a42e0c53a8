import { CP866 } from "../../model/texts/code-page.ts";

/**
 * Returns the text as a drive stores it: one byte for each character of code page 866. Characters that the page lacks are replaced by
 * similar characters, or by `?`.
 */
export function encodeCp866(text: string): Buffer {
  return CP866.encode(text);
}

export function decodeCp866(bytes: Uint8Array): string {
  return CP866.decode(bytes);
}
