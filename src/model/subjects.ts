import type { Ffd } from "./facts.ts";

/** Codes of tag 1212 that are chosen here (fiscal-receipts 4.5). */
const GOODS = 1;
const EXCISABLE_GOODS = 2;
const WORK = 3;
const SERVICE = 4;
const OTHER = 13;
/** Excisable goods and others, each subject to marking, without a code and with one; format 1.2 only. */
const EXCISABLE_UNMARKED = 30;
const EXCISABLE_MARKED = 31;
const UNMARKED_GOODS = 32;
const MARKED_GOODS = 33;

/** What a shop sells where nothing else says what a position is. */
export type ItemKind = "goods" | "excisable" | "work" | "service" | "other";

export const ITEM_KINDS = ["goods", "excisable", "work", "service", "other"] as const satisfies readonly ItemKind[];

const SUBJECTS: Record<ItemKind, { plain: number; marked: number }> = {
  goods: { plain: GOODS, marked: MARKED_GOODS },
  excisable: { plain: EXCISABLE_GOODS, marked: EXCISABLE_MARKED },
  work: { plain: WORK, marked: MARKED_GOODS },
  service: { plain: SERVICE, marked: MARKED_GOODS },
  other: { plain: OTHER, marked: MARKED_GOODS },
};

/** Tag 1212 of a position (fiscal-receipts 8): a service by its card, a mark by itself, all else by what the point of sale sells. */
export function subjectOf(assortmentType: string | undefined, marked: boolean, standard: ItemKind): number {
  if (marked) return SUBJECTS[standard].marked;
  return assortmentType?.toLowerCase() === "service" ? SERVICE : SUBJECTS[standard].plain;
}

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
