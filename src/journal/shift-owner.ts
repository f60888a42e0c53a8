/** A shift of a device. It is found by the drive, because the address of the register may change. */
export interface DeviceShift {
  driveNumber: string;
  shiftNumber: number;
  /** Number of the report that opened the shift, when it is known. It saves the search for the shift's first document. */
  openReportNumber?: number | undefined;
}

/**
 * The owner of a device's shift. `opened`: the account opened or adopted it; `automatic` when only the server opened it for the account.
 * `trades`: no opening is known, and the account made the first document in the shift, which is the document of the entry `entryId`.
 * `nobody`: the journal has no document of the shift.
 */
export type ShiftOwner =
  | { kind: "opened"; accountId: string; automatic: boolean }
  | { kind: "trades"; accountId: string; entryId: number }
  | { kind: "nobody" };

/** Whether the shift is known to be another account's. */
export function isOfAnother(owner: ShiftOwner | undefined, accountId: string): boolean {
  return owner !== undefined && owner.kind !== "nobody" && owner.accountId !== accountId;
}
