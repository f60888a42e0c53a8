/**
 * A run of combining marks that is too long. Normalising sorts a run, which takes time in the square of its length:
 * seconds for the longest name. No language needs more than eight marks on one letter, so further marks are dropped.
 */
const LONG_RUN = /(?<!\p{M})\p{M}{9,}/gu;
const MAX_MARKS = 8;

/** Returns the text with a letter and its marks as one character if Unicode has such a character (NFC). */
export function composed(text: string): string {
  return withoutLongRuns(text).normalize("NFC");
}

/** Returns the text with letters, marks and compatibility characters separated (NFKD). */
export function decomposed(text: string): string {
  return withoutLongRuns(text).normalize("NFKD");
}

function withoutLongRuns(text: string): string {
  // A shorter text cannot contain a long run, and nearly all texts are shorter.
  return text.length <= MAX_MARKS ? text : text.replace(LONG_RUN, firstMarks);
}

function firstMarks(run: string): string {
  return Array.from(run.slice(0, 2 * MAX_MARKS))
    .slice(0, MAX_MARKS)
    .join("");
}
