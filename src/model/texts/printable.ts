import { CP866, CP1251 } from "./code-page.ts";
import { spelled } from "./spelling.ts";

/**
 * Text as every register and drive has it, and paper shows it: strings are CP866 in the drive (fiscal-receipts 1.2) and
 * Windows-1251 in the commands of some registers (shtrih-protocol 0.2), so what both hold is kept, and the rest is
 * spelled. Once the document is drafted nothing else changes its texts: device, tag and paper cannot differ.
 */
export function printable(text: string, maxLength: number): string {
  return oneLine(spelled(beginning(text, maxLength), isCommon), maxLength);
}

/** Text as the drive alone may hold it: a document from before, or a unit's label, has signs that not every command takes. */
export function storable(text: string, maxLength: number): string {
  return oneLine(spelled(beginning(text, maxLength), isStorable), maxLength);
}

/** No more is looked at, of what is never seen either: a text may have a megabyte, and the drive keeps some hundred characters. */
const MAX_READ = 512;

function beginning(text: string, maxLength: number): string {
  return text
    .slice(0, Math.max(MAX_READ, maxLength + 1))
    .replace(NEVER_SEEN, "")
    .replace(/\s+/g, " ");
}

/** Spaces without width and hyphens that show at a line's end alone. They join nothing, unlike the joiners of emoji. */
const NEVER_SEEN = /[\u00ad\u200b\u2060\ufeff]+/g;

function isCommon(unit: string): boolean {
  return isStorable(unit) && CP1251.has(unit);
}

/** What CP866 has but its control characters and its space that joins two words. */
function isStorable(unit: string): boolean {
  return unit >= " " && unit !== "\u007f" && unit !== "\u00a0" && CP866.has(unit);
}

function oneLine(text: string, maxLength: number): string {
  return cutAtWord(text.replace(/\s+/g, " ").trim(), maxLength);
}

/** A cut in the middle of a word reads as another word; a single long word has to bear it. */
function cutAtWord(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const cut = text.slice(0, maxLength);
  const space = text[maxLength] === " " ? maxLength : cut.lastIndexOf(" ");
  return (space > maxLength / 2 ? cut.slice(0, space) : cut).trimEnd();
}
