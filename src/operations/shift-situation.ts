import type { EntryContent } from "../journal/entry.ts";
import type { Journal } from "../journal/journal.ts";
import { type DeviceShift, isOfAnother } from "../journal/shift-owner.ts";
import type { PlatformId } from "../model/operation.ts";
import type { RegisterState } from "../registers/register.ts";
import type { ShiftSituation } from "./shift-rules.ts";

/**
 * What the journal knows of the device's current shift. `automatic`: the point of sale lets the server open and close
 * shifts.
 */
export async function shiftSituation(
  journal: Journal,
  { key, operation: { kind: operation, shift: named } }: Pick<EntryContent, "key" | "operation">,
  { shift: device, driveNumber }: RegisterState,
  automatic: boolean,
): Promise<ShiftSituation> {
  if (device.kind === "closed") {
    return { operation, named, device, foreign: false, owners: [], openedAutomatically: false, automatic };
  }
  // The shift is looked up by the drive: it belongs to the drive, and the register's address may have changed.
  const owners = await journal.shiftLinks(driveNumber, device.number);
  const { number: shiftNumber, openReportNumber } = device;
  const owner = await journal.shiftOwner({ driveNumber, shiftNumber, openReportNumber });
  const foreign = isOfAnother(owner, key.accountId);
  const openedAutomatically = owner.kind === "opened" && owner.automatic;
  const over = owners.length === 0 ? await endOfNamed(journal, key, named, { driveNumber, shiftNumber, openReportNumber }) : undefined;
  return { operation, named, device, foreign, owners, over, openedAutomatically, automatic };
}

/** Whether the platform's shift ended with another shift of the device. The key of its closing is the shift's own id. */
async function endOfNamed(
  journal: Journal,
  { appId, accountId }: EntryContent["key"],
  named: PlatformId,
  { driveNumber, shiftNumber, openReportNumber }: DeviceShift,
): Promise<ShiftSituation["over"]> {
  const closing = await journal.find({ appId, accountId, operation: "close-shift", documentId: named.id });
  if (closing?.state !== "done" || closing.facts?.kind !== "fiscal" || closing.facts.shiftNumber === shiftNumber) return undefined;
  const reading = await journal.drives.of(driveNumber, await journal.lastDocumentNumber(driveNumber));
  const opened = openReportNumber ?? reading.reports.get(shiftNumber)?.["open-shift"];
  return opened !== undefined && reading.hasLostBehind(opened) ? "among-others" : "alone";
}
