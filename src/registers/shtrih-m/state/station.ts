import type { Refusal } from "../../../model/refusal.ts";
import type { Outcome } from "../../register.ts";
import type { Known } from "../identity/identity.ts";
import type { Connection } from "../session/connection.ts";
import type { Opening } from "./opening.ts";
import type { ShiftCounts } from "./shift-counts.ts";
import type { View } from "./view.ts";

/** What a document is made with: the way to the device, who that is, and how it was found. */
export interface Station {
  connection: Connection;
  known: Known;
  /** As of just before the document. */
  view: View;
  /** The drawer as the last `inspect` reported it, where nothing was made since. */
  reportedDrawerKopecks?: number;
}

/** The outcome, and what is known of the device after it; without a view it has to be looked at anew. */
export interface Performed {
  outcome: Outcome;
  view?: View;
  opening?: Opening;
  /** What the register had counted of a shift before it closed that. */
  counts?: ShiftCounts;
  /** The device as it is set now, where that was changed. */
  known?: Known;
}

export function refuse(refusal: Refusal): Performed {
  return { outcome: { kind: "refused", refusal } };
}

export function inDoubt(reason: string): Performed {
  return { outcome: { kind: "in-doubt", doubt: { code: "no-answer", reason } } };
}
