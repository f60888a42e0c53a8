/**
 * What a terminal would obey instead of showing: C0 and C1 controls, DEL, and the marks that turn the direction of
 * writing. Names of goods, people and shops come from outside, and may hold any of them.
 */
const CONTROLS = /(?![\n\t])[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;
/** The same with what ends a line or leaves its column. */
const LINE_CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/**
 * The text with every control character as `\u001b`, so that a person sees that it is there; line breaks and tabs
 * stay. In JSON that is the same text in another spelling.
 */
export function visible(text: string): string {
  return text.replace(CONTROLS, escaped);
}

/** The same for a text that has to stay in its line. */
export function visibleLine(text: string): string {
  return text.replace(LINE_CONTROLS, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
