import { parseWallTime } from "../kernel/moment.ts";
import { storable } from "./texts/printable.ts";

/**
 * Receipts with fiscal data began with Federal Law 290-ФЗ of 3 July 2016, which made them part of 54-ФЗ and came
 * into force ten days after its publication of 4 July (its article 7): no settlement before can be corrected.
 */
export const FISCAL_DATA_SINCE = "2016-07-15";

/** Tag 1179 (fiscal-receipts 1.7). */
export const MAX_ORDER_LENGTH = 32;

export type DayProblem = "no-such-day" | "not-come" | "before-fiscal-data";

/** Why the day cannot be that of a settlement that is corrected, tag 1178; `today`: the last day that it may be. */
export function dayProblem(settledOn: string, today: string): DayProblem | undefined {
  if (parseWallTime(`${settledOn} 00:00:00`) === undefined) return "no-such-day";
  if (settledOn > today) return "not-come";
  return settledOn < FISCAL_DATA_SINCE ? "before-fiscal-data" : undefined;
}

/** Why a text that a person wrote would not stand in the drive and on paper as it was written (fiscal-receipts 1.2). */
export function textProblem(text: string, maxLength: number): string | undefined {
  if (text.length > maxLength) return `${text.length} characters, of which ${maxLength} fit`;
  const kept = storable(text, maxLength);
  if (kept === "") return "nothing is left of it on paper";
  return kept === text ? undefined : `neither drive nor paper has all of these characters; what they can show is "${kept}"`;
}
