import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { deflateSync } from "node:zlib";
import { subsetOf } from "./subset.ts";
import { readTypeface, type Typeface } from "./typeface.ts";

export interface Font {
  typeface: Typeface;
  /** True when the font can draw the character of this code (Unicode's basic plane) and texts are drawn with it. */
  has(code: number): boolean;
  /** Returns a subset that has every character of the texts: the common subset if it suffices, otherwise a new subset. */
  cutFor(texts: readonly string[]): FontCut;
}

/** A subset of the font, compressed and ready to embed in a PDF. */
export interface FontCut {
  /** Six letters that distinguish subsets (PDF 1.7, 9.6.4). */
  tag: string;
  file: Buffer;
  fileLength: number;
  /** Maps glyph numbers back to characters, for searching and copying. */
  toUnicode: Buffer;
  /** A text as a PDF string `(…)`. Each glyph number has two bytes, and each byte is one character of the result, or its escape. */
  encode(text: string): string;
}

/**
 * The characters of the common subset: ASCII, Russian letters and common signs in shops' names. Its compressed file has 7 KiB. A receipt
 * with other characters gets its own subset.
 */
const COMMON = ` !"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_\`abcdefghijklmnopqrstuvwxyz{|}~${[
  "АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмнопрстуфхцчшщъыьэюя",
  "Ёё№«»“”„‘’–—…×°₽□",
].join("")}`;

const FONT_FILE = "@expo-google-fonts/jetbrains-mono/400Regular/JetBrainsMono_400Regular.ttf";

/** Loads JetBrains Mono (OFL 1.1). Its ligatures stay unused, because the character map selects each glyph. */
export function loadFont(): Font {
  const file = readFileSync(createRequire(import.meta.url).resolve(FONT_FILE));
  const typeface = readTypeface(file, "JetBrainsMono-Regular");
  const common = cutOf(typeface, COMMON, "RECEIP");
  const visible = flagsOf([...typeface.glyphs.keys()].filter((code) => !UNSEEN.test(String.fromCharCode(code))));
  const known = flagsOf(Array.from(COMMON, (character) => character.charCodeAt(0)));
  return {
    typeface,
    has: (code) => visible[code] === 1,
    cutFor(texts) {
      const extra = new Set<string>();
      for (const text of texts) {
        for (let at = 0; at < text.length; at++) if (known[text.charCodeAt(at)] !== 1) extra.add(text.charAt(at));
      }
      return extra.size === 0 ? common : cutOf(typeface, COMMON + [...extra].sort().join(""), "RECEIX");
    },
  };
}

/** The number of codes in the basic plane. A table has one flag for each code, because every character of every text is looked up. */
const PLANE = 0x1_0000;

function flagsOf(codes: readonly number[]): Uint8Array {
  const flags = new Uint8Array(PLANE);
  for (const code of codes) flags[code] = 1;
  return flags;
}

/**
 * Controls, combining marks, and all spaces except the plain space. Fonts have glyphs for some of these, but texts are drawn without them.
 */
const UNSEEN = /[\p{C}\p{M}]|(?! )\p{Z}/u;

function cutOf(typeface: Typeface, characters: string, tag: string): FontCut {
  const { file } = subsetOf(typeface, characters);
  const numbers = new Uint16Array(PLANE);
  for (let at = 0; at < characters.length; at++) numbers[characters.charCodeAt(at)] = at + 1;
  const bytes = Array.from({ length: characters.length + 1 }, (_, number) => byteIn(number >> 8) + byteIn(number & 0xff));
  return {
    tag,
    file: deflateSync(file, { level: 9 }),
    fileLength: file.length,
    toUnicode: deflateSync(toUnicodeOf(characters), { level: 9 }),
    encode(text) {
      let encoded = "(";
      for (let at = 0; at < text.length; at++) encoded += bytes[numbers[text.charCodeAt(at)] ?? 0];
      return `${encoded})`;
    },
  };
}

/** Returns a byte in its PDF string form (PDF 1.7, 7.3.4.2). Hexadecimal digits would be twice as long and slow to compress. */
function byteIn(byte: number): string {
  const character = String.fromCharCode(byte);
  if (character === "\r") return "\\r";
  return "()\\".includes(character) ? `\\${character}` : character;
}

/** Largest number of ranges in one list (Adobe Technical Note 5411). */
const RANGES_IN_LIST = 100;

/** Returns the map from glyph numbers to characters (PDF 1.7, 9.10.3). */
function toUnicodeOf(characters: string): string {
  const ranges = rangesOf(characters).map(({ first, last, target }) => `<${hex(first)}> <${hex(last)}> <${hex(target)}>`);
  const lists: string[] = [];
  for (let at = 0; at < ranges.length; at += RANGES_IN_LIST) {
    const part = ranges.slice(at, at + RANGES_IN_LIST);
    lists.push(`${part.length} beginbfrange`, ...part, "endbfrange");
  }
  return [
    "/CIDInit /ProcSet findresource begin 12 dict begin begincmap",
    "/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def",
    "/CMapName /Adobe-Identity-UCS def /CMapType 2 def",
    "1 begincodespacerange <0000> <ffff> endcodespacerange",
    ...lists,
    "endcmap CMapName currentdict /CMap defineresource pop end end",
  ].join("\n");
}

/**
 * Returns ranges of consecutive characters. Within a range neither glyph numbers nor codes may cross a multiple of 256 (PDF 1.7, 9.10.3).
 */
function rangesOf(characters: string): { first: number; last: number; target: number }[] {
  const ranges: { first: number; last: number; target: number }[] = [];
  for (let at = 0; at < characters.length; at++) {
    const [number, code] = [at + 1, characters.charCodeAt(at)];
    const range = ranges.at(-1);
    const follows = range !== undefined && code === range.target + number - range.first && number % 256 !== 0 && code % 256 !== 0;
    if (follows) range.last = number;
    else ranges.push({ first: number, last: number, target: code });
  }
  return ranges;
}

function hex(code: number): string {
  return code.toString(16).padStart(4, "0");
}
