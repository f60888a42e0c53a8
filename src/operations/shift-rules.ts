import type { OperationKind, PlatformId } from "../model/operation.ts";
import type { RefusalCode } from "../model/refusal.ts";
import type { ShiftState } from "../registers/register.ts";

/** What must happen to the device's shift before the operation may be sent. */
export type ShiftStep =
  | { kind: "proceed" }
  /**
   * The device's shift becomes the platform's. The answer is the report that opened the shift. `unlessFits`: the refusal when the
   * report's time does not fit the operation's moment. Absent: any time fits.
   */
  | { kind: "adopt"; openReportNumber: number; unlessFits?: RefusalCode }
  /** `open-first`, `close-first`: a report that opens or closes the device's shift is made. Then the device's shift is checked again. */
  | { kind: "open-first" }
  | { kind: "close-first" }
  | { kind: "refuse"; code: RefusalCode };

export interface ShiftSituation {
  operation: OperationKind;
  /** The operation's shift of the platform. */
  named: PlatformId;
  device: ShiftState;
  /** Another account owns the device's shift (journal/shift-owner.ts). The caller may touch neither the shift nor its money. */
  foreign: boolean;
  /** Another account may own the device's shift: the journal does not know its owner (shift-situation.ts). */
  unclear: boolean;
  /**
   * The device's shift has documents of this server that the journal lacked, because an older database was restored. Always false when
   * `owners` has members.
   */
  hasLost: boolean;
  /** The platform's shift in the first known document of the device's shift. Set only for an opening when `hasLost` is true. */
  tradesFor?: PlatformId | undefined;
  /** Platform shifts with a link to the open device shift. Empty when the shift was opened at the device, or its opening was lost. */
  owners: PlatformId[];
  /**
   * Set when the platform has already closed the operation's shift, that closing ended another shift of the device, and `owners` is empty.
   * `among-others`: `hasLost` is true.
   */
  over?: "alone" | "among-others" | undefined;
  /** The server opened the device's shift automatically. */
  openedAutomatically: boolean;
  /** The server may open and close shifts automatically for this point of sale. */
  automatic: boolean;
}

/**
 * The shift rules of interface 6, "Shift the platform does not own", and fiscal-receipts 6.2. A shift belongs to the account that opened
 * it. A shift opened at the device belongs to the account that adopted it. Until then it belongs to the account of its first document,
 * and no other account adopts it.
 *
 * On a shared register each account waits for the end of another account's shift, whatever the ids and settings are. Each account also
 * waits for the end of a shift whose owner is unclear, because a restored database may lack the opening of a shift. A shift with an unclear
 * owner never belongs to an operation whose own shift was closed before.
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
      // Both reports are allowed while the shift is open, closed or expired (shtrih-protocol 7.1, 11).
      return { kind: "proceed" };
    default:
      return toTrade(situation);
  }
}

/**
 * Adopts a shift without an owner, or the shift that the named shift already owns. A shift without an owner may have documents of this
 * server that the journal has lost. Then the shift had an owner in the lost part of the journal, and the owner's shift at the platform may
 * still be open.
 *
 * If another opening adopted the shift, the owner's sales and closing would be refused. So only the lost opening adopts it. An opening is
 * the lost one if the first known document names the opening's shift. Otherwise that document must not name another shift, and the
 * opening's moment must fit the report. Any other opening waits until the shift is closed.
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
    return automatic && openedAutomatically ? { kind: "close-first" } : refuse("shift-conflict");
  }
  if (device.expired) return automatic ? { kind: "close-first" } : refuse("shift-expired");
  return { kind: "proceed" };
}

/** A correction goes into the open shift, because the corrected operation's shift may be over. No shift is opened for it. */
function toCorrect({ device }: ShiftSituation): ShiftStep {
  if (device.kind === "closed") return refuse("shift-closed");
  return device.expired ? refuse("shift-expired") : { kind: "proceed" };
}

/** Reports for the server's operator. They change no sums of the shift. */
function isReport(operation: OperationKind): boolean {
  return operation === "x-report" || operation === "state-report";
}

/**
 * Two different ids of one type name different shifts. Ids of different types (from the till and from the platform) may name the same
 * shift, and become linked.
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
