import type { Doubt } from "../../../model/doubt.ts";
import type { Refusal } from "../../../model/refusal.ts";
import type { Outcome } from "../../register.ts";
import type { KnownDevice } from "../identity/identity.ts";
import type { Opening } from "./opening.ts";
import type { ShiftCounts } from "./shift-counts.ts";
import type { View } from "./view.ts";

/** A document's outcome, and the device's state after it. Without a view the next call inspects the device again. */
export interface Performed {
  outcome: Outcome;
  view?: View;
  opening?: Opening;
  /** The shift's counts, read before it was closed. */
  counts?: ShiftCounts;
  /** The device with its settings after the document. */
  known?: KnownDevice;
}

export function refuse(refusal: Refusal): Performed {
  return { outcome: { kind: "refused", refusal } };
}

export function inDoubt(doubt: Doubt): Performed {
  return { outcome: { kind: "in-doubt", doubt } };
}
