/**
 * Characters that control a terminal: C0 and C1 controls except line feed and tab, DEL, the separators of lines and paragraphs, and marks
 * that change the writing direction. Names of goods, people and shops come from outside and may contain them.
 */
const CONTROLS = /(?![\n\t])[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;
/** The characters of `CONTROLS`, and also line feed and tab. */
const LINE_CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/**
 * Shows every control character as an escape such as `\u001b`. Line feeds and tabs stay. Inside a JSON text the escape means the same
 * character.
 */
export function visible(text: string): string {
  return text.replace(CONTROLS, escaped);
}

/** Like `visible`, for a text that must stay in one line. */
export function visibleLine(text: string): string {
  return text.replace(LINE_CONTROLS, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
