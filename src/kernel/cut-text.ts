/**
 * The beginning of a text, at most `maxLength` characters, for logs and people. It ends between words and never inside
 * a number. The log recognises tokens, addresses and telephone numbers only when they are whole, so it would not hide a
 * part of one. A single long word is cut only when it consists of letters, because then it is none of these.
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

/** Telephone numbers contain blanks, brackets and dashes. */
function isOfNumber(character: string): boolean {
  return (character >= "0" && character <= "9") || "+()-".includes(character) || isBlank(character.charCodeAt(0));
}
