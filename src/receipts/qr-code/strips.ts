import { DOTS_PER_POINT, MIN_QR_PT, QR_MARGIN_MODULES } from "../layouts.ts";
import type { Modules } from "./modules.ts";

/** A QR code as black strips, in modules from the corner of its white margin. */
export interface QrStrips {
  modulePt: number;
  /** Width and height, with the margin. */
  boxPt: number;
  strips: { column: number; row: number; width: number }[];
}

/**
 * The strips of a QR code. A module is a whole number of dots of a 203 dpi head, and the code is at least 20 mm wide (fiscal-receipts 2).
 */
export function qrStripsOf(modules: Modules): QrStrips {
  const { size } = modules;
  const modulePt = Math.ceil((MIN_QR_PT * DOTS_PER_POINT) / size) / DOTS_PER_POINT;
  const strips: QrStrips["strips"] = [];
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      const start = column;
      while (column < size && modules.isDark(row, column)) column++;
      if (column > start) strips.push({ column: QR_MARGIN_MODULES + start, row: QR_MARGIN_MODULES + row, width: column - start });
    }
  }
  return { modulePt, boxPt: (size + 2 * QR_MARGIN_MODULES) * modulePt, strips };
}
