/**
 * Returns the beginning of a text, at most `maxLength` characters, for logs and people. It ends between words and never
 * inside a number. The log recognises tokens, addresses and telephone numbers only when they are whole, so it would not
 * hide a part of them. A single long word is cut only when it consists of letters, because then it is no token, address
 * or number.
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
 * Returns the beginning of a word of letters. Empty when the text may be no word, or when the end of the word is too far away to be found.
 */
function lettersOf(text: string, maxLength: number): string {
  if (maxLength <= 0) return "";
  const word = text.slice(0, maxLength + MAX_REST_OF_WORD);
  const end = word.search(NO_LETTER);
  const isWord = end === -1 ? word.length === text.length : isBlank(word.charCodeAt(end));
  return isWord ? word.slice(0, maxLength).toWellFormed() : "";
}

/**
 * How many characters after the cut are searched for the end of a word. The limit is needed because a text may have megabytes. No word is
 * so long. In a script without blanks, a comma nearly always comes earlier.
 */
const MAX_REST_OF_WORD = 4_096;
/** Finds the first character that is no letter. A pattern for all the letters before it would need memory for each of them. */
const NO_LETTER = /\P{L}/u;

function isBlank(code: number): boolean {
  return code <= 0x20 || code === 0xa0 || (code >= FIRST_RARE_BLANK && String.fromCharCode(code).trim() === "");
}

/** The lowest code of a blank above the no-break space. */
const FIRST_RARE_BLANK = 0x1680;

/** Telephone numbers contain blanks, brackets and dashes. */
function isOfNumber(character: string): boolean {
  return (character >= "0" && character <= "9") || "+()-".includes(character) || isBlank(character.charCodeAt(0));
}
