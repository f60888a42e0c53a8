import { nextTurn } from "../kernel/clock.ts";
import type { RegisterDocument } from "../model/document.ts";
import type { DocumentFacts } from "../model/facts.ts";
import type { Paper } from "../model/paper.ts";
import { archiveOf } from "./archive.ts";
import { drawable } from "./drawable.ts";
import { type Font, loadFont } from "./font.ts";
import { LAYOUTS } from "./layouts.ts";
import { linesOf } from "./lines.ts";
import { pagesOf } from "./pages.ts";
import { type Drawing, drawPdf } from "./pdf.ts";
import { qrStripsOf } from "./qr.ts";
import { QrEncoder } from "./qr-code/encoder.ts";
import { receiptOf } from "./receipt.ts";

/** What a receipt is drawn from: all of it stands in the journal. */
export interface ReceiptOrder {
  document: RegisterDocument;
  facts: DocumentFacts;
  paper: Paper;
  /** Marks the paper КОПИЯ. */
  copy?: boolean;
}

export interface DrawnReceipt {
  pdf: Buffer;
  /** The PDF as the one entry of a zip. */
  zip: Buffer;
}

export interface ReceiptPrinter {
  /**
   * Draws the receipt and packs it; the same order gives the same bytes. Safe to repeat.
   * Throws a `Failure` of kind `fault` when document and facts do not belong together or their sums differ.
   */
  drawReceipt(order: ReceiptOrder): Promise<DrawnReceipt>;
}

/** Reads the font once; every receipt after shares it. Throws when the font cannot be read. */
export function createReceiptPrinter(): ReceiptPrinter {
  const font = loadFont();
  const encoder = new QrEncoder();
  return {
    async drawReceipt(order) {
      const drawing = layOut(order, font, encoder);
      if (drawing.pages.reduce((rows, page) => rows + page.rows.length, 0) > LONG_ROWS) await nextTurn();
      const pdf = drawPdf(drawing, font);
      return { pdf, zip: await archiveOf(pdf, order.facts.time) };
    },
  };
}

/** Longer receipts are drawn in a turn of their own: 250 positions take some milliseconds to lay out and as many to draw. */
const LONG_ROWS = 400;

function layOut({ document, facts, paper, copy }: ReceiptOrder, font: Font, encoder: QrEncoder): Drawing {
  const layout = LAYOUTS[paper];
  const receipt = receiptOf(document, facts, { copy: copy ?? false });
  const groups = linesOf(receipt, layout.columns, (text) => drawable(text, font.has));
  const qr = receipt.qr === undefined ? undefined : qrStripsOf(encoder.encode(receipt.qr));
  const pages = pagesOf(groups, layout, qr?.boxPt);
  return { receipt, layout, pages, ...(qr === undefined ? {} : { qr }) };
}
