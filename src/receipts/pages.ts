import type { Layout } from "./layouts.ts";
import type { Group, Line } from "./lines.ts";

/** A page and its rows, frames and QR code, measured in points from the upper left corner. */
export interface Page {
  heightPt: number;
  rows: { line: Line; topPt: number }[];
  frames: { topPt: number; heightPt: number }[];
  qrTopPt?: number;
}

/**
 * Puts whole groups onto pages. Only a group taller than a page is split between lines. The QR code comes last. On a roll the white space
 * between groups is left out if that saves a page.
 */
export function pagesOf(groups: readonly Group[], layout: Layout, qrBoxPt: number | undefined): Page[] {
  const pages = flowed(groups, layout, qrBoxPt);
  if (pages.length === 1) return pages;
  if (layout.sheet) return pages.map((page, index) => ({ ...page, rows: [...page.rows, sheetNumber(index + 1, pages.length, layout)] }));
  const dense = flowed(groups, { ...layout, blockGapPt: 0 }, qrBoxPt);
  return dense.length < pages.length ? dense : pages;
}

function flowed(groups: readonly Group[], layout: Layout, qrBoxPt: number | undefined): Page[] {
  const flow = new Flow(layout);
  for (const [index, group] of groups.entries()) {
    // The last group stays with the QR code if both fit on a page, so that the code is not alone there.
    const followedByPt = index === groups.length - 1 ? (qrBoxPt ?? 0) : 0;
    if (group.edge === "frame") flow.addFrame(group.lines);
    else flow.addLines(group.lines, group.edge === "none" ? layout.blockGapPt : 0, followedByPt);
  }
  if (qrBoxPt !== undefined) flow.addQr(qrBoxPt);
  return flow.end();
}

/**
 * Returns the row with the sheet's number and the number of sheets, because sheets may be separated. The row is at the right end of the
 * lower margin.
 */
function sheetNumber(number: number, count: number, layout: Layout): Page["rows"][number] {
  const text = `лист ${number} из ${count}`.padStart(layout.columns);
  return { line: { text, shift: 0, weight: "plain" }, topPt: layout.maxHeightPt - (layout.marginBottomPt + layout.rowPitchPt) / 2 };
}

function rowHeightPt(line: Line, layout: Layout): number {
  return line.weight === "tall" ? 2 * layout.rowPitchPt : layout.rowPitchPt;
}

/** White space between a frame and its text, and below the frame. */
const FRAME_PADDING_PT = 4;

class Flow {
  readonly #layout: Layout;
  readonly #pages: Page[] = [];
  #page: Page;
  #yPt: number;

  constructor(layout: Layout) {
    this.#layout = layout;
    this.#page = { heightPt: 0, rows: [], frames: [] };
    this.#yPt = layout.marginTopPt;
  }

  addLines(lines: readonly Line[], gapPt: number, followedByPt: number): void {
    const gap = this.#isEmpty() ? 0 : gapPt;
    const heightPt = lines.reduce((sum, line) => sum + rowHeightPt(line, this.#layout), gap + followedByPt);
    if (this.#fits(heightPt)) this.#yPt += gap;
    else this.#turn();
    for (const line of lines) this.#addLine(line);
  }

  addFrame(lines: readonly Line[]): void {
    const heightPt = lines.reduce((sum, line) => sum + rowHeightPt(line, this.#layout), 2 * FRAME_PADDING_PT);
    if (!this.#fits(heightPt + FRAME_PADDING_PT)) this.#turn();
    this.#page.frames.push({ topPt: this.#yPt, heightPt });
    this.#yPt += FRAME_PADDING_PT;
    for (const line of lines) this.#addLine(line);
    this.#yPt += 2 * FRAME_PADDING_PT;
  }

  addQr(boxPt: number): void {
    if (!this.#fits(boxPt)) this.#turn();
    this.#page.qrTopPt = this.#yPt;
    this.#yPt += boxPt;
  }

  end(): Page[] {
    const { sheet, maxHeightPt, marginBottomPt } = this.#layout;
    this.#page.heightPt = sheet ? maxHeightPt : this.#yPt + marginBottomPt;
    this.#pages.push(this.#page);
    return this.#pages;
  }

  #addLine(line: Line): void {
    if (!this.#fits(rowHeightPt(line, this.#layout))) this.#turn();
    this.#page.rows.push({ line, topPt: this.#yPt });
    this.#yPt += rowHeightPt(line, this.#layout);
  }

  #turn(): void {
    if (this.#isEmpty()) return;
    this.end();
    this.#page = { heightPt: 0, rows: [], frames: [] };
    this.#yPt = this.#layout.marginTopPt;
  }

  #isEmpty(): boolean {
    return this.#page.rows.length === 0 && this.#page.frames.length === 0;
  }

  #fits(heightPt: number): boolean {
    return this.#yPt + heightPt <= this.#layout.maxHeightPt - this.#layout.marginBottomPt;
  }
}
