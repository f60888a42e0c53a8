/** The prefix of the names of register leases. */
export const REGISTER_LEASES = "register ";

/** `register`: the canonical address. */
export function registerLease(register: string): string {
  return `${REGISTER_LEASES}${register}`;
}

export function taskLease(work: string): string {
  return `task ${work}`;
}

/** `device`: serial number and drive number. */
export function deviceLease(device: string): string {
  return `device ${device}`;
}
