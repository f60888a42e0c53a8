import type { Deadline } from "../../../kernel/deadline.ts";
import type { WallTime } from "../../../kernel/moment.ts";
import type { Reached } from "../../register.ts";
import { DOCUMENT_TYPES, readFound } from "../commands/documents.ts";
import type { QuestionedDevice } from "../identity/fields.ts";

/** How the running shift was opened. */
export interface Opening {
  driveNumber: string;
  shiftNumber: number;
  time: WallTime;
  /** The report's number. Absent: it was not found. */
  reportNumber?: number;
  /** The cashier from tag 1021 of the report. Absent: the report is not read yet. `name` is absent when the report has no tag 1021. */
  cashier?: { name?: string };
}

interface Place {
  driveNumber: string;
  shiftNumber: number;
  lastDocument: number;
  /** The number of receipts in the shift. At least this many documents follow the report. */
  receipts: number;
}

/**
 * The largest number of documents that are read in the search. Besides receipts, a shift may have state reports and changes of the
 * registration.
 */
const MAX_STEPS = 64;

/**
 * Finds the report that opened the shift by reading documents backwards, because no command gives the report's number. At least one
 * document per receipt of the shift follows the report, so these documents are not read. The caller remembers the report, which does not
 * change. Without the report, `time` is the time of the earliest document found, or empty.
 */
export async function readOpening(
  connection: QuestionedDevice,
  place: Place,
  remembered: Opening | undefined,
  deadline: Deadline,
): Promise<Reached<Opening>> {
  const { driveNumber, shiftNumber, lastDocument, receipts } = place;
  if (remembered?.driveNumber === driveNumber && remembered.shiftNumber === shiftNumber) return { kind: "reached", value: remembered };
  let earliest: WallTime = "";
  const newest = lastDocument - receipts;
  for (let number = newest; number > Math.max(0, newest - MAX_STEPS); number -= 1) {
    const reply = await connection.ask("findDocument", { password: connection.passwords.system, documentNumber: number }, deadline);
    if (reply.kind === "unreachable") return reply;
    if (reply.kind === "error") break;
    const { type, more, time } = reply.values;
    const body = readFound(type, more);
    if (type === DOCUMENT_TYPES.openShift && !(body.kind === "shift" && body.shift !== shiftNumber)) {
      return { kind: "reached", value: { driveNumber, shiftNumber, time, reportNumber: number } };
    }
    if (type === DOCUMENT_TYPES.closeShift) break;
    earliest = time;
  }
  connection.note("warn", "the report that opened the shift was not found in the drive", { shiftNumber, lastDocument });
  return { kind: "reached", value: { driveNumber, shiftNumber, time: earliest } };
}
