import { type Clock, clockAhead } from "../kernel/clock.ts";
import { readClockAhead } from "./config.ts";

/** The clock of a command: the system's, ahead by CLOCK_AHEAD_MS. */
export function processClock(): Clock {
  return clockAhead(readClockAhead());
}
