import type { EntryContent } from "../journal/entry.ts";
import type { Journal } from "../journal/journal.ts";
import { type DeviceShift, isOfAnother, type ShiftOwner } from "../journal/shift-owner.ts";
import type { PlatformId } from "../model/operation.ts";
import type { RegisterState } from "../registers/register.ts";
import type { ShiftSituation } from "./shift-rules.ts";

/**
 * Returns the journal's facts about the device's present shift. `automatic`: the server may open and close shifts for the point of sale.
 */
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
  // The drive identifies the shift, because the register's address may have changed.
  const owners = await journal.shiftLinks(driveNumber, device.number);
  const { number: shiftNumber, openReportNumber } = device;
  const shift = { driveNumber, shiftNumber, openReportNumber };
  const owner = await journal.shiftOwner(shift);
  const foreign = isOfAnother(owner, key.accountId);
  const hasLost = owners.length === 0 && (await hasLostIn(journal, shift));
  // Reports have no account, so another account may own a shift of which the journal has no documents. An account proves its ownership by
  // repeating a document of the shift, or by repeating the opening, whose moment must fit the report. Otherwise a person closes the shift
  // at the register.
  const unclear = owner.kind === "nobody" && hasLost && (await journal.usedByAnother(driveNumber, key.accountId));
  const tradesFor = hasLost && operation === "open-shift" ? await shiftTradedFor(journal, owner) : undefined;
  const openedAutomatically = owner.kind === "opened" && owner.automatic;
  const over = owners.length === 0 ? await endOfNamed(journal, key, named, { shiftNumber, hasLost }) : undefined;
  return { operation, named, device, foreign, unclear, hasLost, tradesFor, owners, over, openedAutomatically, automatic };
}

/**
 * Whether the drive has documents of this server in the open shift that the journal lacked when they were read. A shift without such
 * documents counts as opened at the register: this server opens a shift automatically only for a document.
 */
async function hasLostIn(journal: Journal, { driveNumber, shiftNumber, openReportNumber }: DeviceShift): Promise<boolean> {
  const reading = await journal.drives.of(driveNumber, await journal.lastDocumentNumber(driveNumber));
  const opened = openReportNumber ?? reading.reports.get(shiftNumber)?.["open-shift"];
  return opened !== undefined && reading.hasLostBehind(opened);
}

/**
 * Returns the platform's shift in the first known document of the device's shift. Undefined: no document decides the shift's owner, or
 * the document is the shift's closing.
 */
export async function shiftTradedFor(journal: Pick<Journal, "get">, owner: ShiftOwner): Promise<PlatformId | undefined> {
  const first = owner.kind === "trades" ? await journal.get(owner.entryId) : undefined;
  return first?.operation.kind === "close-shift" ? undefined : first?.operation.shift;
}

/**
 * Whether the platform has closed the shift, and that closing ended another shift of the device. The closing's document id is the shift's
 * id.
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
