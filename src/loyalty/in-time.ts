import type { Clock } from "../kernel/clock.ts";

export const TOO_LATE = Symbol("too late");

/** The result of the work, or `TOO_LATE` after the limit. The work goes on; what it throws afterwards is nobody's. */
export function inTime<Value>(clock: Clock, limitMs: number, work: Promise<Value>): Promise<Value | typeof TOO_LATE> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(limitMs, () => resolve(TOO_LATE));
    const settle = (end: () => void) => {
      cancel();
      end();
    };
    work.then(
      (value) => settle(() => resolve(value)),
      (error: unknown) => settle(() => reject(error)),
    );
  });
}
