import type { EntryContent } from "../journal/entry.ts";
import type { Journal } from "../journal/journal.ts";
import type { OperationKind } from "../model/operation.ts";
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
  const owner = first?.accountId ?? (await accountThatTrades(journal, operation, driveNumber, device));
  const foreign = owner !== undefined && owner !== key.accountId;
  // Once the platform has opened the shift too, only the platform closes it and not the server.
  const openedAutomatically = first !== undefined && openers.every((opener) => opener.automatic);
  return { operation, named, device, foreign, owners, openedAutomatically, automatic };
}

/**
 * The account whose documents stand in a shift of which no opening is known: a restored copy of the database may lack
 * it. The shift may as well have been opened at the device, and then an opening adopts it (shift-rules.ts). The two
 * cannot be told apart, so an opening is not refused for these documents.
 */
async function accountThatTrades(
  journal: Journal,
  operation: OperationKind,
  driveNumber: string,
  { number, openReportNumber }: Extract<RegisterState["shift"], { kind: "open" }>,
): Promise<string | undefined> {
  return operation === "open-shift" ? undefined : journal.firstAccountIn(driveNumber, number, openReportNumber);
}
