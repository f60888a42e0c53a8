import PDFDocument from "pdfkit";
import { Failure } from "../kernel/failure.ts";
import { wallAsUtcMs } from "../kernel/moment.ts";
import { present } from "../kernel/present.ts";
import type { Font, FontCut } from "./font.ts";
import type { Layout } from "./layouts.ts";
import type { Line } from "./lines.ts";
import type { Pace } from "./pace.ts";
import type { Page } from "./pages.ts";
import type { QrStrips } from "./qr-code/strips.ts";
import type { Receipt } from "./rows.ts";

export interface Drawing {
  receipt: Pick<Receipt, "title" | "time">;
  layout: Layout;
  pages: readonly Page[];
  qr?: QrStrips;
}

/**
 * Draws the pages. A long receipt takes several turns of the event loop. The same drawing gives the same bytes in any process and time
 * zone, so pdfkit's machine-dependent features (dates, the default font) are not used. Text is written as PDF operators, with glyphs from
 * the font's own character map.
 */
export async function drawPdf({ receipt, layout, pages, qr }: Drawing, font: Font, pace: Pace): Promise<Buffer> {
  const document = new PDFDocument({
    autoFirstPage: false,
    // An empty name keeps pdfkit from loading Helvetica, which has no Cyrillic.
    font: "",
    lang: "ru",
    info: { Title: receipt.title, Creator: "fiscal-solution", CreationDate: new Date(wallAsUtcMs(receipt.time)) },
  });
  const cut = font.cutFor(pages.flatMap((page) => page.rows.map(({ line }) => line.text)));
  const face = embed(document, font, cut);
  for (const page of pages) {
    document.addPage({ size: [layout.pageWidthPt, page.heightPt], margin: 0 });
    document.page.fonts[FACE] = face;
    document.page.content.write(Buffer.from(await contentOf(page, { layout, cut, font, pace, ...present({ qr }) }), "latin1"));
  }
  document.end();
  return bytesOf(document);
}

const FACE = "F1";

function bytesOf(document: PDFKit.PDFDocument): Buffer {
  const bytes: unknown = document.read();
  if (Buffer.isBuffer(bytes)) return bytes;
  throw new Failure("pdf-empty", "fault", "pdfkit gave no bytes back");
}

/** The outline of strong text, in points. Strong text has an outline instead of a second font, which would make the file larger by half. */
const STRONG_PT = 0.32;
const FRAME_PT = 0.75;

interface Manner {
  layout: Layout;
  cut: FontCut;
  font: Font;
  pace: Pace;
  qr?: QrStrips;
}

async function contentOf(page: Page, { layout, cut, font, pace, qr }: Manner): Promise<string> {
  const { unitsPerEm, advance } = font.typeface;
  const columnPt = (layout.fontSizePt * layout.horizontalScale * advance) / (100 * unitsPerEm);
  const pen = new Pen(layout, columnPt, cut);
  for (const { line, topPt } of page.rows) {
    if (line.weight === "tall") pen.writeTall(line, topPt);
    else pen.write(line, topPt);
    await pace.after(1);
  }
  const widthPt = layout.pageWidthPt - 2 * layout.marginLeftPt;
  const frames = page.frames.map(
    (frame) => `${FRAME_PT} w ${[layout.marginLeftPt, frame.topPt, widthPt, frame.heightPt].map(number).join(" ")} re S`,
  );
  const code = qr === undefined || page.qrTopPt === undefined ? [] : [qrOf(qr, (layout.pageWidthPt - qr.boxPt) / 2, page.qrTopPt)];
  return [...pen.operators(), ...frames, ...code].join("\n");
}

/** From the base line to the row's lower end, as a part of the font size: the descender and half of the white space between rows. */
const BELOW_BASE_EM = 0.25;
/** A tall line is widened by this factor if it fits: double height alone looks squeezed. */
const TALL_WIDENING = 1.5;

/** Writes lines as text operators. pdfkit's pages have their origin at the top and a mirrored axis, so the text is mirrored back. */
class Pen {
  readonly #layout: Layout;
  readonly #columnPt: number;
  readonly #cut: FontCut;
  readonly #operators: string[];
  /** The beginning of the last written line. Undefined before the first line and after a tall line. */
  #last: { x: number; y: number } | undefined;
  #strong = false;

  constructor(layout: Layout, columnPt: number, cut: FontCut) {
    this.#layout = layout;
    this.#columnPt = columnPt;
    this.#cut = cut;
    const { fontSizePt, horizontalScale, rowPitchPt } = layout;
    this.#operators = [`BT /${FACE} ${fontSizePt} Tf ${horizontalScale} Tz ${number(rowPitchPt)} TL ${STRONG_PT} w`];
  }

  write(line: Line, topPt: number): void {
    this.#thicken(line.weight !== "plain");
    const x = this.#layout.marginLeftPt + line.shift * this.#columnPt;
    const y = topPt + this.#layout.rowPitchPt - BELOW_BASE_EM * this.#layout.fontSizePt;
    const shown = this.#cut.encode(line.text);
    const last = this.#last;
    if (last === undefined) this.#operators.push(`1 0 0 -1 ${number(x)} ${number(y)} Tm ${shown} Tj`);
    else if (x === last.x && Math.abs(y - last.y - this.#layout.rowPitchPt) < TINY_PT) this.#operators.push(`${shown} '`);
    else this.#operators.push(`${number(x - last.x)} ${number(last.y - y)} Td ${shown} Tj`);
    this.#last = { x, y };
  }

  /** Writes in double height, the label on the left and the value on the right. */
  writeTall(line: Line, topPt: number): void {
    const { marginLeftPt, rowPitchPt, fontSizePt, columns } = this.#layout;
    this.#thicken(true);
    const [label = "", value = ""] = line.text.trim().split(/ {2,}| (?=[^ ]+$)/);
    const widening = (label.length + 1 + value.length) * TALL_WIDENING <= columns ? TALL_WIDENING : 1;
    const y = number(topPt + 2 * (rowPitchPt - BELOW_BASE_EM * fontSizePt));
    const valueX = marginLeftPt + (columns - value.length * widening) * this.#columnPt;
    for (const [text, x] of [
      [label, marginLeftPt],
      [value, valueX],
    ] as const) {
      this.#operators.push(`${widening} 0 0 -2 ${number(x)} ${y} Tm ${this.#cut.encode(text)} Tj`);
    }
    this.#last = undefined;
  }

  operators(): string[] {
    return [...this.#operators, "ET"];
  }

  #thicken(strong: boolean): void {
    if (strong !== this.#strong) this.#operators.push(strong ? "2 Tr" : "0 Tr");
    this.#strong = strong;
  }
}

/** The tolerance for comparing sums of row heights. */
const TINY_PT = 1e-6;

/** Returns the QR code as one path, so that no fine line shows between touching strips. The unit of the path is the module. */
function qrOf({ modulePt, strips }: QrStrips, left: number, top: number): string {
  const scale = number(modulePt);
  const path = strips.map(({ column, row, width }) => `${column} ${row} ${width} 1 re`).join("\n");
  return `q ${scale} 0 0 ${scale} ${number(left)} ${number(top)} cm\n${path}\nf Q`;
}

function embed(document: PDFKit.PDFDocument, { typeface }: Font, cut: FontCut): PDFKit.PDFKitReference {
  const toEm = 1000 / typeface.unitsPerEm;
  const name = `${cut.tag}+${typeface.name}`;
  const file = finished(document, { Filter: "FlateDecode", Length1: cut.fileLength }, cut.file);
  const descriptor = finished(document, {
    Type: "FontDescriptor",
    FontName: name,
    Flags: FIXED_PITCH | SYMBOLIC,
    FontBBox: typeface.box.map((edge) => edge * toEm),
    ItalicAngle: 0,
    Ascent: typeface.ascent * toEm,
    Descent: typeface.descent * toEm,
    CapHeight: typeface.capHeight * toEm,
    XHeight: typeface.xHeight * toEm,
    StemV: STEM,
    FontFile2: file,
  });
  const descendant = finished(document, {
    Type: "Font",
    Subtype: "CIDFontType2",
    BaseFont: name,
    CIDSystemInfo: { Registry: new String("Adobe"), Ordering: new String("Identity"), Supplement: 0 },
    FontDescriptor: descriptor,
    DW: typeface.advance * toEm,
    CIDToGIDMap: "Identity",
  });
  return finished(document, {
    Type: "Font",
    Subtype: "Type0",
    BaseFont: name,
    Encoding: "Identity-H",
    DescendantFonts: [descendant],
    ToUnicode: finished(document, { Filter: "FlateDecode" }, cut.toUnicode),
  });
}

/** Flags of a font descriptor (PDF 1.7, 9.8.2). */
const FIXED_PITCH = 1;
const SYMBOLIC = 4;
/** Stem thickness in thousandths of the em, for readers that replace the font. */
const STEM = 80;

function finished(document: PDFKit.PDFDocument, entries: object, stream?: Buffer): PDFKit.PDFKitReference {
  const reference = document.ref(entries);
  reference.end(stream);
  return reference;
}

/** Rounds to three decimals. A thousandth of a point is far smaller than a printer's dot. */
function number(value: number): string {
  return String(Math.round(value * 1000) / 1000);
}
