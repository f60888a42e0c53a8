import type { Paper } from "../model/paper.ts";

const MM = 72 / 25.4;

/** Dots of a thermal print head (203 dpi) in a point. QR modules end on whole dots, and on a roll the rows too. */
export const DOTS_PER_POINT = 203 / 72;

/** Smallest QR code: 20 mm without its margin (fiscal-receipts 7.2). */
export const MIN_QR_PT = 20 * MM;
/** The white margin on every side of the QR code, in modules. */
export const QR_MARGIN_MODULES = 4;

/** A kind of paper, and the placement of its text. All sizes in points. */
export interface Layout {
  columns: number;
  pageWidthPt: number;
  /** True: all pages have the height `maxHeightPt`. False (a roll): a page ends with its text, at the latest at `maxHeightPt`. */
  sheet: boolean;
  maxHeightPt: number;
  marginLeftPt: number;
  marginTopPt: number;
  marginBottomPt: number;
  fontSizePt: number;
  /** In per cent of the font's own width. */
  horizontalScale: number;
  rowPitchPt: number;
  blockGapPt: number;
}

/** The x-height of JetBrains Mono is 0.55 em, so lower case letters of 2 mm need 10.31 pt (fiscal-receipts 7.2). */
const FONT_SIZE_PT = 10.31;
/**
 * 38 dots at 203 dpi: 13.5 pt. With this distance, half a millimetre is left between a descender and an accented capital, even in strong
 * text (measured on the drawn page). The 12.6 pt of fiscal-receipts 7.2 leave less.
 */
const ROW_PITCH_PT = 38 / DOTS_PER_POINT;
/** Longest page that PDF readers show (fiscal-receipts 7.3). */
const MAX_PAGE_PT = 14_400;

const ROLL = {
  sheet: false,
  maxHeightPt: MAX_PAGE_PT,
  marginTopPt: 3 * MM,
  marginBottomPt: 3 * MM,
  fontSizePt: FONT_SIZE_PT,
  horizontalScale: 68.7,
  rowPitchPt: ROW_PITCH_PT,
  blockGapPt: 10 / DOTS_PER_POINT,
} as const;

/**
 * The margins of fiscal-receipts 7.3, and the most columns that fit into the printable width: 48 mm on paper of 58 mm, 72 mm on paper of 80
 * mm.
 */
export const LAYOUTS: Record<Paper, Layout> = {
  "58": { ...ROLL, columns: 32, pageWidthPt: 164.41, marginLeftPt: 5 * MM },
  "80": { ...ROLL, columns: 48, pageWidthPt: 226.77, marginLeftPt: 4 * MM },
  a4: {
    columns: 72,
    pageWidthPt: 595.28,
    sheet: true,
    maxHeightPt: 841.89,
    marginLeftPt: (595.28 - 72 * 0.6 * FONT_SIZE_PT) / 2,
    marginTopPt: 15 * MM,
    marginBottomPt: 15 * MM,
    fontSizePt: FONT_SIZE_PT,
    horizontalScale: 100,
    rowPitchPt: 13.5,
    blockGapPt: 5,
  },
};
