import type { Cashier } from "./cashier.ts";
import type { ItemKind } from "./subjects.ts";
import type { TaxSystem } from "./tax.ts";

/**
 * The data of the platform's JSON API about an operation beyond its payload, as far as it was known in time. It is frozen in the journal
 * with the operation, so that the origin of a receipt can always be explained.
 */
export interface Known {
  /** The full employee, when the payload has only the id. */
  cashier?: Cashier;
  /** The taxation system of the point of sale's receipts, unless the goods have another one. */
  taxSystem?: TaxSystem;
  /** One element for each position, null when nothing was known. */
  goods: (KnownGoods | null)[];
}

/** The content of a goods card. */
export interface KnownGoods {
  kind?: ItemKind;
  /** Absent: the point of sale's system. */
  taxSystem?: TaxSystem;
  unit?: { name: string; code?: string };
  /** The goods are sold only with marking codes. The receipt shows when a piece came without a code. */
  marked?: true;
}

/** How the amounts of an operation compare with those of its document (interface 6, Money unit). */
export type ScaleEvidence = "agrees" | "differs-by-100" | "none";

/** Payments and lines may differ by less than this at the platform (platform-contracts 4.5). */
const TOLERANCE_KOPECKS = 10;
/** A document below one rouble is no evidence. Its sum is so small that a sum in the wrong unit could be within the tolerance. */
const MIN_EVIDENCE_KOPECKS = 100;
const SCALE_FACTOR = 100;

/**
 * Compares the sum of an operation with its document's own sum, which is always in kopecks. Only agreement or a factor
 * of 100 is evidence, because the document may have been changed since.
 */
export function scaleEvidence(operationKopecks: number, documentKopecks: number): ScaleEvidence {
  if (documentKopecks < MIN_EVIDENCE_KOPECKS || operationKopecks < 1) return "none";
  if (Math.abs(operationKopecks - documentKopecks) < TOLERANCE_KOPECKS) return "agrees";
  // Here the operation's amounts are a hundred times too large, so the tolerance is multiplied too.
  const tooLarge = Math.abs(operationKopecks - documentKopecks * SCALE_FACTOR) < TOLERANCE_KOPECKS * SCALE_FACTOR;
  const tooSmall = Math.abs(operationKopecks * SCALE_FACTOR - documentKopecks) < TOLERANCE_KOPECKS;
  return tooLarge || tooSmall ? "differs-by-100" : "none";
}
