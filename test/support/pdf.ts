import { readFile, writeFile } from "node:fs/promises";
import { createCanvas, DOMMatrix, ImageData, loadImage, Path2D } from "@napi-rs/canvas";
import type { PDFDocumentProxy } from "pdfjs-dist/legacy/build/pdf.mjs";

// pdf.js takes these classes from the browser or from a canvas library of its own, whose paths the library used here
// does not know.
Object.assign(globalThis, { DOMMatrix, ImageData, Path2D });
const { getDocument } = await import("pdfjs-dist/legacy/build/pdf.mjs");

/** A page of a PDF as a reader sees it. */
export interface ReadPage {
  widthPt: number;
  heightPt: number;
  /** The lines from top to bottom, with their text in columns. */
  lines: string[];
  /** The picture at 203 dpi, or the resolution that was asked for: one byte each for red, green, blue and opacity. */
  picture: { width: number; height: number; data: Uint8ClampedArray };
}

/** Reads and draws a PDF with pdf.js, which shares no code with the server. */
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
  return { widthPt, heightPt, lines: await linesOf(page), picture: { width, height, data } };
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

/** The share of pixels that are ink in one picture and paper in the other. It is 1 when the sizes differ. */
export function difference(left: ReadPage["picture"], right: ReadPage["picture"]): number {
  if (left.width !== right.width || left.height !== right.height) return 1;
  let differing = 0;
  for (let at = 0; at < left.data.length; at += 4) if (isInk(left.data, at) !== isInk(right.data, at)) differing++;
  return differing / (left.width * left.height);
}

/**
 * The picture in a PNG file, in ink and paper only. With UPDATE_GOLDEN the drawn picture is first written to the file,
 * for a person to look at.
 */
export async function goldenPicture(file: URL, drawn: ReadPage["picture"]): Promise<ReadPage["picture"]> {
  if (process.env.UPDATE_GOLDEN === "1") await writeFile(file, inkPng(drawn));
  const image = await loadImage(await readFile(file));
  const context = createCanvas(image.width, image.height).getContext("2d");
  context.drawImage(image, 0, 0);
  const { width, height, data } = context.getImageData(0, 0, image.width, image.height);
  return { width, height, data };
}

/** Makes a PNG with two colours, which takes a tenth of the bytes. */
function inkPng({ width, height, data }: ReadPage["picture"]): Buffer {
  const canvas = createCanvas(width, height);
  const image = new ImageData(width, height);
  for (let at = 0; at < data.length; at += 4) {
    image.data.fill(isInk(data, at) ? 0 : 255, at, at + 3);
    image.data[at + 3] = 255;
  }
  canvas.getContext("2d").putImageData(image, 0, 0);
  return canvas.toBuffer("image/png");
}

/** A pixel that is half black counts as ink. Such pixels are at the edges of lines. */
const INK = 128;

function isInk(data: Uint8ClampedArray, at: number): boolean {
  return (data[at] ?? 255) < INK;
}

/** The rows or columns of the picture that have ink, as spans in millimetres from the upper left corner. */
export function inkSpansMm(picture: ReadPage["picture"], along: "rows" | "columns", dpi: number): { startMm: number; endMm: number }[] {
  const { width, height, data } = picture;
  const [length, across] = along === "rows" ? [height, width] : [width, height];
  const inked = (at: number) => {
    for (let other = 0; other < across; other++) {
      const pixel = along === "rows" ? at * width + other : other * width + at;
      if (isInk(data, pixel * 4)) return true;
    }
    return false;
  };
  const spans: { startMm: number; endMm: number }[] = [];
  for (let at = 0; at < length; at++) {
    const start = at;
    while (at < length && inked(at)) at++;
    if (at > start) spans.push({ startMm: (start * 25.4) / dpi, endMm: (at * 25.4) / dpi });
  }
  return spans;
}
