import { CP1251 } from "../../../model/texts/code-page.ts";

/**
 * The text of commands is Windows-1251 (reference 0.2). Texts inside TLV are CP866, see tags/cp866. A letter that the code page lacks is
 * spelled with other letters, at worst as `?`. Such a text is never refused.
 */

/** Returns the text in Windows-1251, one byte a character, cut at the limit. */
export function encodeCp1251(text: string, maxBytes = Number.POSITIVE_INFINITY): Buffer {
  return CP1251.encode(text).subarray(0, maxBytes);
}

/** Returns the text of the bytes. Every byte has a character, so encoding the text gives the same bytes back. */
export function decodeCp1251(bytes: Uint8Array): string {
  return CP1251.decode(bytes);
}
