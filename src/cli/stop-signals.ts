import type { Clock } from "../kernel/clock.ts";

/** Exit codes as a shell reports them: 128 plus the signal's number. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

/** How long a command that does not watch the signal may go on. It may finish a commit or a page of output in this time. */
export const UNWATCHED_LIMIT_MS = 2_000;

export type StopSignal = keyof typeof EXIT_CODES;

interface Ending {
  on(signal: StopSignal, heard: () => void): void;
  exit(code: number): void;
  clock: Pick<Clock, "after">;
}

/**
 * Aborts the command at the first SIGINT or SIGTERM. The second signal ends the process. If the command does not watch the signal, the
 * process also ends soon after the first signal, so that nobody waits minutes for a silent register. If a document was at the register
 * then, the server later asks the register about it, as after any other end.
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
