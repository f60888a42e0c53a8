import type { OperationKind, PlatformId } from "../model/operation.ts";
import type { RefusalCode } from "../model/refusal.ts";
import type { ShiftState } from "../registers/register.ts";

/** What must happen to the device's shift before the operation may be sent. */
export type ShiftStep =
  | { kind: "proceed" }
  /**
   * The device's shift becomes the platform's. The answer is the report that opened the shift. `unlessFits`: the refusal when
   * the time of the report does not fit the moment of the operation. Absent: any time will do.
   */
  | { kind: "adopt"; openReportNumber: number; unlessFits?: RefusalCode }
  | { kind: "open-first" }
  | { kind: "close-and-open-first" }
  | { kind: "refuse"; code: RefusalCode };

export interface ShiftSituation {
  operation: OperationKind;
  /** The platform's shift named by the operation. */
  named: PlatformId;
  device: ShiftState;
  /** The device's shift is another account's (journal/shift-owner.ts). The caller may touch neither the shift nor its money. */
  foreign: boolean;
  /** The device's shift may be another account's: the journal does not know its owner (shift-situation.ts). */
  unclear: boolean;
  /** The device's shift has documents of this server that the journal lacked: a copy of the database was restored. */
  hasLost: boolean;
  /** The platform's shift that the first known document in such a device shift names. */
  tradesFor?: PlatformId | undefined;
  /** Platform shifts linked to the open device shift. Empty when the shift was opened at the device. */
  owners: PlatformId[];
  /**
   * Set when the platform has already closed the shift that the operation names, and this closing closed another shift of the device.
   * `among-others`: the open shift also has documents of this server that the journal lacks.
   */
  over?: "alone" | "among-others" | undefined;
  /** The server opened the device's shift on its own. */
  openedAutomatically: boolean;
  /** The point of sale lets the server open and close shifts on its own. */
  automatic: boolean;
}

/**
 * The shift rules of interface 6, "Shift the platform does not own", and fiscal-receipts 6.2. A shift belongs to the
 * account that opened it. A shift opened at the device belongs to the account that adopted it. Until then it belongs to
 * the account that made the first document in it, and no other account adopts it. On a register shared by two accounts,
 * each account waits for the end of the other account's shift, whatever ids and settings that shift has. An account
 * also waits when nobody knows the owner of the shift. A restored copy of the database may lack the opening of a shift.
 * Such a shift never belongs to an operation whose own shift was closed before.
 */
export function nextShiftStep(situation: ShiftSituation): ShiftStep {
  const { operation, device, foreign, unclear } = situation;
  const untouchable = foreign || (unclear && operation !== "open-shift");
  if (device.kind === "open" && untouchable && !isReport(operation)) return refuse("shift-foreign");
  switch (operation) {
    case "open-shift":
      return toOpen(situation);
    case "close-shift":
      return toClose(situation);
    case "correction":
      return toCorrect(situation);
    case "x-report":
    case "state-report":
      // Allowed with the shift open, closed or expired (shtrih-protocol 7.1, 11).
      return { kind: "proceed" };
    default:
      return toTrade(situation);
  }
}

/**
 * Adopts a shift without an owner. The drive may have documents of this server in the shift that the journal lacked. Then the lost part of
 * the journal names an owner of the shift, and the platform may not have closed this owner's shift yet. If another opening adopted the
 * shift, the sales and the closing of the owner would be refused. So only the lost opening adopts it: the first known document names its
 * shift, or its moment fits the report. Any other opening waits until the lost shift is closed.
 */
function toOpen({ device, named, owners, unclear, hasLost, tradesFor }: ShiftSituation): ShiftStep {
  if (device.kind === "closed") return { kind: "proceed" };
  const ours = owners.length === 0 || owners.some((owner) => isSame(owner, named));
  if (!ours || device.openReportNumber === undefined) return refuse("shift-already-open");
  if (device.expired) return refuse("shift-expired");
  const { openReportNumber } = device;
  if (!hasLost || (tradesFor !== undefined && isSame(tradesFor, named))) return { kind: "adopt", openReportNumber };
  if (tradesFor !== undefined && conflicts([tradesFor], named)) return refuse("shift-already-open");
  return { kind: "adopt", openReportNumber, unlessFits: unclear ? "shift-foreign" : "shift-already-open" };
}

function toClose({ device, named, owners }: ShiftSituation): ShiftStep {
  if (device.kind === "closed") return refuse("shift-closed");
  return conflicts(owners, named) ? refuse("shift-conflict") : { kind: "proceed" };
}

function toTrade({ device, named, owners, over, automatic, openedAutomatically }: ShiftSituation): ShiftStep {
  if (device.kind === "closed") return automatic ? { kind: "open-first" } : refuse("shift-closed");
  if (over !== undefined && owners.length === 0) return refuse(over === "alone" ? "shift-conflict" : "shift-foreign");
  if (conflicts(owners, named)) {
    return automatic && openedAutomatically ? { kind: "close-and-open-first" } : refuse("shift-conflict");
  }
  if (device.expired) return automatic ? { kind: "close-and-open-first" } : refuse("shift-expired");
  return { kind: "proceed" };
}

/** A correction goes into the shift that is open, because the shift of the corrected operation may be over. No shift is opened for it. */
function toCorrect({ device }: ShiftSituation): ShiftStep {
  if (device.kind === "closed") return refuse("shift-closed");
  return device.expired ? refuse("shift-expired") : { kind: "proceed" };
}

/** Reports for the operator of the server. They change no counter of the register. */
function isReport(operation: OperationKind): boolean {
  return operation === "x-report" || operation === "state-report";
}

/**
 * Two different ids of one type name different shifts. Ids of different types may name the same shift (one made at the
 * till, one by the platform): they become linked.
 */
function conflicts(owners: PlatformId[], named: PlatformId): boolean {
  return owners.some((owner) => owner.idType === named.idType && owner.id !== named.id);
}

function isSame(a: PlatformId, b: PlatformId): boolean {
  return a.idType === b.idType && a.id === b.id;
}

function refuse(code: RefusalCode): ShiftStep {
  return { kind: "refuse", code };
}
