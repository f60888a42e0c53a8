import type { DriveReading } from "../../journal/drives/drive-reading.ts";
import type { ReadDocument } from "../../journal/drives/lost-document.ts";
import type { Register, RegisterState } from "../../registers/register.ts";
import { READ_IN_A_TURN_MS } from "../reading-bounds.ts";
import { isOwnReference } from "../reference.ts";
import type { TurnServices } from "../services.ts";
import type { EarlierAttempt } from "./earlier-attempt.ts";
import type { Given, Unread } from "./read-document.ts";

/** The number of documents read before the progress is stored. After a crash few documents are read again. */
export const NOTED_TOGETHER = 50;
/**
 * The time that one turn may spend on requests for which the register gives no document. After this time, later turns request the remaining
 * documents. A refusal takes 50 ms, so the time is enough for 200 refusals. A request without any answer takes 5 s.
 */
export const IN_VAIN_LIMIT_MS = 10_000;

/** The number of times that the register falls silent for the same document before the log calls a person. */
const SILENCES_BEFORE_A_PERSON = 3;

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

export type Unreachable = Extract<EarlierAttempt, { kind: "unreachable" }>;

export function readOf(number: number, found: Given | Unread): ReadDocument {
  if (found.kind === "unread") return { number, kind: "unread", asked: found.asked };
  const { reference, facts } = found.kind === "found" ? found : {};
  if (facts?.document === "open-shift" || facts?.document === "close-shift") {
    return { number, kind: "report", report: facts.document, shiftNumber: facts.shiftNumber };
  }
  return reference !== undefined && isOwnReference(reference) ? { number, kind: "own", reference } : { number, kind: "others" };
}

/**
 * Whether the turn leaves the rest to later turns: its time for reading is used up, or the server stops. A stop would otherwise wait a
 * minute for each waiting turn.
 */
export function isTimeOver({ services: { clock, stopping }, begunMs }: Place): boolean {
  return stopping?.aborted === true || clock.monotonicMs() - begunMs >= READ_IN_A_TURN_MS;
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
