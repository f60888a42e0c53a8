/**
 * One command of an exchange with a device. The content of the command and of its answer is never kept: it may be a
 * buyer's data or a password.
 */
export interface ExchangeStep {
  /** As the protocol's table names the command. */
  command: string;
  atMs: number;
  tookMs: number;
  /** `0`: carried out. Another number: the device's error. `none`: no answer. `undelivered`: the device has not carried it out. */
  code: string;
}

/** How many steps of one attempt are kept, from its first step. A receipt of a hundred lines takes about as many. */
export const MOST_STEPS = 200;
