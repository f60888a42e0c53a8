import { Failure } from "../../kernel/failure.ts";
import type { LoyaltyServices } from "../services.ts";
import type { ReturnOutcome } from "./returns.ts";

/** What a document has moved, for the log and the metrics after the commit. */
export interface Taken {
  note: Record<string, unknown>;
  anomalies: string[];
  points: { kind: string; points: number }[];
  /** True when returns of this sale still wait, because the sale's transaction has booked as many as it may. */
  othersWait?: boolean;
}

export function nothing(why: string, isAnomaly = false): Taken {
  return { note: { moved: "nothing", why }, anomalies: isAnomaly ? [why] : [], points: [] };
}

export function takenByReturn(outcome: ReturnOutcome): Taken {
  if (outcome.kind === "nothing") return nothing("sale-without-points");
  const { givenBack, clawedBack } = outcome;
  return {
    note: { givenBack, clawedBack },
    anomalies: [],
    points: [
      { kind: "SPEND_REVERSAL", points: givenBack },
      { kind: "EARN_REVERSAL", points: clawedBack },
    ],
  };
}

/** Counts a document in the metrics. Call it after the commit. */
export function observeTaken(observe: LoyaltyServices["observe"], taken: Pick<Taken, "anomalies" | "points">): void {
  for (const anomaly of taken.anomalies) observe.anomaly(anomaly);
  for (const { kind, points } of taken.points) if (points > 0) observe.points(kind, points);
}

export function isReturnedMore(error: unknown): boolean {
  return error instanceof Failure && error.code === "loyalty-returned-more";
}
