/**
 * A run of combining marks that is too long. Normalising sorts the run in quadratic time: seconds for the longest accepted name. No
 * language needs more than eight marks on one letter, so further marks are dropped.
 */
const LONG_RUN = /(?<!\p{M})\p{M}{9,}/gu;
const MAX_MARKS = 8;

/** Returns the text in NFC: a letter and its marks as one character if Unicode has it. */
export function composed(text: string): string {
  return withoutLongRuns(text).normalize("NFC");
}

/** Returns the text in NFKD: letters, marks and compatibility characters separated. */
export function decomposed(text: string): string {
  return withoutLongRuns(text).normalize("NFKD");
}

function withoutLongRuns(text: string): string {
  return text.length <= MAX_MARKS ? text : text.replace(LONG_RUN, firstMarks);
}

function firstMarks(run: string): string {
  return Array.from(run.slice(0, 2 * MAX_MARKS))
    .slice(0, MAX_MARKS)
    .join("");
}
