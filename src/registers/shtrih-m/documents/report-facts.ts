import { deadlineIn } from "../../../kernel/deadline.ts";
import { present } from "../../../kernel/present.ts";
import type { ShiftDocument, StateReportDocument } from "../../../model/document.ts";
import type { FiscalFacts } from "../../../model/facts.ts";
import type { AnswerOf } from "../commands/commands.ts";
import { printedSign } from "../lookup/facts.ts";
import { lookUp } from "../lookup/lookup.ts";
import type { Opening } from "../state/opening.ts";
import { inDoubt, type Performed } from "../state/performed.ts";
import type { ReadyDevice } from "../state/ready-device.ts";
import { type ShiftCounts, withCounts } from "../state/shift-counts.ts";
import { warningsOf } from "../state/state.ts";
import type { DriveStatus } from "../state/view.ts";
import { MAX_DOCUMENTS_OF_COMMAND } from "./newest-document.ts";

/** A report that is stored in the drive. */
export type DriveReport = ShiftDocument | StateReportDocument;

type ReportAnswer = AnswerOf<"openShift" | "zReport" | "stateReport">;

/**
 * How long the driver waits for a report's requisites. A shift's totals can be read only after its report is printed. A report that waits
 * for paper is already registered, and its facts have no totals.
 */
const PRINTED_MS = 6_000;
const ASK_MS = 6_000;

/**
 * Returns the facts of a registered report: the newest document of its kind since the inspection. In doubt: the report cannot be found or
 * read.
 */
export async function reported(
  device: ReadyDevice,
  document: DriveReport,
  counts: ShiftCounts | undefined,
  answer: ReportAnswer,
): Promise<Performed> {
  const { connection, known, view } = device;
  const { system } = connection.passwords;
  const reply = await connection.ask("driveStatus", { password: system }, deadlineIn(connection.clock, ASK_MS));
  if (reply.kind !== "ok") return inDoubt({ code: "report-missing", because: "number-unknown" });
  const { lastDocument } = reply.values;
  // The facts of an opening report need no requisites, so the driver does not wait.
  const whilePrinting = document.kind === "open-shift" ? "leave" : "wait";
  const oldest = Math.max(view.lastDocumentNumber + 1, lastDocument - MAX_DOCUMENTS_OF_COMMAND + 1);
  for (let number = lastDocument; number >= oldest; number -= 1) {
    const found = await lookUp(connection, known.identity, number, deadlineIn(connection.clock, PRINTED_MS), whilePrinting);
    if (found.kind === "unreachable" && "documentNumber" in answer && answer.documentNumber === number) {
      const time = timeOf(answer, reply.values);
      if (time !== undefined) return done(answeredFacts(device, document, answer, time));
    }
    if (found.kind === "unreachable") return inDoubt({ code: "report-unread", number, reason: found.reason });
    if (found.kind === "found" && found.facts.document === document.kind) {
      return done(withCounts(completed(found.facts, document, reply.values), counts));
    }
  }
  return inDoubt({ code: "report-missing", because: "not-in-drive" });
}

/** Adds values that the requisites lack, from the drive's status and the document. */
function completed(facts: FiscalFacts, { kind, cashierName }: DriveReport, status: DriveStatus): FiscalFacts {
  const warnings = kind === "state-report" ? {} : { warnings: warningsOf(status) };
  return { ...present({ cashierName }), ...warnings, ...facts };
}

/** Returns the time of a state report from FF38's answer, or from the drive's status if the report is the drive's last document. */
function timeOf({ documentNumber, time }: AnswerOf<"stateReport">, status: DriveStatus): string | undefined {
  if (time !== undefined && time !== "") return time;
  return status.lastDocument === documentNumber ? status.time : undefined;
}

/** Returns the facts of a state report whose requisites cannot be read. The facts come from FF38's answer. */
function answeredFacts(
  { known, view }: ReadyDevice,
  { cashierName }: DriveReport,
  { documentNumber, fiscalSign, unsent, unsentSince }: AnswerOf<"stateReport">,
  time: string,
): FiscalFacts {
  return {
    kind: "fiscal",
    document: "state-report",
    identity: known.identity,
    documentNumber,
    fiscalSign: printedSign(fiscalSign),
    time,
    shiftNumber: view.shift.number,
    ...present({ cashierName }),
    stateReport: { unsent, ...(unsent === 0 || unsentSince === "" ? {} : { unsentSince: `${unsentSince} 00:00:00` }) },
  };
}

function done(facts: FiscalFacts): Performed {
  const outcome = { kind: "done", facts } as const;
  if (facts.document !== "open-shift") return { outcome };
  const opening: Opening = {
    driveNumber: facts.identity.driveNumber,
    shiftNumber: facts.shiftNumber,
    time: facts.time,
    reportNumber: facts.documentNumber,
    cashier: facts.cashierName === undefined ? {} : { name: facts.cashierName },
  };
  return { outcome, opening };
}
