import { type Clock, systemClock } from "../../src/kernel/clock.ts";

const TIMES_LONGER = 20;

/**
 * The system's clock, whose delays are twenty times as long as asked for. It is for tests of what comes before the end of a time limit of
 * the product: on a busy machine the limit of some seconds may otherwise end first.
 */
export const unhurriedClock: Clock = {
  ...systemClock,
  after: (delayMs, callback) => systemClock.after(TIMES_LONGER * delayMs, callback),
};
