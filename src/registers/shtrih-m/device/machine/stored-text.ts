import { decodeCp866, encodeCp866 } from "../../../tags/cp866.ts";

/**
 * Returns the text of a command (Windows-1251) as the drive stores it (CP866). CP866 lacks some letters, and their
 * replacements may be longer. No text is refused for its letters; a text that is too long is cut.
 */
export function storedText(text: string, maxBytes: number): string {
  return decodeCp866(encodeCp866(text).subarray(0, maxBytes));
}
