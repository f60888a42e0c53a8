import { type Clock, pause } from "../kernel/clock.ts";

/** The pauses between attempts. Another process holds a lock for milliseconds; a database that restarts needs about a second. */
const PAUSES_MS = [20, 50, 130, 300, 500] as const;
/** No attempt begins later than this. An operation answers after 9 s at most. */
const LAST_ATTEMPT_MS = 1_500;

/**
 * Runs the work, and runs it again after each failure that `mayRepeat` allows: five times at most, and never after 1.5 s. Throws
 * the last failure.
 */
export async function retrying<T>(clock: Clock, mayRepeat: (thrown: unknown) => boolean, work: () => Promise<T>): Promise<T> {
  const startMs = clock.monotonicMs();
  for (const pauseMs of PAUSES_MS) {
    try {
      return await work();
    } catch (error) {
      const late = clock.monotonicMs() - startMs + pauseMs > LAST_ATTEMPT_MS;
      if (late || !mayRepeat(error)) throw error;
      await pause(clock, pauseMs);
    }
  }
  return await work();
}
