import type { Entry } from "./entry.ts";
import type { EntryState } from "./states.ts";

/**
 * Until when the server ends a state by itself, from the move into it; afterwards somebody has to look.
 * Each is the sum of the server's own limits, rounded up.
 */
const LIMITS_MS: Partial<Record<EntryState, number>> = {
  /** Three documents of the slowest kind stand before it, each of up to three minutes. */
  queued: 10 * 60_000,
  /** A register has three minutes for a document; then it is asked what it printed, for ten seconds. */
  sending: 4 * 60_000,
  /** The register is asked every five seconds. The cashier is told to repeat after a minute, and then to call somebody. */
  "in-doubt": 60_000,
};

/** When the server has had its time with an entry, ms since the epoch; undefined for what has ended. */
export function serversUntilMs({ state, movedAtMs }: Pick<Entry, "state" | "movedAtMs">): number | undefined {
  const limitMs = LIMITS_MS[state];
  return limitMs === undefined ? undefined : movedAtMs + limitMs;
}

/** Whether the server has had its time: only a person can end it now. */
export function isPersons(entry: Pick<Entry, "state" | "movedAtMs">, nowMs: number): boolean {
  const untilMs = serversUntilMs(entry);
  return untilMs !== undefined && nowMs >= untilMs;
}
