import { spelled } from "../model/texts/spelling.ts";

/** Replaces a character that the font lacks and that has no simpler form. */
const UNKNOWN = "□";

/**
 * Returns the text in characters that the font can draw, one column each. White space becomes single spaces. A missing character is spelled
 * as registers spell it, at worst as `□`. The texts of a document are spelled already and stay unchanged.
 */
export function drawable(text: string, has: (code: number) => boolean): string {
  const shown = text.length <= MAX_LENGTH ? text : text.slice(0, MAX_LENGTH);
  if (isDrawn(shown, has)) return shown;
  const kept = (unit: string) => unit !== NO_BREAK_SPACE && has(unit.charCodeAt(0));
  return spelled(shown, kept, UNKNOWN).replaceAll(/ +/g, " ");
}

function isDrawn(text: string, has: (code: number) => boolean): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (!has(code) || code === NO_BREAK_CODE || (code === SPACE && text.charCodeAt(at + 1) === SPACE)) return false;
  }
  return true;
}

/** A longer text is cut. No requisite has more than 1,024 bytes (fiscal-receipts 1), so it comes from a file edited by hand. */
const MAX_LENGTH = 4_096;

const SPACE = 0x20;
const NO_BREAK_CODE = 0xa0;
const NO_BREAK_SPACE = "\u00a0";
