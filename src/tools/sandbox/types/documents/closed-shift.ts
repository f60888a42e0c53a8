import { isDeepStrictEqual } from "node:util";
import { referenceIn, type Stored, type Values } from "../../values/stored.ts";
import type { Writing } from "../entity-type.ts";
import { pointed, shiftClosed } from "./document.ts";
import { PAYMENT_FIELDS } from "./payments.ts";

/** What a shift's sums and its goods are made of. */
const COUNTED = ["applicable", "sum", "positions", ...PAYMENT_FIELDS] as const;

/** A shift that is closed keeps what it told: its documents keep their lines and sums, and stay in it (D27). */
export function keepClosedShift(after: Values, before: Stored | undefined, code: number, writing: Writing): Values {
  if (before === undefined || pointed(before.values, "retailShift", writing)?.values.closeDate === undefined) return after;
  const moved = referenceIn(after.retailShift)?.id !== referenceIn(before.values.retailShift)?.id;
  if (moved || COUNTED.some((name) => !isDeepStrictEqual(after[name], before.values[name]))) throw shiftClosed(code);
  return after;
}
