import { type Clock, pause } from "../kernel/clock.ts";
import { isSqliteBusy } from "./dialects/sqlite.ts";

/** The pauses between attempts: a database that restarts needs about a second. */
const PAUSES_MS = [20, 50, 130, 300, 500] as const;
/** No attempt begins later than this. An operation answers after 9 s at most. */
const LAST_ATTEMPT_MS = 1_500;
/**
 * The pause while another process has SQLite's write lock. Shorter than `GIVE_WAY_MS`, so that an attempt falls into each gap that a
 * command leaves between its commits.
 */
const LOCKED_PAUSE_MS = 40;
/** No attempt for a lock begins later than this: an operation has two commits, and answers after 9 s at most. */
const LAST_ATTEMPT_LOCKED_MS = 3_000;

/**
 * Runs the work, and runs it again after each failure that `mayRepeat` allows: five times at most, and never after 1.5 s. While another
 * process has the lock of SQLite's file, the work is tried for 3 s. Throws the last failure.
 */
export async function retrying<T>(clock: Clock, mayRepeat: (thrown: unknown) => boolean, work: () => Promise<T>): Promise<T> {
  const startMs = clock.monotonicMs();
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const isLocked = isSqliteBusy(error);
      const pauseMs = isLocked ? LOCKED_PAUSE_MS : PAUSES_MS[attempt];
      const lastMs = isLocked ? LAST_ATTEMPT_LOCKED_MS : LAST_ATTEMPT_MS;
      if (pauseMs === undefined || clock.monotonicMs() - startMs + pauseMs > lastMs || !mayRepeat(error)) throw error;
      await pause(clock, pauseMs);
    }
  }
}
