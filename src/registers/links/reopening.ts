import { type Clock, pause } from "../../kernel/clock.ts";
import { type Deadline, deadlineIn } from "../../kernel/deadline.ts";
import type { Link, Opened } from "./link.ts";

/** The first and the longest pause between attempts. The pause doubles each time, so a port that is missing for long is tried rarely. */
const FIRST_PAUSE_MS = 100;
const LAST_PAUSE_MS = 2_000;

interface Reopening {
  clock: Clock;
  /** How long all attempts together may take. */
  withinMs: number;
  deadline: Deadline;
  /** Ends the attempts when the link's owner closes. */
  signal?: AbortSignal;
}

/**
 * Opens the link. Tries again while the time allows another pause. `shut` has the last attempt's reason, or says that the link was closed.
 */
export async function openWithin(link: Link, { clock, withinMs, deadline, signal }: Reopening): Promise<Opened> {
  const own = deadlineIn(clock, withinMs);
  const limit = own.atMs < deadline.atMs ? own : deadline;
  let pauseMs = FIRST_PAUSE_MS;
  for (;;) {
    if (signal?.aborted === true) return { kind: "shut", reason: "связь с кассой закрыта" };
    const opened = await link.open(limit);
    if (opened.kind === "open" || limit.remainingMs() <= pauseMs) return opened;
    await pause(clock, pauseMs, signal);
    pauseMs = Math.min(pauseMs * 2, LAST_PAUSE_MS);
  }
}
