import type { Doubt } from "./doubt.ts";

/**
 * Why nothing was registered, in terms of the trade. Each contract maps the codes to its own status, number and Russian
 * text. A cashier never sees a code.
 */
export const REFUSAL_CODES = [
  // the operation itself
  "field-invalid",
  "payments-differ",
  "payments-mixed",
  /** The amounts differ from those of the document at the platform by a factor of 100, so the server is set to another unit. */
  "money-scale-differs",
  "vat-rate",
  "vat-seller",
  "mark-unreadable",
  "mark-denied",
  "mark-repeated",
  "marks-exceed-quantity",
  "marks-need-pieces",
  /** Goods sold by measure have at most one mark in a position. */
  "marks-of-measure",
  /** A person has registered the operation by a correction receipt. */
  "already-corrected",
  /** The same document came before under another id type. */
  "other-id-type",
  /** The document can no longer be corrected as requested. */
  "not-correctable",
  // the point of sale and its shift
  "register-missing",
  "shift-closed",
  "shift-expired",
  "shift-already-open",
  "shift-conflict",
  /** The device's shift belongs to another account. */
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
  /** The newest document in the drive is older than a document that the drive is known to have made: its memory was lost or replaced. */
  "register-went-back",
  // the connection to the device
  "register-unreachable",
  "lane-stopped",
  "lane-full",
  /** Operations of this kind were refused so often that this operation was not sent. */
  "refused-too-often",
  // settled as not registered: the register was asked and has made nothing
  "not-registered",
] as const;

export type RefusalCode = (typeof REFUSAL_CODES)[number];

export interface Refusal {
  code: RefusalCode;
  /** The wrong field of the request, if there is one: `positions[2].vat`. */
  parameter?: string;
  /** Values for the cashier's words: sums as `834.57`, rates, names. */
  details?: Record<string, string>;
  /** The doubt of another operation, which blocks this operation. */
  doubt?: Doubt;
  /** The device's own code and words. */
  device?: { code: string; words: string };
}
