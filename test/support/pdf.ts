import { createCanvas, DOMMatrix, ImageData, Path2D } from "@napi-rs/canvas";
import type { PDFDocumentProxy } from "pdfjs-dist/legacy/build/pdf.mjs";

// pdf.js takes these from the browser or from a canvas of its own, whose paths ours does not know.
Object.assign(globalThis, { DOMMatrix, ImageData, Path2D });
const { getDocument } = await import("pdfjs-dist/legacy/build/pdf.mjs");

/** A page of a PDF as a reader sees it. */
export interface ReadPage {
  widthPt: number;
  heightPt: number;
  /** Lines from top to bottom, the columns of their text restored. */
  lines: string[];
  /** The picture at 203 dpi, or at what was asked for: one byte for each of red, green, blue and opacity. */
  picture: { width: number; height: number; data: Uint8ClampedArray };
  png: Buffer;
}

/** Reads and draws a PDF with pdf.js: an implementation that shares nothing with ours. */
export async function readPdf(pdf: Buffer, options: { dpi?: number } = {}): Promise<ReadPage[]> {
  const loading = getDocument({ data: new Uint8Array(pdf), useSystemFonts: false, verbosity: 0 });
  const document = await loading.promise;
  const pages: ReadPage[] = [];
  for (let number = 1; number <= document.numPages; number++) pages.push(await readPage(document, number, (options.dpi ?? 203) / 72));
  await loading.destroy();
  return pages;
}

async function readPage(document: PDFDocumentProxy, number: number, scale: number): Promise<ReadPage> {
  const page = await document.getPage(number);
  const viewport = page.getViewport({ scale });
  const canvas = createCanvas(Math.ceil(viewport.width), Math.ceil(viewport.height));
  const context = canvas.getContext("2d");
  await page.render({ canvas: null, canvasContext: context as never, viewport, background: "white" }).promise;
  const { width, height, data } = context.getImageData(0, 0, canvas.width, canvas.height);
  const [, , widthPt = 0, heightPt = 0] = page.view;
  return { widthPt, heightPt, lines: await linesOf(page), picture: { width, height, data }, png: canvas.toBuffer("image/png") };
}

async function linesOf(page: Awaited<ReturnType<PDFDocumentProxy["getPage"]>>): Promise<string[]> {
  const { items } = await page.getTextContent({ disableNormalization: true });
  const rows = new Map<number, { x: number; text: string }[]>();
  for (const item of items) {
    if (!("str" in item) || item.str === "") continue;
    const [, , , , x, y] = item.transform as number[];
    const key = Math.round((y ?? 0) * 10);
    rows.set(key, [...(rows.get(key) ?? []), { x: x ?? 0, text: item.str }]);
  }
  return [...rows]
    .sort(([a], [b]) => b - a)
    .map(([, parts]) =>
      parts
        .sort((a, b) => a.x - b.x)
        .map(({ text }) => text)
        .join(""),
    );
}
