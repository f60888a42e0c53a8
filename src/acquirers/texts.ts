/** The longest text of a bank that is kept, in UTF-16 units. */
const MAX_WORDS = 200;

/** The beginning of a text, at most `maxLength` UTF-16 units, which ends at a whole character as a reader sees it. */
export function cutAtCharacter(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  let end = 0;
  for (const { segment, index } of new Intl.Segmenter().segment(text.slice(0, maxLength + MAX_CHARACTER))) {
    if (index + segment.length > maxLength) break;
    end = index + segment.length;
  }
  return text.slice(0, end);
}

/** Longest character that is looked at as a whole: an emoji of a family has 11 units. */
const MAX_CHARACTER = 32;

/** Words of a bank in one line, for a person. Undefined when there are none. */
export function wordsOf(...parts: readonly (string | undefined)[]): string | undefined {
  const words = parts
    .filter((part) => part !== undefined)
    .join(": ")
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim();
  return words === "" ? undefined : cutAtCharacter(words, MAX_WORDS);
}
