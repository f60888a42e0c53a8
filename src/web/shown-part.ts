import type { Say } from "./language.ts";

/**
 * The longest text of a stored row that a page or an export shows, in characters. An old row may have a text of a megabyte. To escape such
 * a text takes a tenth of a second, in which no sale goes on.
 */
const MAX_SHOWN = 4_096;

/** Returns a text, or the beginning of a text that is too long, and says so. Call it before other work on the text. */
export function shownPart(say: Say, text: string): string {
  const { length } = text;
  if (length <= MAX_SHOWN) return text;
  const cut = say(`показано ${MAX_SHOWN} знаков из ${length}`, `${MAX_SHOWN} of ${length} characters are shown`);
  return `${text.slice(0, MAX_SHOWN).toWellFormed()}… [${cut}]`;
}
