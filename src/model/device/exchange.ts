/** One command of an exchange with a device. It never holds what the command or its answer said: that may be a buyer's data or a password. */
export interface ExchangeStep {
  /** As the protocol's table names the command. */
  command: string;
  atMs: number;
  tookMs: number;
  /** `0`: carried out. Another number: the device's error. `none`: no answer. `undelivered`: the device has not carried it out. */
  code: string;
}

/** Steps that are kept of one attempt, the first of them. A receipt of a hundred lines has about as many. */
export const MOST_STEPS = 200;
