import type { Doubt } from "./doubt.ts";

/**
 * Why nothing was registered, in terms of the trade. Each contract maps the codes to its own status, number and Russian text. A cashier
 * never sees a code.
 */
export const REFUSAL_CODES = [
  // the operation itself
  "field-invalid",
  "payments-differ",
  "payments-mixed",
  /** The amounts differ from the platform's document by a factor of 100. This shows that the server is set to another money unit. */
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
  /** A person has registered the operation by a correction receipt, or has begun to. */
  "already-corrected",
  /** The operation is registered as document `details.number` in drive `details.drive`, which is not in the register now. */
  "registered-in-other-drive",
  /** The same document was requested or registered earlier under another id type. */
  "other-id-type",
  "not-correctable",
  // the point of sale and its shift
  "register-missing",
  "shift-closed",
  "shift-expired",
  "shift-already-open",
  "shift-conflict",
  /** The device's shift belongs, or may belong, to another account. */
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
  /**
   * The drive's newest document has a smaller number than a document that this drive is known to have made. The drive has lost documents,
   * or a person has typed a wrong document number.
   */
  "register-went-back",
  // the connection to the device
  "register-unreachable",
  "lane-stopped",
  "lane-full",
  /** Operations of this kind, or this document, were refused too often, so the operation was not sent. */
  "refused-too-often",
  // Settled as not registered: by the register's answer, by a person's statement, because nothing was sent, or because an X report
  // registers nothing.
  "not-registered",
] as const;

export type RefusalCode = (typeof REFUSAL_CODES)[number];

export interface Refusal {
  code: RefusalCode;
  /** The wrong field of the request, such as `positions[2].vat`, or the wrong setting, if any. */
  parameter?: string;
  /** Values for the cashier's words: sums as `834.57`, rates, names. */
  details?: Record<string, string>;
  /** The doubt of another operation, which blocks this operation. */
  doubt?: Doubt;
  device?: { code: string; words: string };
}
