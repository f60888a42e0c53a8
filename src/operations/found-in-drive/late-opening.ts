import type { EntryContent, EntryKey } from "../../journal/entry.ts";
import type { Journal } from "../../journal/journal.ts";
import type { FiscalFacts } from "../../model/facts.ts";
import type { PlatformId } from "../../model/operation.ts";

type Asked = Pick<Journal, "find" | "shiftLinks" | "deviceShiftsOf">;

/** The device shifts of a platform's shift on one drive, newest first. */
interface DeviceShifts {
  driveNumber: string;
  own: readonly number[];
}

/**
 * Returns the report that opened the platform's shift when that shift is over: the server opened a device shift for it, and
 * the platform has closed that device shift. An opening of this shift can come now because it was refused before. A new
 * device shift would stay open, because the platform has already closed its shift, and a repeat of the closing gets the
 * stored answer. Undefined: the shift is not over, or no opening was ever made for it (a shift that was opened at the
 * device and closed by the platform). `onDrive`: the shift's device shifts on the present drive; the drive may have been
 * replaced since.
 */
export async function openingOfEnded(
  journal: Asked,
  { key, operation: { shift } }: Pick<EntryContent, "key" | "operation">,
  onDrive: DeviceShifts,
): Promise<FiscalFacts | undefined> {
  const ended = await endedShifts(journal, key, shift, onDrive);
  if (ended === undefined) return undefined;
  // Oldest first: the first device shift is the one that the till meant, the server only renewed it later.
  for (const shiftNumber of ended.own.toReversed()) {
    const documentId = `${ended.driveNumber}-${shiftNumber}`;
    const facts = await factsOf(journal, { ...key, operation: "auto-open-shift", documentId });
    if (facts !== undefined) return facts;
  }
  return undefined;
}

/** The device shifts of the platform's shift, if the platform has closed the newest of them. */
async function endedShifts(journal: Asked, key: EntryKey, shift: PlatformId, onDrive: DeviceShifts): Promise<DeviceShifts | undefined> {
  const { driveNumber, own } = onDrive;
  const [newest] = own;
  if (newest !== undefined) {
    // The till may know the shift by an id of its own, and may have closed it by that id.
    for (const { id } of await journal.shiftLinks(driveNumber, newest)) {
      const closing = await factsOf(journal, { ...key, operation: "close-shift", documentId: id });
      if (closing?.identity.driveNumber === driveNumber && closing.shiftNumber === newest) return onDrive;
    }
    return undefined;
  }
  const closing = await factsOf(journal, { ...key, operation: "close-shift", documentId: shift.id });
  if (closing === undefined || closing.identity.driveNumber === driveNumber) return undefined;
  const { driveNumber: earlier } = closing.identity;
  return { driveNumber: earlier, own: await journal.deviceShiftsOf(key.accountId, earlier, shift) };
}

async function factsOf(journal: Asked, key: EntryKey): Promise<FiscalFacts | undefined> {
  const entry = await journal.find(key);
  return entry?.state === "done" && entry.facts?.kind === "fiscal" ? entry.facts : undefined;
}
