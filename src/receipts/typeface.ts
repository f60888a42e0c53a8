import { Failure } from "../kernel/failure.ts";

/** A monospaced TrueType font: its characters and original outlines. */
export interface Typeface {
  /** PostScript name, for the PDF. */
  name: string;
  unitsPerEm: number;
  /** Width of all glyphs, in units of the em. */
  advance: number;
  ascent: number;
  descent: number;
  capHeight: number;
  xHeight: number;
  box: [number, number, number, number];
  /** Glyphs by code point of the basic plane. Contains only glyphs of the common width. */
  glyphs: ReadonlyMap<number, number>;
  /** Outline of a glyph. Empty for a space. */
  outline(glyph: number): Buffer;
  leftBearing(glyph: number): number;
  /** Tables that a subset copies: `head`, `hhea`, `maxp`. */
  table(tag: string): Buffer;
}

/**
 * Reads the parts of a TrueType file (OpenType specification 1.9) that `subset.ts` needs. Throws a `Failure` of kind `fault` when a part is
 * missing.
 */
export function readTypeface(file: Buffer, name: string): Typeface {
  const table = tablesOf(file);
  const head = table("head");
  const hhea = table("hhea");
  const os2 = table("OS/2");
  const outline = outlinesOf(table("glyf"), table("loca"), head.readInt16BE(50) === 1);
  const metrics = metricsOf(table("hmtx"), hhea.readUInt16BE(34));
  const mapping = mappingOf(table("cmap"));
  const advance = metrics.advance(mapping.get(ZERO) ?? 0);
  return {
    name,
    unitsPerEm: head.readUInt16BE(18),
    advance,
    ascent: hhea.readInt16BE(4),
    descent: hhea.readInt16BE(6),
    capHeight: os2.readInt16BE(88),
    xHeight: os2.readInt16BE(86),
    box: [head.readInt16BE(36), head.readInt16BE(38), head.readInt16BE(40), head.readInt16BE(42)],
    glyphs: new Map([...mapping].filter(([, glyph]) => metrics.advance(glyph) === advance)),
    outline,
    leftBearing: metrics.leftBearing,
    table,
  };
}

/** The code of the digit 0, whose width is the width of all glyphs. */
const ZERO = 0x30;

function tablesOf(file: Buffer): (tag: string) => Buffer {
  const places = new Map<string, Buffer>();
  for (let index = 0, at = 12; index < file.readUInt16BE(4); index++, at += 16) {
    const start = file.readUInt32BE(at + 8);
    places.set(file.toString("latin1", at, at + 4), file.subarray(start, start + file.readUInt32BE(at + 12)));
  }
  return (tag) => {
    const found = places.get(tag);
    if (found === undefined) throw new Failure("font-unusable", "fault", `the receipt font has no table ${tag}`);
    return found;
  };
}

function outlinesOf(glyf: Buffer, loca: Buffer, long: boolean): (glyph: number) => Buffer {
  const start = (glyph: number) => (long ? loca.readUInt32BE(glyph * 4) : loca.readUInt16BE(glyph * 2) * 2);
  return (glyph) => glyf.subarray(start(glyph), start(glyph + 1));
}

function metricsOf(hmtx: Buffer, count: number): { advance(glyph: number): number; leftBearing(glyph: number): number } {
  return {
    advance: (glyph) => hmtx.readUInt16BE(Math.min(glyph, count - 1) * 4),
    leftBearing: (glyph) => hmtx.readInt16BE(glyph < count ? glyph * 4 + 2 : count * 4 + (glyph - count) * 2),
  };
}

/** Returns the Unicode mapping of the basic plane (format 4). */
function mappingOf(cmap: Buffer): Map<number, number> {
  for (let index = 0; index < cmap.readUInt16BE(2); index++) {
    const at = cmap.readUInt32BE(4 + index * 8 + 4);
    if (cmap.readUInt16BE(at) === 4) return segmentsOf(cmap.subarray(at));
  }
  throw new Failure("font-unusable", "fault", "the receipt font has no character map of format 4");
}

function segmentsOf(map: Buffer): Map<number, number> {
  const found = new Map<number, number>();
  const bytes = map.readUInt16BE(6);
  for (let at = 0; at < bytes; at += 2) {
    const last = map.readUInt16BE(14 + at);
    const first = map.readUInt16BE(16 + bytes + at);
    const delta = map.readUInt16BE(16 + 2 * bytes + at);
    const rangeAt = 16 + 3 * bytes + at;
    const range = map.readUInt16BE(rangeAt);
    for (let code = first; code <= last && code !== 0xffff; code++) {
      const glyph = range === 0 ? code : map.readUInt16BE(rangeAt + range + 2 * (code - first));
      if (glyph !== 0) found.set(code, (glyph + delta) & 0xffff);
    }
  }
  return found;
}
