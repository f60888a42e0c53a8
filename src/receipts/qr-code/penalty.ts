import { LINES_A_WORD, type Modules } from "./modules.ts";

/** The penalty of ISO/IEC 18004, 7.8.3. The mask with the lowest penalty is used. */
export function penaltyOf({ size, across, down }: Modules): number {
  let points = 0;
  let dark = 0;
  for (let start = 0, line = 0; line < size; start += size, line += LINES_A_WORD) {
    const own = lowestBits(Math.min(LINES_A_WORD, size - line));
    points += alongLines(across, start, size, own) + alongLines(down, start, size, own);
    points += inBlocks(across, start, size, lowestBits(Math.min(LINES_A_WORD, size - line - 1)));
    for (let at = start; at < start + size; at++) dark += ones((across[at] ?? 0) & own);
  }
  return points + ofShare(dark, size);
}

/**
 * The penalties of two rules. Rule 1: a run of at least five modules of one colour counts its length minus two. Rule 3: a pattern like a
 * finder counts forty.
 */
function alongLines(words: Int32Array, start: number, size: number, own: number): number {
  const end = start + size;
  let points = 0;
  // In `same`, a bit is set where a module equals the next module. The three words hold the value of `same` for the last three places.
  let [same1, same2, same3] = [0, 0, 0];
  let fiveBefore = 0;
  for (let at = start; at < end; at++) {
    const same = at + 1 < end ? ~((words[at] ?? 0) ^ (words[at + 1] ?? 0)) & own : 0;
    const five = same & same1 & same2 & same3;
    if (five !== 0) points += ones(five) + 2 * ones(five & ~fiveBefore);
    fiveBefore = five;
    same3 = same2;
    same2 = same1;
    same1 = same;
    if (at + 11 <= end) points += 40 * finders(words, at, own);
  }
  return points;
}

/** The number of lines whose next eleven modules are 10111010000 or 00001011101 (1 is dark). */
function finders(words: Int32Array, at: number, own: number): number {
  const middle = own & (words[at + 4] ?? 0) & ~(words[at + 5] ?? 0) & (words[at + 6] ?? 0);
  if (middle === 0) return 0;
  const darkBefore = (words[at] ?? 0) & ~(words[at + 1] ?? 0) & (words[at + 2] ?? 0) & (words[at + 3] ?? 0);
  const lightBefore = ~((words[at] ?? 0) | (words[at + 1] ?? 0) | (words[at + 2] ?? 0) | (words[at + 3] ?? 0));
  const darkAfter = (words[at + 7] ?? 0) & (words[at + 8] ?? 0) & ~(words[at + 9] ?? 0) & (words[at + 10] ?? 0);
  const lightAfter = ~((words[at + 7] ?? 0) | (words[at + 8] ?? 0) | (words[at + 9] ?? 0) | (words[at + 10] ?? 0));
  return ones(middle & ((darkBefore & lightAfter) | (lightBefore & darkAfter)));
}

/**
 * Rule 2: each square of two by two modules of one colour counts three. `pairs` has a bit for each line that is compared with the next
 * line.
 */
function inBlocks(words: Int32Array, start: number, size: number, pairs: number): number {
  let squares = 0;
  for (let at = start; at + 1 < start + size; at++) {
    const [here, next] = [words[at] ?? 0, words[at + 1] ?? 0];
    const same = ~(here ^ next);
    squares += ones(same & (same >>> 1) & ~(here ^ (here >>> 1)) & pairs);
  }
  return 3 * squares;
}

/**
 * The penalty of rule 4: ten for each whole twentieth by which the share of dark modules differs from a half. A share above a half is
 * rounded up to the next twentieth. The standard does not round up, but without the rounding the bytes of some receipts would change.
 */
function ofShare(dark: number, size: number): number {
  return 10 * Math.abs(Math.ceil((20 * dark) / size ** 2) - 10);
}

/** A word with its lowest `count` bits set; `count` is at most 31. */
function lowestBits(count: number): number {
  return (2 ** count - 1) | 0;
}

/** Counts the set bits in pairs, fours and bytes. One multiplication then adds all bytes. */
function ones(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
