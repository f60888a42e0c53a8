/**
 * Returns the beginning of a text, at most `maxLength` characters, for logs and people. The text is cut between words and never inside a
 * number, because the log can hide tokens, addresses and telephone numbers only when they are whole. If this leaves nothing, the first word
 * is cut if it consists of letters, because a secret contains other characters too. Otherwise the result is empty.
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

/**
 * Returns the beginning of the text's first word. Empty when the word does not consist of letters, or when its end is too far away
 * (`MAX_REST_OF_WORD`).
 */
function lettersOf(text: string, maxLength: number): string {
  if (maxLength <= 0) return "";
  const word = text.slice(0, maxLength + MAX_REST_OF_WORD);
  const end = word.search(NO_LETTER);
  const isWord = end === -1 ? word.length === text.length : end > 0 && isBlank(word.charCodeAt(end));
  return isWord ? word.slice(0, maxLength).toWellFormed() : "";
}

/**
 * The word's end is searched for only in this many characters after the cut, because the text may have megabytes. Real words are shorter
 * than this limit.
 */
const MAX_REST_OF_WORD = 4_096;
/** Finds the first character that is no letter. A pattern that matches the letters themselves would need memory for each letter. */
const NO_LETTER = /\P{L}/u;

function isBlank(code: number): boolean {
  return code <= 0x20 || code === 0xa0 || (code >= FIRST_RARE_BLANK && String.fromCharCode(code).trim() === "");
}

/** The lowest code of a blank above the no-break space. */
const FIRST_RARE_BLANK = 0x1680;

/**
 * Whether the character may belong to a number. Telephone numbers also contain a plus sign, blanks, brackets and dashes; addresses, sums
 * and times contain dots, commas and colons.
 */
function isOfNumber(character: string): boolean {
  return (character >= "0" && character <= "9") || "+()-.,:".includes(character) || isBlank(character.charCodeAt(0));
}
