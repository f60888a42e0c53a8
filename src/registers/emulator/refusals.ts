import type { Refusal, RefusalCode } from "../../model/refusal.ts";
import { type DeviceRefusal, type DriveCode, type RegisterCause, wordsOf } from "../virtual/refusals.ts";

/** The drive's codes for which the model has a more exact code than `device-refused`. */
const BY_DRIVE: Partial<Record<DriveCode, RefusalCode>> = {
  2: "drive-not-ready",
  5: "drive-exhausted",
  6: "drive-exhausted",
  7: "clock-wrong",
  16: "document-too-large",
  18: "drive-exhausted",
  20: "operator-queue-blocked",
  21: "operator-queue-blocked",
  22: "shift-expired",
  23: "clock-wrong",
  163: "document-too-large",
};

const BY_REGISTER: Record<RegisterCause, RefusalCode> = {
  "shift-closed": "shift-closed",
  "shift-open": "shift-already-open",
  "shift-too-long": "shift-expired",
  "cash-short": "cash-short",
  "payments-below-total": "payments-differ",
  "cashless-above-total": "payments-differ",
  "wrong-rounding": "payments-differ",
  "line-sum": "device-refused",
  "bad-value": "device-refused",
  "counters-full": "device-refused",
  "mark-repeated": "mark-repeated",
  "mark-sold": "mark-denied",
  "mark-wrong": "mark-denied",
  "mark-unreadable": "mark-unreadable",
  "mark-measure": "device-refused",
  "marks-in-purchase": "device-refused",
  "correction-of-return": "device-refused",
  "no-paper": "no-paper",
};

/** Converts a device's refusal to a refusal of the model, which also contains the device's own code and words. */
export function refusalFrom(refusal: DeviceRefusal): Refusal {
  const code = refusal.by === "drive" ? (BY_DRIVE[refusal.code] ?? "device-refused") : BY_REGISTER[refusal.code];
  const device = { code: refusal.by === "drive" ? hex(refusal.code) : refusal.code, words: wordsOf(refusal) };
  return refusal.details === undefined ? { code, device } : { code, details: refusal.details, device };
}

function hex(code: DriveCode): string {
  return `${code.toString(16).toUpperCase().padStart(2, "0")}h`;
}
