import type { OperationKind, PlatformId } from "../model/operation.ts";
import type { RefusalCode } from "../model/refusal.ts";
import type { ShiftState } from "../registers/register.ts";

/** What has to happen to the device's shift before the operation may go to it. */
export type ShiftStep =
  | { kind: "proceed" }
  /** The device's shift becomes the platform's: the answer is the report that opened it. */
  | { kind: "adopt"; openReportNumber: number }
  | { kind: "open-first" }
  | { kind: "close-and-open-first" }
  | { kind: "refuse"; code: RefusalCode };

export interface ShiftSituation {
  operation: OperationKind;
  /** The platform's shift that the operation names. */
  named: PlatformId;
  device: ShiftState;
  /** Another account has opened the device's shift: neither its shifts nor its money are the caller's. */
  foreign: boolean;
  /** Platform shifts that the open device shift belongs to; none when it was opened at the device. */
  owners: PlatformId[];
  /** The server opened the device's shift on its own. */
  openedAutomatically: boolean;
  /** The point of sale lets the server open and close shifts on its own. */
  automatic: boolean;
}

/**
 * Interface 6, "Shift the platform does not own", and fiscal-receipts 6.2. A shift is the account's that opened it, or
 * that adopted it where it was opened at the device: on a register that two accounts share, each waits for the
 * end of the other's shift, however it names its own, and whatever it may open and close.
 */
export function nextShiftStep(situation: ShiftSituation): ShiftStep {
  const { operation, device, foreign } = situation;
  if (device.kind === "open" && foreign && !isReport(operation)) return refuse("shift-foreign");
  switch (operation) {
    case "open-shift":
      return toOpen(situation);
    case "close-shift":
      return toClose(situation);
    case "correction":
      return toCorrect(situation);
    case "x-report":
    case "state-report":
      // With the shift open, closed or too long (shtrih-protocol 7.1, 11).
      return { kind: "proceed" };
    default:
      return toTrade(situation);
  }
}

function toOpen({ device, named, owners }: ShiftSituation): ShiftStep {
  if (device.kind === "closed") return { kind: "proceed" };
  const ours = owners.length === 0 || owners.some((owner) => isSame(owner, named));
  if (!ours || device.openReportNumber === undefined) return refuse("shift-already-open");
  if (device.expired) return refuse("shift-expired");
  return { kind: "adopt", openReportNumber: device.openReportNumber };
}

function toClose({ device, named, owners }: ShiftSituation): ShiftStep {
  if (device.kind === "closed") return refuse("shift-closed");
  return conflicts(owners, named) ? refuse("shift-conflict") : { kind: "proceed" };
}

function toTrade({ device, named, owners, automatic, openedAutomatically }: ShiftSituation): ShiftStep {
  if (device.kind === "closed") return automatic ? { kind: "open-first" } : refuse("shift-closed");
  if (conflicts(owners, named)) {
    return automatic && openedAutomatically ? { kind: "close-and-open-first" } : refuse("shift-conflict");
  }
  if (device.expired) return automatic ? { kind: "close-and-open-first" } : refuse("shift-expired");
  return { kind: "proceed" };
}

/** Whichever shift is open takes it: the one that it corrects may be long over. None is opened for it. */
function toCorrect({ device }: ShiftSituation): ShiftStep {
  if (device.kind === "closed") return refuse("shift-closed");
  return device.expired ? refuse("shift-expired") : { kind: "proceed" };
}

/** Printed for whoever runs the server, about the register: neither changes what is counted. */
function isReport(operation: OperationKind): boolean {
  return operation === "x-report" || operation === "state-report";
}

/**
 * Ids of different types may name the same shift (one made at the till, one by the platform): they are
 * linked. Two ids of one type never do.
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
