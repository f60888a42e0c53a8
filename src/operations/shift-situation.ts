import type { EntryContent } from "../journal/entry.ts";
import type { Journal } from "../journal/journal.ts";
import { type DeviceShift, isOfAnother } from "../journal/shift-owner.ts";
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
    return { operation, named, device, foreign: false, unclear: false, owners: [], openedAutomatically: false, automatic };
  }
  // The shift is looked up by the drive: it belongs to the drive, and the register's address may have changed.
  const owners = await journal.shiftLinks(driveNumber, device.number);
  const { number: shiftNumber, openReportNumber } = device;
  const shift = { driveNumber, shiftNumber, openReportNumber };
  const owner = await journal.shiftOwner(shift);
  const foreign = isOfAnother(owner, key.accountId);
  const unclear = owner.kind === "nobody" && (await isUnclear(journal, key, shift));
  const openedAutomatically = owner.kind === "opened" && owner.automatic;
  const over = owners.length === 0 ? await endOfNamed(journal, key, named, shift) : undefined;
  return { operation, named, device, foreign, unclear, owners, over, openedAutomatically, automatic };
}

/**
 * Whether the shift may be another account's although the journal has no document of it. The shift then has documents of this server that a
 * restored copy lacks, and another account uses the drive. Reports carry no account. An account proves that the shift is its own when it
 * repeats one of these documents, or the opening, whose moment must fit the report. Otherwise a person closes the shift at the register. A
 * shift without such documents counts as opened at the register: this server opens a shift by itself only for a document.
 */
async function isUnclear(journal: Journal, { accountId }: EntryContent["key"], shift: DeviceShift): Promise<boolean> {
  return (await hasLost(journal, shift)) && (await journal.usedByAnother(shift.driveNumber, accountId));
}

/** Whether the drive has documents of this server in the open shift that the journal lacked when they were read. */
async function hasLost(journal: Journal, { driveNumber, shiftNumber, openReportNumber }: DeviceShift): Promise<boolean> {
  const reading = await journal.drives.of(driveNumber, await journal.lastDocumentNumber(driveNumber));
  const opened = openReportNumber ?? reading.reports.get(shiftNumber)?.["open-shift"];
  return opened !== undefined && reading.hasLostBehind(opened);
}

/** Whether the platform's shift ended with another shift of the device. The key of its closing is the shift's own id. */
async function endOfNamed(
  journal: Journal,
  { appId, accountId }: EntryContent["key"],
  named: PlatformId,
  shift: DeviceShift,
): Promise<ShiftSituation["over"]> {
  const closing = await journal.find({ appId, accountId, operation: "close-shift", documentId: named.id });
  if (closing?.state !== "done" || closing.facts?.kind !== "fiscal" || closing.facts.shiftNumber === shift.shiftNumber) return undefined;
  return (await hasLost(journal, shift)) ? "among-others" : "alone";
}
