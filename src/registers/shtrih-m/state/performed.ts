import type { Doubt } from "../../../model/doubt.ts";
import type { Refusal } from "../../../model/refusal.ts";
import type { Outcome } from "../../register.ts";
import type { KnownDevice } from "../identity/identity.ts";
import type { Opening } from "./opening.ts";
import type { ShiftCounts } from "./shift-counts.ts";
import type { View } from "./view.ts";

/** The outcome of a document, and the state of the device after it. Without a view the next call inspects the device again. */
export interface Performed {
  outcome: Outcome;
  view?: View;
  opening?: Opening;
  /** The counts of the shift that the register gave before the shift was closed. */
  counts?: ShiftCounts;
  /** The device with its new settings, when the document has changed one. */
  known?: KnownDevice;
}

export function refuse(refusal: Refusal): Performed {
  return { outcome: { kind: "refused", refusal } };
}

export function inDoubt(doubt: Doubt): Performed {
  return { outcome: { kind: "in-doubt", doubt } };
}
