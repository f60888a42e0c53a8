import type { Ffd } from "./facts.ts";

/** Codes of tag 1212 that this server chooses (fiscal-receipts 4.5). */
const GOODS = 1;
const EXCISABLE_GOODS = 2;
const WORK = 3;
const SERVICE = 4;
/** Rights to results of intellectual work. */
const RESULTS = 9;
/** Several things in one price. Format 1.2 gives the code another meaning. */
const COMPOSITE = 12;
const OTHER = 13;
/** Goods that need a mark: excisable goods without and with the mark, then other goods without and with the mark. Format 1.2 only. */
const EXCISABLE_UNMARKED = 30;
const EXCISABLE_MARKED = 31;
const UNMARKED_GOODS = 32;
const MARKED_GOODS = 33;

export type ItemKind = "goods" | "excisable" | "work" | "service" | "results" | "composite" | "other";

export const ITEM_KINDS = ["goods", "excisable", "work", "service", "results", "composite", "other"] as const satisfies readonly ItemKind[];

const SUBJECTS: Record<ItemKind, { plain: number; unmarked: number; marked: number }> = {
  goods: { plain: GOODS, unmarked: UNMARKED_GOODS, marked: MARKED_GOODS },
  excisable: { plain: EXCISABLE_GOODS, unmarked: EXCISABLE_UNMARKED, marked: EXCISABLE_MARKED },
  work: { plain: WORK, unmarked: WORK, marked: MARKED_GOODS },
  service: { plain: SERVICE, unmarked: SERVICE, marked: MARKED_GOODS },
  results: { plain: RESULTS, unmarked: RESULTS, marked: MARKED_GOODS },
  composite: { plain: COMPOSITE, unmarked: COMPOSITE, marked: MARKED_GOODS },
  other: { plain: OTHER, unmarked: UNMARKED_GOODS, marked: MARKED_GOODS },
};

interface SubjectSource {
  /** The type of the goods in the platform's request. Only the type `service` is used. */
  assortmentType: string | undefined;
  kind: ItemKind | undefined;
  /** `required`: such goods need marks, but this piece has none. */
  mark: "present" | "required" | "none";
}

/**
 * Returns tag 1212 of a position (fiscal-receipts 8). The mark decides first, then the kind that the platform gives for the goods, then,
 * without a mark, the type `service`, then the point of sale's kind (`standard`).
 */
export function subjectOf({ assortmentType, kind, mark }: SubjectSource, standard: ItemKind): number {
  const ofType = assortmentType?.toLowerCase() === "service" ? "service" : standard;
  const known = kind ?? ofType;
  if (mark === "present") return SUBJECTS[kind ?? standard].marked;
  return mark === "required" ? SUBJECTS[known].unmarked : SUBJECTS[known].plain;
}

/** The codes of format 1.2 and their codes in older formats. In older formats only the mark itself shows that goods are marked. */
const BEFORE_1_2: Readonly<Record<number, number>> = {
  [EXCISABLE_UNMARKED]: EXCISABLE_GOODS,
  [EXCISABLE_MARKED]: EXCISABLE_GOODS,
  [UNMARKED_GOODS]: GOODS,
  [MARKED_GOODS]: GOODS,
};

/** Codes with another meaning since format 1.2, and the codes that are used in their place (fiscal-receipts 4.5). */
const FROM_1_2: Readonly<Record<number, number>> = { [COMPOSITE]: OTHER };

/** Returns tag 1212 in the register's format. The same code is sent and printed. */
export function subjectIn(ffd: Ffd, subject: number): number {
  return (ffd === "1.2" ? FROM_1_2 : BEFORE_1_2)[subject] ?? subject;
}
