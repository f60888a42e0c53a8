import { decodeCp866, encodeCp866 } from "../../../tags/cp866.ts";

/**
 * Converts a command's text (Windows-1251) to the drive's characters (CP866). A letter that CP866 lacks is replaced, perhaps by several
 * characters. A text that is too long is cut, never refused.
 */
export function storedText(text: string, maxBytes: number): string {
  return decodeCp866(encodeCp866(text).subarray(0, maxBytes));
}
