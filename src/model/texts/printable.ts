import { CP866, CP1251 } from "./code-page.ts";
import { spelled } from "./spelling.ts";

/**
 * Returns text that every register and drive can hold. Paper shows it unchanged. The drive uses CP866 (fiscal-receipts 1.2), commands of
 * some registers use Windows-1251 (shtrih-protocol 0.2). Characters that both code pages have stay. All other characters are spelled with
 * these. After drafting, nothing changes a document's texts, so device, tag and paper agree.
 */
export function printable(text: string, maxLength: number): string {
  return inOneLine(text, maxLength, isCommon);
}

/** Returns text that the drive can hold. Older documents and units' labels have signs that the commands of some registers lack. */
export function storable(text: string, maxLength: number): string {
  return inOneLine(text, maxLength, isStorable);
}

/**
 * The largest number of characters that are read of a text, invisible characters included. A text may have a megabyte, but the drive stores
 * a few hundred characters. For a field with a small limit, such as a unit's name, `READ_TIMES` times that limit is read.
 */
const MAX_READ = 512;
const READ_TIMES = 4;
/** How many characters after the printed characters are read too, because they may change the spelling of the printed characters. */
const LOOK_AHEAD = 16;

/** Spelling is a thousand times slower than copying, so at first only the part that may be printed is spelled. */
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

/** Zero-width spaces and soft hyphens. They can be removed, because they join no characters, unlike the joiners of emoji. */
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

/** Cuts between words, because a cut word reads as another word. Only a word longer than about half of the limit is cut inside. */
function cutAtWord(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const cut = text.slice(0, maxLength);
  const space = text[maxLength] === " " ? maxLength : cut.lastIndexOf(" ");
  return (space > maxLength / 2 ? cut.slice(0, space) : cut).trimEnd();
}
