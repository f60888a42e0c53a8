import type { Entry } from "../../journal/entry.ts";
import { needsPerson, serverTimeEndsMs } from "../../journal/responsibility.ts";

/** The state of an unfinished entry, and who has to act. */
export interface Waiting {
  state: Exclude<Entry["state"], "done" | "refused">;
  owner: "server" | "person";
  ageMs: number;
  /** In ms since the epoch. A person has to act if the entry has not ended by this moment. */
  untilMs: number;
}

/** Returns who has to act. Undefined after the entry's end. */
export function waitingOf(entry: Pick<Entry, "state" | "movedAtMs">, nowMs: number): Waiting | undefined {
  const { state, movedAtMs } = entry;
  const untilMs = serverTimeEndsMs(entry);
  if (untilMs === undefined || state === "done" || state === "refused") return undefined;
  return { state, owner: needsPerson(entry, nowMs) ? "person" : "server", ageMs: nowMs - movedAtMs, untilMs };
}
