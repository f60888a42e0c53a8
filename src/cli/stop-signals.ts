import type { Clock } from "../kernel/clock.ts";

/** As a shell tells it: 128 and the number of the signal. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

/** A command that does not look at the signal may end what it is at: a commit, a page of output. */
export const UNWATCHED_LIMIT_MS = 2_000;

export type StopSignal = keyof typeof EXIT_CODES;

/** The process, as far as signals end it. */
interface Ending {
  on(signal: StopSignal, heard: () => void): void;
  exit(code: number): void;
  clock: Pick<Clock, "after">;
}

/**
 * Aborts the command at the first SIGINT or SIGTERM. The process itself ends at the second, or soon after the first where
 * the command does not watch for it: nobody waits three minutes for a register that is silent. What was at the
 * register then is found again by the journal, as after any other end.
 */
export function stopAtSignals({ on, exit, clock }: Ending, stop: AbortController, watched: boolean): void {
  let heard = false;
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    const end = () => exit(EXIT_CODES[signal]);
    on(signal, () => {
      if (heard) return end();
      heard = true;
      stop.abort();
      if (!watched) clock.after(UNWATCHED_LIMIT_MS, end);
    });
  }
}
