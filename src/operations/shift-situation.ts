import type { EntryContent } from "../journal/entry.ts";
import type { Journal } from "../journal/journal.ts";
import { type DeviceShift, isOfAnother, type ShiftOwner } from "../journal/shift-owner.ts";
import type { PlatformId } from "../model/operation.ts";
import type { RegisterState } from "../registers/register.ts";
import type { ShiftSituation } from "./shift-rules.ts";

/** The facts about the device's current shift, by the journal. `automatic`: the point of sale lets the server open and close shifts. */
export async function shiftSituation(
  journal: Journal,
  { key, operation: { kind: operation, shift: named } }: Pick<EntryContent, "key" | "operation">,
  { shift: device, driveNumber }: RegisterState,
  automatic: boolean,
): Promise<ShiftSituation> {
  if (device.kind === "closed") {
    const nobody = { foreign: false, unclear: false, hasLost: false, owners: [], openedAutomatically: false };
    return { operation, named, device, ...nobody, automatic };
  }
  // The shift is looked up by the drive: it belongs to the drive, and the register's address may have changed.
  const owners = await journal.shiftLinks(driveNumber, device.number);
  const { number: shiftNumber, openReportNumber } = device;
  const shift = { driveNumber, shiftNumber, openReportNumber };
  const owner = await journal.shiftOwner(shift);
  const foreign = isOfAnother(owner, key.accountId);
  const hasLost = owners.length === 0 && (await hasLostIn(journal, shift));
  // The shift may be another account's although the journal has no document of it, because reports carry no account. An account proves
  // that the shift is its own when it repeats a document of it, or the opening, whose moment must fit the report. Otherwise a person closes
  // the shift at the register.
  const unclear = owner.kind === "nobody" && hasLost && (await journal.usedByAnother(driveNumber, key.accountId));
  const tradesFor = hasLost && operation === "open-shift" ? await shiftTradedFor(journal, owner) : undefined;
  const openedAutomatically = owner.kind === "opened" && owner.automatic;
  const over = owners.length === 0 ? await endOfNamed(journal, key, named, { shiftNumber, hasLost }) : undefined;
  return { operation, named, device, foreign, unclear, hasLost, tradesFor, owners, over, openedAutomatically, automatic };
}

/**
 * Whether the drive has documents of this server in the open shift that the journal lacked when they were read. A shift without such
 * documents counts as opened at the register: this server opens a shift by itself only for a document.
 */
async function hasLostIn(journal: Journal, { driveNumber, shiftNumber, openReportNumber }: DeviceShift): Promise<boolean> {
  const reading = await journal.drives.of(driveNumber, await journal.lastDocumentNumber(driveNumber));
  const opened = openReportNumber ?? reading.reports.get(shiftNumber)?.["open-shift"];
  return opened !== undefined && reading.hasLostBehind(opened);
}

/** The platform's shift that the first known document in the device's shift names. Undefined: that document is the closing of the shift. */
export async function shiftTradedFor(journal: Pick<Journal, "get">, owner: ShiftOwner): Promise<PlatformId | undefined> {
  const first = owner.kind === "trades" ? await journal.get(owner.entryId) : undefined;
  return first?.operation.kind === "close-shift" ? undefined : first?.operation.shift;
}

/**
 * Whether the platform has closed the shift, and this closing closed another shift of the device. The key of the closing is the id of the
 * shift.
 */
async function endOfNamed(
  journal: Journal,
  { appId, accountId }: EntryContent["key"],
  named: PlatformId,
  { shiftNumber, hasLost }: { shiftNumber: number; hasLost: boolean },
): Promise<ShiftSituation["over"]> {
  const closing = await journal.find({ appId, accountId, operation: "close-shift", documentId: named.id });
  if (closing?.state !== "done" || closing.facts?.kind !== "fiscal" || closing.facts.shiftNumber === shiftNumber) return undefined;
  return hasLost ? "among-others" : "alone";
}
