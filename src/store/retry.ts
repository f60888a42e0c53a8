import { type Clock, pause } from "../kernel/clock.ts";

/** Pauses between attempts: a lock of another process is held for milliseconds, a database that restarts needs a moment. */
const PAUSES_MS = [20, 50, 130, 300, 500] as const;
/** No attempt begins later than this, however long the earlier ones took: an operation answers after 9 s at most. */
const LAST_ATTEMPT_MS = 1_500;

/**
 * Runs the work, again after each failure that allows it, five times and 1.5 s at most. The last
 * failure is passed on.
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
