import { decodeCp866, encodeCp866 } from "../../../tags/cp866.ts";

/**
 * Text of a command, which is Windows-1251, as the drive keeps it: CP866 lacks letters that the other has,
 * and near ones may be longer. Nothing is refused for its letters; what does not fit is cut.
 */
export function storedText(text: string, maxBytes: number): string {
  return decodeCp866(encodeCp866(text).subarray(0, maxBytes));
}
