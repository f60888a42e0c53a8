import type { DriveReading } from "../../journal/drives/drive-reading.ts";
import type { ReadDocument } from "../../journal/drives/lost-document.ts";
import type { EntryContent } from "../../journal/entry.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { LookUp, Register, RegisterState } from "../../registers/register.ts";
import { READ_IN_A_TURN_MS } from "../reading-bounds.ts";
import { isOwnReference } from "../reference.ts";
import type { TurnServices } from "../services.ts";
import { type Given, read, type Unread } from "./read-document.ts";

/** The number of documents read before the progress is stored. After a crash few documents are read again. */
export const NOTED_TOGETHER = 50;
/**
 * The time that one turn may spend on requests for which the register gives no document. After this time, later turns request the remaining
 * documents. A refusal takes 50 ms, so the time is enough for 200 refusals.
 */
export const IN_VAIN_LIMIT_MS = 10_000;

/** The number of times that the register falls silent for the same document before the log calls a person. */
const SILENCES_BEFORE_A_PERSON = 3;

/**
 * The largest number of turns that search for the end of a drive whose register returns no document at all. After these turns the number in
 * the register's status counts as the end.
 */
export const MAX_TURNS_WITHOUT_DOCUMENTS = 5;

/** The register whose drive a turn reads. */
export interface Place {
  services: Pick<TurnServices, "clock" | "journal" | "log" | "stopping">;
  device: Register;
  /** Canonical address. */
  register: string;
  state: RegisterState;
  reading: DriveReading;
  /** When the turn began to read the drive, by the monotonic clock. */
  begunMs: number;
}

/**
 * Takes up the reading of the drive where this or another process left it. `newest`: the last document number in the journal. Logs the
 * documents that a person left out since the last call. Call this before each reading of the drive.
 */
export async function openPlace(
  services: Place["services"],
  device: Register,
  { register }: Pick<EntryContent, "register">,
  state: RegisterState,
  newest: number,
): Promise<Place> {
  const { driveNumber } = state;
  const reading = await services.journal.drives.of(driveNumber, newest);
  const leftOut = await reading.followOthers();
  if (leftOut.length > 0) {
    const fields = { register, drive: driveNumber, documents: leftOut };
    services.log.warn(fields, "documents are not requested any more, as a person decided: sales in them would be registered again");
  }
  return { services, device, register, state, reading, begunMs: services.clock.monotonicMs() };
}

/** The register cannot be reached, or does not tell what its drive has. */
export interface Unreachable {
  kind: "unreachable";
  refusal: Refusal;
}

/** Returns what is recorded about a document that was requested from the drive. */
export function readOf(number: number, found: Given | Unread): ReadDocument {
  if (found.kind === "unread") return { number, kind: "unread", asked: found.asked };
  const { reference, facts } = found.kind === "found" ? found : {};
  if (facts?.document === "open-shift" || facts?.document === "close-shift") {
    return { number, kind: "report", report: facts.document, shiftNumber: facts.shiftNumber };
  }
  return reference !== undefined && isOwnReference(reference) ? { number, kind: "own", reference } : { number, kind: "others" };
}

/**
 * Whether the turn leaves the rest to later turns: its time for reading is used up, or the server stops. A stop would otherwise wait up to
 * a minute for each waiting turn.
 */
export function isTimeOver({ services: { clock, stopping }, begunMs }: Place): boolean {
  return stopping?.aborted === true || clock.monotonicMs() - begunMs >= READ_IN_A_TURN_MS;
}

/**
 * Returns the unread documents that sales wait for, with the number of requests since the process began.
 *
 * All unread documents count while the register returns documents, and while the journal has no document of the drive: each of them may be
 * this server's. If the register returns no document at all, only two kinds count: documents for which `isMissed` holds, and documents
 * after the journal's first document of the drive.
 */
export async function unreadOfServer(place: Place): Promise<[number: number, requests: number][]> {
  const { services, reading, state } = place;
  const unread = [...reading.unread()];
  if (unread.length === 0 || reading.givesDocuments) return unread;
  const first = await services.journal.firstDocumentNumber(state.driveNumber);
  if (first === undefined) return unread;
  const certain = unread.filter(([number]) => number > first || reading.isMissed(number));
  return certain.length < unread.length && (await givesDocuments(place)) ? unread : certain;
}

/** Requests the last document in the status, unless a person left it out. */
export async function readLast(place: Place, limits?: { attempts: number }): Promise<LookUp | Unread> {
  const { reading, state } = place;
  const { lastDocumentNumber: last } = state;
  return reading.leftOut.has(last) ? { kind: "unread", reason: "a person left it out", asked: false } : read(place, last, limits);
}

/**
 * Whether the register returns any document of its drive. If it has returned none yet, its last document is requested, until several turns
 * have passed without any document.
 */
export async function givesDocuments(place: Place): Promise<boolean> {
  const { reading } = place;
  const isHopeless = reading.turnsWithoutDocuments.count >= MAX_TURNS_WITHOUT_DOCUMENTS;
  if (!reading.givesDocuments && !isHopeless) await readLast(place, { attempts: 1 });
  return reading.givesDocuments;
}

/**
 * Notes that the register fell silent when the document was requested, so that a person can leave the document out. Call it only for a
 * number up to the last number in the status. A line that fails once or twice is no reason to call a person.
 */
export async function noteSilence({ services, register, state, reading }: Place, document: number): Promise<void> {
  const silences = await reading.noteSilence(document);
  if (silences !== SILENCES_BEFORE_A_PERSON) return;
  const next = "does it stay so, and is the line good? Then see `journal leave-out`";
  const fields = { register, drive: state.driveNumber, document, silences, next };
  services.log.error(fields, "the register falls silent whenever a document of its drive is requested: sales and returns wait");
}

/** Logs the numbers of this server's documents that the journal lacked. */
export function logLost({ services, register, state }: Place, documents: readonly number[]): void {
  if (documents.length === 0) return;
  const next =
    "was an older copy of the database restored? Sales and returns among them are found when the platform repeats them; " +
    "compare cash in and out since the copy by hand: slips stand in no drive, and a repeat moves the money again";
  services.log.error(
    { register, drive: state.driveNumber, documents, next },
    "the drive has documents of this server that the journal does not have",
  );
}
