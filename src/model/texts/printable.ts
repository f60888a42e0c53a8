import { CP866, CP1251 } from "./code-page.ts";
import { spelled } from "./spelling.ts";

/**
 * Text that every register and drive holds, and that paper shows unchanged. Strings are CP866 in the drive (fiscal-receipts 1.2) and
 * Windows-1251 in the commands of some registers (shtrih-protocol 0.2). A character that both code pages have stays. Any other character is
 * spelled with such characters. After drafting, nothing changes a document's texts, so device, tag and paper agree.
 */
export function printable(text: string, maxLength: number): string {
  return inOneLine(text, maxLength, isCommon);
}

/** Text that the drive can hold. Some signs in older documents and in units' labels are missing in the commands of some registers. */
export function storable(text: string, maxLength: number): string {
  return inOneLine(text, maxLength, isStorable);
}

/**
 * The most characters of a text that are read, invisible characters included. The limit is needed because a text may have a megabyte, and
 * the drive stores some hundred characters. If a field has a small limit, such as a unit's name, `READ_TIMES` times that limit is read.
 */
const MAX_READ = 512;
const READ_TIMES = 4;
/** The number of characters after the printed ones that are read, because they may change the spelling of the printed ones. */
const LOOK_AHEAD = 16;

/** Spelling takes a thousand times as long as copying. So at first only the part that may be printed is spelled. */
function inOneLine(text: string, maxLength: number, kept: (unit: string) => boolean): string {
  const read = beginning(text, maxLength);
  const head = read.slice(0, maxLength + LOOK_AHEAD);
  const line = squeezed(spelled(head, kept));
  const isEnough = head.length === read.length || line.length >= maxLength + LOOK_AHEAD / 2;
  return cutAtWord(isEnough ? line : squeezed(spelled(read, kept)), maxLength);
}

function beginning(text: string, maxLength: number): string {
  return text
    .slice(0, Math.max(Math.min(MAX_READ, maxLength * READ_TIMES), maxLength + LOOK_AHEAD))
    .replace(NEVER_SEEN, "")
    .replace(/\s+/g, " ");
}

/** Zero-width spaces and soft hyphens. They join nothing, unlike the joiners of emoji. */
const NEVER_SEEN = /[\u00ad\u200b\u2060\ufeff]+/g;

function isCommon(unit: string): boolean {
  return isStorable(unit) && CP1251.has(unit);
}

/** CP866 without its control characters and its no-break space. */
function isStorable(unit: string): boolean {
  return unit >= " " && unit !== "\u007f" && unit !== "\u00a0" && CP866.has(unit);
}

function squeezed(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** Cuts between words, because a cut word reads as another word. A single long word is cut inside. */
function cutAtWord(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const cut = text.slice(0, maxLength);
  const space = text[maxLength] === " " ? maxLength : cut.lastIndexOf(" ");
  return (space > maxLength / 2 ? cut.slice(0, space) : cut).trimEnd();
}
