/**
 * Unicode's normal forms in time that is in proportion to the text. A run of combining marks is put in order by going back through
 * it, which takes the square of its length: seconds for what a name may hold. Eight marks on one letter are more than any language
 * has; what follows them is dropped.
 */
const LONG_RUN = /(?<!\p{M})\p{M}{9,}/gu;
const MAX_MARKS = 8;

/** Letters and their marks in one character where there is one (NFC). */
export function composed(text: string): string {
  return withoutLongRuns(text).normalize("NFC");
}

/** Letters, their marks and all that has a plainer form apart (NFKD). */
export function decomposed(text: string): string {
  return withoutLongRuns(text).normalize("NFKD");
}

function withoutLongRuns(text: string): string {
  // Shorter texts cannot hold one, and nearly all are.
  return text.length <= MAX_MARKS ? text : text.replace(LONG_RUN, firstMarks);
}

function firstMarks(run: string): string {
  return Array.from(run.slice(0, 2 * MAX_MARKS))
    .slice(0, MAX_MARKS)
    .join("");
}
