import { isDeepStrictEqual } from "node:util";
import { referenceIn, type Stored, type Values } from "../../values/stored.ts";
import type { Writing } from "../entity-type.ts";
import { pointed, shiftClosed } from "./document.ts";
import { PAYMENT_FIELDS } from "./payments.ts";

/** The fields that determine the sums and goods of a shift. */
const COUNTED = ["applicable", "sum", "positions", ...PAYMENT_FIELDS] as const;

/** Returns the new values. Throws `code` if a document of a closed shift changes its shift, or a field in `COUNTED` (json-api D27). */
export function keepClosedShift(after: Values, before: Stored | undefined, code: number, writing: Writing): Values {
  if (before === undefined || pointed(before.values, "retailShift", writing)?.values.closeDate === undefined) return after;
  const moved = referenceIn(after.retailShift)?.id !== referenceIn(before.values.retailShift)?.id;
  if (moved || COUNTED.some((name) => !isDeepStrictEqual(after[name], before.values[name]))) throw shiftClosed(code);
  return after;
}
