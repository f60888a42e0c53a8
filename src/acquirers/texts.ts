const MAX_WORDS = 200;

/** The beginning of a text, at most `maxLength` UTF-16 units. Never ends within what a reader sees as one character. */
export function cutAtCharacter(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  let end = 0;
  for (const { segment, index } of new Intl.Segmenter().segment(text.slice(0, maxLength + MAX_CHARACTER))) {
    if (index + segment.length > maxLength) break;
    end = index + segment.length;
  }
  return text.slice(0, end);
}

/** How many UTF-16 units after the limit are read to see where a character ends. An emoji of a family has 11 units. */
const MAX_CHARACTER = 32;

/** A bank's words in one line, for a person. Undefined when there are none. */
export function wordsOf(...parts: readonly (string | undefined)[]): string | undefined {
  const words = parts
    .filter((part) => part !== undefined)
    .join(": ")
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim();
  return words === "" ? undefined : cutAtCharacter(words, MAX_WORDS);
}
