import type { Entry } from "./entry.ts";
import type { EntryState } from "./states.ts";

/**
 * How long the server tries to end a state, from the move into it. After this time a person has to look. The first two limits are sums of
 * the server's own limits, rounded up.
 */
const LIMITS_MS: Partial<Record<EntryState, number>> = {
  /** The time for three documents before the entry, each of up to three minutes. */
  queued: 10 * 60_000,
  /** A register has three minutes for a document. Then the server has ten seconds to ask the register which document it printed. */
  sending: 4 * 60_000,
  /** The register is asked every five seconds. After a minute the cashier has repeated the operation in vain and calls a person. */
  "in-doubt": 60_000,
};

/** Returns when the server's time for an entry ends, in ms since the epoch. Undefined after the entry's end. */
export function serverTimeEndsMs({ state, movedAtMs }: Pick<Entry, "state" | "movedAtMs">): number | undefined {
  const limitMs = LIMITS_MS[state];
  return limitMs === undefined ? undefined : movedAtMs + limitMs;
}

/** Whether the server's time for the entry is over, so that a person has to look. */
export function needsPerson(entry: Pick<Entry, "state" | "movedAtMs">, nowMs: number): boolean {
  const untilMs = serverTimeEndsMs(entry);
  return untilMs !== undefined && nowMs >= untilMs;
}
