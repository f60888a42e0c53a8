import type { Cashier } from "./cashier.ts";
import type { ItemKind } from "./subjects.ts";
import type { TaxSystem } from "./tax.ts";

/**
 * Data of the platform's JSON API beyond an operation's payload, as far as it arrived in time. The journal stores it with the operation,
 * so that the origin of a receipt can be explained.
 */
export interface Known {
  /** The full employee, when the payload has only the id. */
  cashier?: Cashier;
  /** The taxation system of the point of sale's receipts, for goods to which the platform gives no system. */
  taxSystem?: TaxSystem;
  /** One element for each position, null when nothing was known. */
  goods: (KnownGoods | null)[];
}

export interface KnownGoods {
  kind?: ItemKind;
  /** The taxation system of these goods. Absent: the point of sale's system. */
  taxSystem?: TaxSystem;
  unit?: { name: string; code?: string };
  /** The goods need marking codes. When a piece is sold without its code, tag 1212 of the receipt says so in format 1.2. */
  marked?: true;
}

/** How an operation's amounts compare with its document at the platform (interface 6, Money unit). */
export type ScaleEvidence = "agrees" | "differs-by-100" | "none";

/** At the platform, payments and lines may differ by less than this (platform-contracts 4.5). */
const TOLERANCE_KOPECKS = 10;
/** A document below one rouble is no evidence: its sum in the wrong unit could still be within the tolerance. */
const MIN_EVIDENCE_KOPECKS = 100;
const SCALE_FACTOR = 100;

/**
 * Compares an operation's sum with its document's sum at the platform, which is always in kopecks. The document may have changed since,
 * so only agreement or a factor of 100 is evidence.
 */
export function scaleEvidence(operationKopecks: number, documentKopecks: number): ScaleEvidence {
  if (documentKopecks < MIN_EVIDENCE_KOPECKS || operationKopecks < 1) return "none";
  if (Math.abs(operationKopecks - documentKopecks) < TOLERANCE_KOPECKS) return "agrees";
  // The next line tests amounts that are a hundred times too large, so the tolerance is a hundred times larger too.
  const tooLarge = Math.abs(operationKopecks - documentKopecks * SCALE_FACTOR) < TOLERANCE_KOPECKS * SCALE_FACTOR;
  const tooSmall = Math.abs(operationKopecks * SCALE_FACTOR - documentKopecks) < TOLERANCE_KOPECKS;
  return tooLarge || tooSmall ? "differs-by-100" : "none";
}
