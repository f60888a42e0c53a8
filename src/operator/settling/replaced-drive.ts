import type { Checkpoint, Entry } from "../../journal/entry.ts";
import type { Journal } from "../../journal/journal.ts";
import { type WallTime, wallAsUtcMs, wallFromUtc } from "../../kernel/moment.ts";
import { isTrade } from "../../model/document.ts";

/** A document that has the id of an operation, at the place where it was read. */
export interface PlaceInDrive {
  driveNumber: string;
  documentNumber: number;
}

/**
 * The possible figures of a document that the journal knows only by its place in a drive. The figures come from the journal's documents
 * before and after this document in that drive.
 */
export interface PlaceBounds {
  /** The state of the drive before the document, as a stored checkpoint would have it. It is computed, because none was stored. */
  checkpoint: Checkpoint;
  /** The document was made at this time or earlier. */
  deviceNow: WallTime;
  latestShift: number;
}

/** The clocks of till, register and server differ by less than this, whatever their zones are. */
const ZONES_DIFFER_MS = 26 * 60 * 60_000;

/**
 * Returns the place of the document that registered a refused operation. The document was read in its drive after an older copy of the
 * journal had been restored. The operation is never sent again. While that drive is in the register, a repeat returns the document. When
 * the drive is gone, only a person can read the document.
 */
export async function placeInDrive(journal: Pick<Journal, "drives">, entry: Entry): Promise<PlaceInDrive | undefined> {
  return entry.state === "refused" ? await placeOfId(journal, entry) : undefined;
}

/** Returns the place in a drive where the operation's id was read, in whatever state the operation is. */
export async function placeOfId({ drives }: Pick<Journal, "drives">, { document }: Entry): Promise<PlaceInDrive | undefined> {
  if (!isTrade(document)) return undefined;
  const [place] = await drives.lostWithId(document.reference);
  return place && { driveNumber: place.driveNumber, documentNumber: place.documentNumber };
}

/**
 * Returns the bounds of the document's figures. A drive counts documents and shifts upwards, and each shift begins with a document. If the
 * journal has no earlier document of the drive, the till's moment bounds the time. If it has no later document, the present moment does.
 */
export async function boundsOf(
  { drives }: Pick<Journal, "drives">,
  { operation: { moment } }: Pick<Entry, "operation">,
  { driveNumber, documentNumber }: PlaceInDrive,
  nowMs: number,
): Promise<PlaceBounds> {
  const { before, after } = await drives.around(driveNumber, documentNumber);
  const [earlier, later] = [before?.facts, after?.facts];
  const [known, first] = earlier?.kind === "fiscal" ? [earlier, earlier.documentNumber] : [undefined, 0];
  const most = (known?.shiftNumber ?? 0) + documentNumber - first;
  return {
    checkpoint: {
      driveNumber,
      lastDocumentNumber: documentNumber - 1,
      shiftNumber: known?.shiftNumber ?? 1,
      shiftOpen: true,
      drawerKopecks: 0,
      deviceTime: known?.time ?? wallFromUtc(wallAsUtcMs(moment) - ZONES_DIFFER_MS),
    },
    deviceNow: later?.time ?? wallFromUtc(nowMs + ZONES_DIFFER_MS),
    latestShift: Math.min(most, later?.shiftNumber ?? most),
  };
}
