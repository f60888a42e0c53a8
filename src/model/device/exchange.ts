/** One command of an exchange with a device. The content of command and answer is never kept: it may be a buyer's data or a password. */
export interface ExchangeStep {
  /** The command's name in the protocol's table. */
  command: string;
  atMs: number;
  tookMs: number;
  /** `0`: carried out. Another number: the device's error. `none`: no answer. `undelivered`: the command did not reach the device. */
  code: string;
}

/**
 * The largest number of stored steps of one attempt, from its first step. A line of a receipt takes one step, or about four with a mark.
 */
export const MOST_STEPS = 200;
