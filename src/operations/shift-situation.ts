import type { EntryContent } from "../journal/entry.ts";
import type { Journal } from "../journal/journal.ts";
import { isOfAnother } from "../journal/shift-owner.ts";
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
  return { operation, named, device, foreign, owners, openedAutomatically, automatic };
}
