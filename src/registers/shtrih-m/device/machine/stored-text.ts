import { decodeCp866, encodeCp866 } from "../../../tags/cp866.ts";

/**
 * Text of a command (Windows-1251) as the drive keeps it (CP866). CP866 lacks some letters, and the letters that
 * replace them may be longer. No text is refused for its letters; what does not fit is cut.
 */
export function storedText(text: string, maxBytes: number): string {
  return decodeCp866(encodeCp866(text).subarray(0, maxBytes));
}
