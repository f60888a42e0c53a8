import { CP1251 } from "../../../model/texts/code-page.ts";

/**
 * The text of commands is Windows-1251 (shtrih-protocol 0.2). Texts inside TLV are CP866, see tags/cp866. A letter outside the code page
 * becomes similar letters, or `?`. No text is refused.
 */

/** Encodes a text in Windows-1251 and cuts the bytes at the limit. */
export function encodeCp1251(text: string, maxBytes = Number.POSITIVE_INFINITY): Buffer {
  return CP1251.encode(text).subarray(0, maxBytes);
}

/** Decodes Windows-1251. Every byte has a character, so encoding restores the bytes. */
export function decodeCp1251(bytes: Uint8Array): string {
  return CP1251.decode(bytes);
}
