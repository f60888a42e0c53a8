import { type Clock, nextTurn, pause } from "../kernel/clock.ts";
import { isSqliteBusy } from "./dialects/sqlite.ts";

/** The pauses between attempts: a restarting database needs about a second. */
const PAUSES_MS = [20, 50, 130, 300, 500] as const;
/** No attempt begins after this time, because an operation answers after 9 s at most. */
const LAST_ATTEMPT_MS = 1_500;
/**
 * The pause while another process has SQLite's write lock. The lock has no queue, and a waiting statement would block this process, so the
 * attempts are frequent. A program that takes the lock again immediately leaves the lock free for some tens of microseconds only, about the
 * length of an attempt.
 */
const LOCKED_PAUSE_MS = 1;
/**
 * After this time an attempt is made in each turn of the event loop. The attempts use a processor for a few seconds, with other work
 * between them. Most commits of a command end earlier.
 */
const ASK_ALWAYS_AFTER_MS = 200;
/**
 * No attempt to get the lock begins after this time. Work may also wait behind other work for the same time, and an operation answers after
 * 9 s at most.
 */
const LAST_ATTEMPT_LOCKED_MS = 4_000;

/**
 * Runs the work, and repeats it after failures that `mayRepeat` allows: at most five times and not after 1.5 s. While another process has
 * the lock on SQLite's file, repeats it any number of times for 4 s. Throws the last failure.
 */
export async function retrying<T>(clock: Clock, mayRepeat: (thrown: unknown) => boolean, work: () => Promise<T>): Promise<T> {
  const startMs = clock.monotonicMs();
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const isLocked = isSqliteBusy(error);
      const elapsedMs = clock.monotonicMs() - startMs;
      const pauseMs = isLocked ? lockedPauseMs(elapsedMs) : PAUSES_MS[attempt];
      const lastMs = isLocked ? LAST_ATTEMPT_LOCKED_MS : LAST_ATTEMPT_MS;
      if (pauseMs === undefined || elapsedMs + pauseMs > lastMs || !mayRepeat(error)) throw error;
      await (pauseMs === 0 ? nextTurn() : pause(clock, pauseMs));
    }
  }
}

function lockedPauseMs(elapsedMs: number): number {
  return elapsedMs < ASK_ALWAYS_AFTER_MS ? LOCKED_PAUSE_MS : 0;
}
