/**
 * Unicode's normal forms in time proportional to the text. Normalising sorts a run of combining marks, which takes the
 * square of its length: seconds for the longest name. No language needs more than eight marks on one letter, so further
 * marks are dropped.
 */
const LONG_RUN = /(?<!\p{M})\p{M}{9,}/gu;
const MAX_MARKS = 8;

/** Letter and marks as one character where Unicode has one (NFC). */
export function composed(text: string): string {
  return withoutLongRuns(text).normalize("NFC");
}

/** Letters, marks and compatibility characters taken apart (NFKD). */
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
