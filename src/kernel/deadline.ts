import type { Clock } from "./clock.ts";

/** A time limit by the monotonic clock, in milliseconds. `remainingMs` returns 0 after the limit. */
export interface Deadline {
  readonly atMs: number;
  remainingMs(): number;
}

/** Returns the deadline that is `delayMs` from now. */
export function deadlineIn(clock: Clock, delayMs: number): Deadline {
  const atMs = clock.monotonicMs() + delayMs;
  return { atMs, remainingMs: () => Math.max(0, atMs - clock.monotonicMs()) };
}

export function earlier(a: Deadline, b: Deadline): Deadline {
  return a.atMs < b.atMs ? a : b;
}

/**
 * Waits for the work until the deadline. The work itself continues after the deadline. Rejects if the work rejects before the deadline.
 * A later rejection is ignored.
 */
export function waitUntil<T>(
  clock: Clock,
  deadline: Deadline,
  work: Promise<T>,
): Promise<{ kind: "finished"; value: T } | { kind: "late" }> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(deadline.remainingMs(), () => resolve({ kind: "late" }));
    work.then(
      (value) => {
        cancel();
        resolve({ kind: "finished", value });
      },
      (error: unknown) => {
        cancel();
        reject(error);
      },
    );
  });
}
