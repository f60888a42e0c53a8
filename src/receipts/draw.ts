import { present } from "../kernel/present.ts";
import type { RegisterDocument } from "../model/document.ts";
import type { DocumentFacts } from "../model/facts.ts";
import type { Paper } from "../model/paper.ts";
import { archiveOf } from "./archive.ts";
import { drawable } from "./drawable.ts";
import { type Font, loadFont } from "./font.ts";
import { LAYOUTS } from "./layouts.ts";
import { type Group, linesOf } from "./lines.ts";
import { Pace } from "./pace.ts";
import { pagesOf } from "./pages.ts";
import { type Drawing, drawPdf } from "./pdf.ts";
import { QrEncoder } from "./qr-code/encoder.ts";
import { qrStripsOf } from "./qr-code/strips.ts";
import { receiptOf } from "./receipt.ts";

/** The parts of a receipt. */
export interface ReceiptOrder {
  document: RegisterDocument;
  facts: DocumentFacts;
  paper: Paper;
  copy?: boolean;
}

export interface DrawnReceipt {
  pdf: Buffer;
  zip: Buffer;
}

export interface ReceiptPrinter {
  /**
   * Draws the receipt and packs it. The same order gives the same bytes. Throws a `Failure` of kind `fault` when document and facts do not
   * belong together or their sums differ.
   */
  drawReceipt(order: ReceiptOrder): Promise<DrawnReceipt>;
}

/** Reads the font once for all receipts. Throws when the font cannot be read. */
export function createReceiptPrinter(): ReceiptPrinter {
  const tools = { font: loadFont(), encoder: new QrEncoder() };
  return {
    async drawReceipt(order) {
      const pace = new Pace();
      const pdf = await drawPdf(await layOut(order, tools, pace), tools.font, pace);
      return { pdf, zip: await archiveOf(pdf, order.facts.time) };
    },
  };
}

interface Tools {
  font: Font;
  encoder: QrEncoder;
}

/** Blocks (mostly positions) laid out in one step. A step takes at most two milliseconds, even with names full of unusual characters. */
const BLOCKS_AT_ONCE = 20;

async function layOut({ document, facts, paper, copy }: ReceiptOrder, { font, encoder }: Tools, pace: Pace): Promise<Drawing> {
  const layout = LAYOUTS[paper];
  const receipt = receiptOf(document, facts, { copy: copy ?? false });
  await pace.after(receipt.blocks.length);
  const groups: Group[] = [];
  for (let at = 0; at < receipt.blocks.length; at += BLOCKS_AT_ONCE) {
    const blocks = receipt.blocks.slice(at, at + BLOCKS_AT_ONCE);
    const laidOut = linesOf({ blocks }, layout.columns, (text) => drawable(text, font.has));
    groups.push(...laidOut);
    await pace.after(rowsOf(laidOut));
  }
  const qr = receipt.qr === undefined ? undefined : qrStripsOf(encoder.encode(receipt.qr));
  const pages = pagesOf(groups, layout, qr?.boxPt);
  await pace.after(rowsOf(groups));
  return { receipt, layout, pages, ...present({ qr }) };
}

function rowsOf(groups: readonly Group[]): number {
  return groups.reduce((rows, { lines }) => rows + lines.length, 0);
}
