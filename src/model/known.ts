import type { Cashier } from "./cashier.ts";
import type { ItemKind } from "./subjects.ts";
import type { TaxSystem } from "./tax.ts";

/**
 * What the platform's JSON API says about an operation and its payload does not, as far as it was known in time. It is frozen
 * in the journal with the operation: what a receipt was made of can be told for ever.
 */
export interface Known {
  /** The employee in full, where the payload names only the id. */
  cashier?: Cashier;
  /** What the point of sale's receipts are taxed by, unless its goods say otherwise. */
  taxSystem?: TaxSystem;
  /** Position by position; null where nothing was known. */
  goods: (KnownGoods | null)[];
}

/** What a card of goods says. */
export interface KnownGoods {
  kind?: ItemKind;
  /** Absent: as the point of sale. */
  taxSystem?: TaxSystem;
  unit?: { name: string; code?: string };
  /** Sold with marking codes only: a piece without one is told apart on the receipt. */
  marked?: true;
}

/** How the amounts of a document stand to those that its operation was sent with (interface 6, Money unit). */
export type ScaleEvidence = "agrees" | "differs-by-100" | "none";

/** Payments and lines may differ by less than this at the platform (platform-contracts 4.5). */
const TOLERANCE_KOPECKS = 10;
/** Below a rouble the tolerance alone could make a wrong scale look right. */
const MIN_EVIDENCE_KOPECKS = 100;
const SCALE_FACTOR = 100;

/**
 * Compares what an operation comes to with its document's own sum, which is in kopecks always. Anything but agreement and a
 * factor of 100 proves nothing: the document may have been changed since.
 */
export function scaleEvidence(operationKopecks: number, documentKopecks: number): ScaleEvidence {
  if (documentKopecks < MIN_EVIDENCE_KOPECKS || operationKopecks < 1) return "none";
  if (Math.abs(operationKopecks - documentKopecks) < TOLERANCE_KOPECKS) return "agrees";
  // The tolerance is one of real kopecks, which the operation has a hundred times of in the first case.
  const tooLarge = Math.abs(operationKopecks - documentKopecks * SCALE_FACTOR) < TOLERANCE_KOPECKS * SCALE_FACTOR;
  const tooSmall = Math.abs(operationKopecks * SCALE_FACTOR - documentKopecks) < TOLERANCE_KOPECKS;
  return tooLarge || tooSmall ? "differs-by-100" : "none";
}
