import { parseWallTime } from "../kernel/moment.ts";
import { storable } from "./texts/printable.ts";

/**
 * The first possible day of a corrected settlement. Federal Law 290-ФЗ of 3 July 2016 brought fiscal data into 54-ФЗ, the law on cash
 * registers. 290-ФЗ was published on 4 July and came into force after ten full days (its article 7).
 */
export const FISCAL_DATA_SINCE = "2016-07-15";

/** The longest number of a tax office's order, tag 1179 (fiscal-receipts 1.7). */
export const MAX_ORDER_LENGTH = 32;

export type DayProblem = "no-such-day" | "not-come" | "before-fiscal-data";

/** Returns why a day cannot be tag 1178, the day of the corrected settlement. Undefined: it can. `today`: the last possible day. */
export function dayProblem(settledOn: string, today: string): DayProblem | undefined {
  if (parseWallTime(`${settledOn} 00:00:00`) === undefined) return "no-such-day";
  if (settledOn > today) return "not-come";
  return settledOn < FISCAL_DATA_SINCE ? "before-fiscal-data" : undefined;
}

/** Returns why drive and paper cannot show a person's text unchanged (fiscal-receipts 1.2). Undefined: they can. */
export function textProblem(text: string, maxLength: number): string | undefined {
  if (text.length > maxLength) return `${text.length} characters, of which ${maxLength} fit`;
  const kept = storable(text, maxLength);
  if (kept === "") return "nothing is left of it on paper";
  return kept === text ? undefined : `neither drive nor paper has all of these characters; what they can show is "${kept}"`;
}
