import { isDeepStrictEqual } from "node:util";
import { referenceIn, type Stored, type Values } from "../../values/stored.ts";
import type { Writing } from "../entity-type.ts";
import { pointed, shiftClosed } from "./document.ts";
import { PAYMENT_FIELDS } from "./payments.ts";

/** The fields that the sums and goods of a shift are computed from. */
const COUNTED = ["applicable", "sum", "positions", ...PAYMENT_FIELDS] as const;

/**
 * Throws when a document of a closed shift changes its lines or sums, or moves to another shift (D27). Returns the new
 * values.
 */
export function keepClosedShift(after: Values, before: Stored | undefined, code: number, writing: Writing): Values {
  if (before === undefined || pointed(before.values, "retailShift", writing)?.values.closeDate === undefined) return after;
  const moved = referenceIn(after.retailShift)?.id !== referenceIn(before.values.retailShift)?.id;
  if (moved || COUNTED.some((name) => !isDeepStrictEqual(after[name], before.values[name]))) throw shiftClosed(code);
  return after;
}
