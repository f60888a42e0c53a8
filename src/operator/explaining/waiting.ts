import type { Entry } from "../../journal/entry.ts";
import { needsPerson, serverTimeEndsMs } from "../../journal/responsibility.ts";

/** The state of an entry that has not ended, and who has to act. */
export interface Waiting {
  state: Exclude<Entry["state"], "done" | "refused">;
  owner: "server" | "person";
  ageMs: number;
  /** Until this moment the server tries to end the entry, in ms since the epoch. After it a person has to act. */
  untilMs: number;
}

/** Returns who has to act; undefined once the entry has ended. */
export function waitingOf(entry: Pick<Entry, "state" | "movedAtMs">, nowMs: number): Waiting | undefined {
  const { state, movedAtMs } = entry;
  const untilMs = serverTimeEndsMs(entry);
  if (untilMs === undefined || state === "done" || state === "refused") return undefined;
  return { state, owner: needsPerson(entry, nowMs) ? "person" : "server", ageMs: nowMs - movedAtMs, untilMs };
}
