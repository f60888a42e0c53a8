import type { EntryContent } from "../journal/entry.ts";
import type { Journal } from "../journal/journal.ts";
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
  const openers = await journal.openersOf(driveNumber, device.number);
  const [first] = openers;
  const foreign = first !== undefined && first.accountId !== key.accountId;
  // Once the platform has opened the shift too, only the platform closes it and not the server.
  const openedAutomatically = first !== undefined && openers.every((opener) => opener.automatic);
  return { operation, named, device, foreign, owners, openedAutomatically, automatic };
}
