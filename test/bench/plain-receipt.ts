import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { ZipArchive } from "archiver";
import PDFDocument from "pdfkit";
import { wallAsUtcMs } from "../../src/kernel/moment.ts";
import type { DrawnReceipt, ReceiptOrder, ReceiptPrinter } from "../../src/receipts/draw.ts";
import { drawable } from "../../src/receipts/drawable.ts";
import { loadFont } from "../../src/receipts/font.ts";
import { LAYOUTS, type Layout } from "../../src/receipts/layouts.ts";
import { linesOf } from "../../src/receipts/lines.ts";
import { type Page, pagesOf } from "../../src/receipts/pages.ts";
import { QrEncoder } from "../../src/receipts/qr-code/encoder.ts";
import type { Modules } from "../../src/receipts/qr-code/modules.ts";
import { qrStripsOf } from "../../src/receipts/qr-code/strips.ts";
import { receiptOf } from "../../src/receipts/receipt.ts";

const FONT = createRequire(import.meta.url).resolve("@expo-google-fonts/jetbrains-mono/400Regular/JetBrainsMono_400Regular.ttf");

/**
 * Draws the same page in the way of pdfkit's guide: the font is registered with each document, each line is a call of
 * `text`, each black module of the QR code is a rectangle, and the PDF is deflated once more into the zip. The real
 * drawing is compared with it, and nothing else uses it.
 */
export function createReceiptPrinter(): ReceiptPrinter {
  const font = readFileSync(FONT);
  const { has } = loadFont();
  const encoder = new QrEncoder();
  return {
    async drawReceipt({ document, facts, paper, copy }: ReceiptOrder): Promise<DrawnReceipt> {
      const layout = LAYOUTS[paper];
      const receipt = receiptOf(document, facts, { copy: copy ?? false });
      const groups = linesOf(receipt, layout.columns, (text) => drawable(text, has));
      const qr = receipt.qr === undefined ? undefined : encoder.encode(receipt.qr);
      const boxPt = qr && qrStripsOf(qr).boxPt;
      const creation = new Date(wallAsUtcMs(receipt.time));
      const pdf = await drawPlainly(pagesOf(groups, layout, boxPt), layout, { font, qr, title: receipt.title, creation });
      return { pdf, zip: await zipped(pdf, creation) };
    },
  };
}

/** With the font's ligatures fontkit throws on `--`. Without them every text can be drawn, in a fraction of the time. */
const PLAIN_FEATURES = { calt: false, liga: false } as never;

interface Plain {
  font: Buffer;
  qr: Modules | undefined;
  title: string;
  creation: Date;
}

async function drawPlainly(pages: readonly Page[], layout: Layout, { font, qr, title, creation }: Plain): Promise<Buffer> {
  const document = new PDFDocument({ autoFirstPage: false, info: { Title: title, CreationDate: creation } });
  const chunks: Buffer[] = [];
  const ended = new Promise<void>((resolve) => {
    document.on("data", (chunk: Buffer) => chunks.push(chunk));
    document.on("end", resolve);
  });
  document.registerFont("receipt", font);
  for (const page of pages) {
    document.addPage({ size: [layout.pageWidthPt, page.heightPt], margin: 0 });
    document.font("receipt").fontSize(layout.fontSizePt);
    for (const { line, topPt } of page.rows) {
      const options = { lineBreak: false, horizontalScaling: layout.horizontalScale, features: PLAIN_FEATURES };
      document.text(line.text, layout.marginLeftPt, topPt, options);
    }
    for (const { topPt, heightPt } of page.frames) {
      document.rect(layout.marginLeftPt, topPt, layout.pageWidthPt - 2 * layout.marginLeftPt, heightPt).stroke();
    }
    if (qr !== undefined && page.qrTopPt !== undefined) drawModules(document, qr, layout, page.qrTopPt);
  }
  document.end();
  await ended;
  return Buffer.concat(chunks);
}

function drawModules(document: PDFKit.PDFDocument, modules: Modules, layout: Layout, topPt: number): void {
  const { size } = modules;
  const { modulePt, boxPt } = qrStripsOf(modules);
  const margin = (boxPt - size * modulePt) / 2;
  const left = (layout.pageWidthPt - boxPt) / 2 + margin;
  for (let row = 0; row < size; row += 1) {
    for (let column = 0; column < size; column += 1) {
      if (modules.isDark(row, column)) document.rect(left + column * modulePt, topPt + margin + row * modulePt, modulePt, modulePt).fill();
    }
  }
}

async function zipped(pdf: Buffer, date: Date): Promise<Buffer> {
  const archive = new ZipArchive();
  const chunks: Buffer[] = [];
  archive.on("data", (chunk: Buffer) => chunks.push(chunk));
  archive.append(pdf, { name: "receipt.pdf", date });
  await archive.finalize();
  return Buffer.concat(chunks);
}
