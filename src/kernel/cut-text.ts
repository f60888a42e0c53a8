/**
 * The beginning of a text, of so many characters at most, for logs and for people. It ends between words, and before a number
 * that goes on: a log hides tokens, addresses and telephone numbers by their whole form, and would show the half of one. A single
 * word is cut inside only where it is of letters alone, which none of these is.
 */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const head = text.slice(0, wholeWordsEnd(text, maxLength));
  return head === "" ? lettersOf(text, maxLength) : head;
}

function wholeWordsEnd(text: string, maxLength: number): number {
  let end = maxLength;
  if (!isBlank(text.charCodeAt(end))) while (end > 0 && !isBlank(text.charCodeAt(end - 1))) end -= 1;
  while (end > 0 && isOfNumber(text.charAt(end - 1))) end -= 1;
  return end;
}

function lettersOf(text: string, maxLength: number): string {
  return LETTERS.test(text) ? text.slice(0, maxLength).toWellFormed() : "";
}

const LETTERS = /^\p{L}+(?:\s|$)/u;

function isBlank(code: number): boolean {
  return code <= 0x20 || (code >= 0x80 && String.fromCharCode(code).trim() === "");
}

/** Telephone numbers are written with blanks, brackets and dashes inside. */
function isOfNumber(character: string): boolean {
  return (character >= "0" && character <= "9") || "+()-".includes(character) || isBlank(character.charCodeAt(0));
}
