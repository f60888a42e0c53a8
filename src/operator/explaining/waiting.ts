import type { Entry } from "../../journal/entry.ts";
import { isPersons, serversUntilMs } from "../../journal/responsibility.ts";

/** Who has to do something about an entry that has not ended. */
export interface Waiting {
  state: Exclude<Entry["state"], "done" | "refused">;
  owner: "server" | "person";
  ageMs: number;
  /** When the server has had its time, ms since the epoch. */
  untilMs: number;
}

/** Undefined for what has ended. */
export function waitingOf(entry: Pick<Entry, "state" | "movedAtMs">, nowMs: number): Waiting | undefined {
  const { state, movedAtMs } = entry;
  const untilMs = serversUntilMs(entry);
  if (untilMs === undefined || state === "done" || state === "refused") return undefined;
  return { state, owner: isPersons(entry, nowMs) ? "person" : "server", ageMs: nowMs - movedAtMs, untilMs };
}
