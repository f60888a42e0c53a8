/** Stands for what was cut off. */
const ELLIPSIS = "…";

/**
 * The beginning of a text, of about so many characters at most, for logs and for people. It ends between words, and before a number
 * that goes on: a log hides tokens, addresses and telephone numbers by their whole form, and would show the half of one.
 */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  let end = maxLength;
  if (!isBlank(text.charCodeAt(end))) while (end > 0 && !isBlank(text.charCodeAt(end - 1))) end -= 1;
  while (end > 0 && isOfNumber(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end) + ELLIPSIS;
}

function isBlank(code: number): boolean {
  return code <= 0x20 || (code >= 0x80 && String.fromCharCode(code).trim() === "");
}

/** Telephone numbers are written with blanks, brackets and dashes inside. */
function isOfNumber(character: string): boolean {
  return (character >= "0" && character <= "9") || "+()-".includes(character) || isBlank(character.charCodeAt(0));
}
