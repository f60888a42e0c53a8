import { decodeCp866, encodeCp866 } from "../../../tags/cp866.ts";

/**
 * Converts a command's text (Windows-1251) to the drive's characters (CP866). A replaced letter may become several characters. A text that
 * is too long is cut, never refused.
 */
export function storedText(text: string, maxBytes: number): string {
  return decodeCp866(encodeCp866(text).subarray(0, maxBytes));
}
