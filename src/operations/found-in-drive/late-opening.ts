import type { EntryContent, EntryKey } from "../../journal/entry.ts";
import type { Journal } from "../../journal/journal.ts";
import type { FiscalFacts } from "../../model/facts.ts";
import type { PlatformId } from "../../model/operation.ts";
import type { Refusal } from "../../model/refusal.ts";

type Asked = Pick<Journal, "find" | "shiftLinks" | "deviceShiftsOf" | "lastDocumentNumber" | "drives">;

/** What is known about the opening of a platform's shift. `elsewhere`: the report is only in a drive that was replaced. */
type OpeningOfEnded = { kind: "none" } | { kind: "found"; facts: FiscalFacts } | { kind: "elsewhere"; refusal: Refusal };

/** The device shifts of a platform's shift on one drive, newest first. */
interface DeviceShifts {
  driveNumber: string;
  own: readonly number[];
}

/**
 * Returns the opening report for a repeated opening of a platform's shift that is over. The first opening was refused; then the server
 * itself opened the device's shift, and the platform closed its own shift. A new device shift would stay open for ever, because the
 * platform's closing is over.
 *
 * `none`: the shift is not over, or no opening report of the shift is known. `elsewhere`: the journal has no opening by the server, and the
 * report was read in a drive that has been replaced since. `onDrive`: the device shifts of the platform's shift on the present drive. The
 * shift may have ended on an earlier drive.
 */
export async function openingOfEnded(
  journal: Asked,
  { key, operation: { shift } }: Pick<EntryContent, "key" | "operation">,
  onDrive: DeviceShifts,
): Promise<OpeningOfEnded> {
  const ended = await endedShifts(journal, key, shift, onDrive);
  if (ended === undefined) return { kind: "none" };
  // The oldest device shift comes first, because the till meant that shift. The server opened the later shifts for the same shift of the
  // platform.
  for (const shiftNumber of ended.own.toReversed()) {
    const documentId = `${ended.driveNumber}-${shiftNumber}`;
    const facts = await factsOf(journal, { ...key, operation: "auto-open-shift", documentId });
    if (facts !== undefined) return { kind: "found", facts };
  }
  return ended.driveNumber === onDrive.driveNumber ? { kind: "none" } : openedElsewhere(journal, ended);
}

/** Returns the refusal when the shift's opening report was read in the earlier drive. */
async function openedElsewhere(journal: Asked, { driveNumber, own }: DeviceShifts): Promise<OpeningOfEnded> {
  const reading = await journal.drives.of(driveNumber, await journal.lastDocumentNumber(driveNumber));
  const number = own.flatMap((shiftNumber) => reading.reports.get(shiftNumber)?.["open-shift"] ?? []).at(-1);
  if (number === undefined) return { kind: "none" };
  return { kind: "elsewhere", refusal: { code: "registered-in-other-drive", details: { number: `${number}`, drive: driveNumber } } };
}

/** Returns the device shifts of the platform's shift, on this or an earlier drive, if the platform has closed its shift. */
async function endedShifts(journal: Asked, key: EntryKey, shift: PlatformId, onDrive: DeviceShifts): Promise<DeviceShifts | undefined> {
  const { driveNumber, own } = onDrive;
  const [newest] = own;
  if (newest !== undefined) {
    // The till may have closed the shift under an id of another type, so all linked ids are tried.
    for (const { id } of await journal.shiftLinks(driveNumber, newest)) {
      const closing = await factsOf(journal, { ...key, operation: "close-shift", documentId: id });
      if (closing?.identity.driveNumber === driveNumber && closing.shiftNumber === newest) return onDrive;
    }
    return undefined;
  }
  const closing = await factsOf(journal, { ...key, operation: "close-shift", documentId: shift.id });
  if (closing === undefined || closing.identity.driveNumber === driveNumber) return undefined;
  const { driveNumber: earlier } = closing.identity;
  const linked = await journal.deviceShiftsOf(key.accountId, earlier, shift);
  // A shift without a sale has no link to its device shift.
  return { driveNumber: earlier, own: linked.length === 0 ? [closing.shiftNumber] : linked };
}

async function factsOf(journal: Asked, key: EntryKey): Promise<FiscalFacts | undefined> {
  const entry = await journal.find(key);
  return entry?.state === "done" && entry.facts?.kind === "fiscal" ? entry.facts : undefined;
}
