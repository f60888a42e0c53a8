/** A shift of a device. The drive identifies it, because the register's address may change. */
export interface DeviceShift {
  driveNumber: string;
  shiftNumber: number;
  /** Number of the report that opened the shift, if known. This number saves the search for the shift's first document. */
  openReportNumber?: number | undefined;
}

/**
 * The owner of a device's shift. `opened`: the account opened or adopted the shift; `automatic`: only the server opened it, for the
 * account. `trades`: no opening is known, and the account made the shift's first document or slip, in the entry `entryId`. `nobody`: the
 * journal has no document of the shift that decides about the owner.
 */
export type ShiftOwner =
  | { kind: "opened"; accountId: string; automatic: boolean }
  | { kind: "trades"; accountId: string; entryId: number }
  | { kind: "nobody" };

/** Whether another account is known to own the shift. */
export function isOfAnother(owner: ShiftOwner | undefined, accountId: string): boolean {
  return owner !== undefined && owner.kind !== "nobody" && owner.accountId !== accountId;
}
