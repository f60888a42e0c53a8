import type { Ffd } from "./facts.ts";

/** Codes of tag 1212 that are chosen here (fiscal-receipts 4.5). */
export const GOODS = 1;
export const EXCISABLE_GOODS = 2;
export const SERVICE = 4;
/** Excisable goods and others, each subject to marking, without a code and with one; format 1.2 only. */
export const EXCISABLE_UNMARKED = 30;
export const EXCISABLE_MARKED = 31;
export const UNMARKED_GOODS = 32;
export const MARKED_GOODS = 33;

/** What stands for the codes of format 1.2 before it: the mark itself tells the rest. */
const BEFORE_1_2: Readonly<Record<number, number>> = {
  [EXCISABLE_UNMARKED]: EXCISABLE_GOODS,
  [EXCISABLE_MARKED]: EXCISABLE_GOODS,
  [UNMARKED_GOODS]: GOODS,
  [MARKED_GOODS]: GOODS,
};

/** Tag 1212 as the format of the register has it: what is sent and what is printed. */
export function subjectIn(ffd: Ffd, subject: number): number {
  return ffd === "1.2" ? subject : (BEFORE_1_2[subject] ?? subject);
}
