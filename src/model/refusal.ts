import type { Doubt } from "./doubt.ts";

/**
 * Why nothing was registered, in words of the trade. Each contract maps the codes to its own status,
 * number and Russian text (style.md, Failures); a code is never shown to a cashier.
 */
export const REFUSAL_CODES = [
  // the operation itself
  "field-invalid",
  "payments-differ",
  "payments-mixed",
  /** The amounts differ by a factor of 100 from the document's own: the server is set to another unit. */
  "money-scale-differs",
  "vat-rate",
  "vat-seller",
  "mark-unreadable",
  "mark-denied",
  "mark-repeated",
  "marks-exceed-quantity",
  "marks-need-pieces",
  /** Goods that are sold by measure have one mark a position. */
  "marks-of-measure",
  /** A person has registered it by a correction receipt. */
  "already-corrected",
  /** What was to be corrected is no longer what it was. */
  "not-correctable",
  // the point of sale and its shift
  "register-missing",
  "shift-closed",
  "shift-expired",
  "shift-already-open",
  "shift-conflict",
  /** The device's shift is another account's. */
  "shift-foreign",
  "cash-short",
  // the device
  "device-refused",
  "no-paper",
  "clock-wrong",
  "operator-queue-blocked",
  "drive-exhausted",
  "drive-not-ready",
  "drive-kind-mixed",
  "document-too-large",
  /** Its newest document is older than one that it is known to have made: its memory was lost or replaced. */
  "register-went-back",
  // the way to it
  "register-unreachable",
  "lane-stopped",
  "lane-full",
  /** Operations of its kind have been refused so often that it was not sent. */
  "refused-too-often",
  // settled: the register was asked and made nothing
  "not-registered",
] as const;

export type RefusalCode = (typeof REFUSAL_CODES)[number];

export interface Refusal {
  code: RefusalCode;
  /** The offending field of the request, where there is one: `positions[2].vat`. */
  parameter?: string;
  /** Values for the cashier's words: sums as `834.57`, rates, names. */
  details?: Record<string, string>;
  /** Why nobody knows what became of the operation that stands before this one. */
  doubt?: Doubt;
  /** The device's own code and words, kept beside ours. */
  device?: { code: string; words: string };
}
