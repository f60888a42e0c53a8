import { type Deadline, deadlineIn } from "../../../kernel/deadline.ts";
import { Failure } from "../../../kernel/failure.ts";
import { formatKopecks } from "../../../kernel/money.ts";
import type { TradeDocument } from "../../../model/document.ts";
import type { Doubt } from "../../../model/doubt.ts";
import { type MarkReader, readInSteps } from "../../../model/marks/marks.ts";
import type { Refusal } from "../../../model/refusal.ts";
import { TAX_SYSTEMS } from "../../../model/tax.ts";
import { NOT_PERMITTED } from "../../not-permitted.ts";
import type { CommandName } from "../commands/commands.ts";
import { type DeviceError, refusalFrom, refusalOf, unreachable } from "../refusals/refusals.ts";
import type { Called } from "../session/caller.ts";
import { lateAnswers } from "../session/late-answers.ts";
import { inDoubt, type Performed, refuse } from "../state/performed.ts";
import type { ReadyDevice } from "../state/ready-device.ts";
import { timeNow } from "../state/view.ts";
import { abandonInTime } from "./abandon.ts";
import { MAX_DOCUMENTS_OF_COMMAND } from "./newest-document.ts";
import { type Closing, type ClosingAnswer, closingOf } from "./receipt-closing.ts";
import { registered } from "./receipt-facts.ts";
import { limitOfReceipt, paidKopecks } from "./receipt-limits.ts";
import { BoundMarks, checkMarks, limitOfMarks } from "./receipt-marks.ts";
import { readyRates } from "./receipt-rates.ts";
import { ReceiptStanding } from "./receipt-standing.ts";
import { receiptSteps, type Step } from "./receipt-steps.ts";
import { refusalByMode } from "./refusal-by-mode.ts";
import { refusedAtRegistration } from "./refused-registration.ts";

const RECEIPT_LOST = "Связь с кассой прервалась, и начатый чек в ней не сохранился";
/** How long one question may take. The time is short, because the device has just answered. */
const LOOK_MS = 6_000;

/**
 * Makes a receipt: 8Dh, its tags and positions, then FF45, which registers it. A correction is made in the same way. In a format below 1.1
 * a correction is made by FF35, its tags and FF4A. Until the registering command every problem is a refusal, and a begun document is
 * cancelled. The registering command is repeated only after the answer that the device is busy (shtrih-protocol 12).
 */
export async function performReceipt(device: ReadyDevice, document: TradeDocument, deadline: Deadline): Promise<Performed> {
  const { connection, view } = device;
  const { ffd } = device.known.identity;
  const readMark = await readInSteps(document.lines.flatMap(({ mark }) => mark ?? []));
  const unfit = view.shift.open
    ? (limitOfReceipt(document, ffd, readMark) ?? limitOfMarks(document, ffd, readMark))
    : refusalOf("shift-closed", "Смена закрыта: откройте смену");
  if (unfit !== undefined) return refuse(unfit);
  const { known, ...rates } = await readyRates(connection, device.known, document, deadline);
  const performed = rates.kind === "refused" ? refuse(rates.refusal) : await sell({ ...device, known }, document, { readMark, deadline });
  return { ...performed, known };
}

async function sell(device: ReadyDevice, document: TradeDocument, how: { readMark: MarkReader; deadline: Deadline }): Promise<Performed> {
  const { connection, view, known } = device;
  const planned = plannedCommands(device, document, how.readMark);
  if (planned === undefined) return refuse(refusalOf("document-too-large", "Чек не помещается в команды кассы"));
  const { steps, closing } = planned;
  const { deadline } = how;
  const marks = await checkMarks(connection, known, document, how);
  if (marks.kind === "refused") return refuse(marks.refusal);

  const standing = new ReceiptStanding(connection);
  const bound = new BoundMarks(connection, document, marks.results);
  for (const step of steps) {
    const called = await step.send(connection, deadline);
    if (called.kind !== "ok") return giveUp(device, document, called, deadline);
    if (!(await standing.stillWhole(step, deadline))) return cancelled(device, unreachable(RECEIPT_LOST));
    const denied = bound.after(step.name, called.values);
    if (denied !== undefined) return cancelled(device, denied);
  }
  const other = await otherDevice(device, deadline);
  if (other !== undefined) return cancelled(device, other);
  if (!(await device.mayRegister())) return cancelled(device, unreachable(NOT_PERMITTED));

  connection.takeStale();
  const before = timeNow(view, connection);
  const closed = await closing.send(connection, deadline);
  const done = async (values: ClosingAnswer) => {
    const { documentNumber } = values;
    if (!follows(documentNumber, view.lastDocumentNumber)) {
      return inDoubt({ code: "number-unexpected", number: documentNumber, last: view.lastDocumentNumber });
    }
    const other = otherTotal(document, values);
    if (other !== undefined) return inDoubt(other);
    return registered(device, document, { values, before, markChecks: bound.results });
  };
  switch (closed.kind) {
    case "ok":
      return done(closed.values);
    case "error":
      return refusedAtClosing(device, document, closed);
    case "undelivered":
      if (!closed.bytesLeft) return giveUp(device, document, closed, deadline);
      return recover(device, document, { closing, reason: closed.reason, done }, deadline);
    case "unknown":
      return recover(device, document, { closing, reason: closed.reason, done }, deadline);
  }
}

/**
 * Builds all commands before the first command opens the receipt. Undefined: a value does not fit its command. The limits should have
 * refused the document, so the value is logged.
 */
function plannedCommands(
  { connection, known }: ReadyDevice,
  document: TradeDocument,
  readMark: MarkReader,
): { steps: Step[]; closing: Closing } | undefined {
  const { passwords } = connection;
  try {
    return { steps: receiptSteps(document, known, passwords, readMark), closing: closingOf(document, known, passwords) };
  } catch (error) {
    if (!(error instanceof RangeError) && !(error instanceof Failure)) throw error;
    connection.note("warn", "a receipt does not fit the commands of the register", { reason: error.message });
    return undefined;
  }
}

/**
 * Whether the registering command may have made the document with this number. The drive numbers documents without a gap, but the device
 * may first make automatic reports.
 */
function follows(documentNumber: number, last: number): boolean {
  return documentNumber > last && documentNumber <= last + MAX_DOCUMENTS_OF_COMMAND;
}

/**
 * Returns a doubt if the device registered a different total. FF45 answers with the change: the payments minus the device's total
 * (shtrih-protocol 5.7). A different change means a different total: a position was lost or added, or the device rounded. The receipt is
 * registered anyway, and only the drive has its total (FF0A). FF4A gives no change.
 */
function otherTotal(document: TradeDocument, { change, documentNumber }: ClosingAnswer): Doubt | undefined {
  const expected = paidKopecks(document) - document.totalKopecks;
  if (change === undefined || change === expected) return undefined;
  return { code: "change-differs", number: documentNumber, changeKopecks: change, expectedKopecks: expected };
}

/** Cancels a receipt whose registering command was not sent, and checks that the receipt is gone. */
async function giveUp(
  device: ReadyDevice,
  document: TradeDocument,
  called: Exclude<Called<CommandName>, { kind: "ok" }>,
  deadline: Deadline,
): Promise<Performed> {
  if (called.kind !== "error") return cancelled(device, unreachable(called.reason));
  return cancelled(device, detailed(await refusalByMode(device.connection, called, deadline), document, device));
}

async function cancelled({ connection }: ReadyDevice, refusal: Refusal): Promise<Performed> {
  const abandoned = await abandonInTime(connection);
  if (abandoned.kind === "unreachable") {
    // Without its closing the receipt is never registered. The next turn finds the open receipt and cancels it.
    connection.note("warn", "the receipt could not be cancelled and stands open", { reason: abandoned.reason });
  }
  return refuse(refusal);
}

/** Returns a refusal unless the device and its last document are still the same. They may change while the link is reopened. */
async function otherDevice({ connection, known, view }: ReadyDevice, deadline: Deadline): Promise<Refusal | undefined> {
  if (connection.openings === known.openings) return undefined;
  const reply = await connection.ask("driveStatus", { password: connection.passwords.system }, deadline);
  if (reply.kind === "unreachable") return unreachable(reply.reason);
  if (reply.kind === "error") return refusalFrom(reply);
  const { driveNumber, lastDocument } = reply.values;
  if (driveNumber === known.identity.driveNumber && lastDocument === view.lastDocumentNumber) return undefined;
  return unreachable("Связь с кассой прервалась, после неё отвечает другая касса или другой документ");
}

/** Returns the outcome of a refused closing. Cancels the receipt and asks the drive whether a document was made. */
async function refusedAtClosing(device: ReadyDevice, document: TradeDocument, error: DeviceError): Promise<Performed> {
  const { connection } = device;
  const deadline = deadlineIn(connection.clock, LOOK_MS);
  const refusal = detailed(await refusalByMode(connection, error, deadline), document, device);
  return refusedAtRegistration(device, { error: error.error, refusal }, () =>
    connection.note("warn", "a refused receipt could not be cancelled and stands open", { error: error.error }),
  );
}

interface Unanswered {
  closing: Closing;
  reason: string;
  done(values: ClosingAnswer): Promise<Performed>;
}

/**
 * Returns the outcome of an unanswered closing. The answer may come with the next exchange. Otherwise the receipt is in doubt: only the
 * drive's documents show the outcome.
 */
async function recover(
  device: ReadyDevice,
  document: TradeDocument,
  { closing, reason, done }: Unanswered,
  deadline: Deadline,
): Promise<Performed> {
  const { connection, view } = device;
  const { answers } = await lateAnswers(connection, deadline);
  for (const data of answers) {
    const answer = closing.read(data);
    if (answer.kind === "ok" && follows(answer.values.documentNumber, view.lastDocumentNumber)) return done(answer.values);
    // A short error (FF and a number) does not name its command, so it may belong to another FF command and proves nothing.
    if (answer.kind === "error" && answer.form === "full") return refusedAtClosing(device, document, answer);
  }
  return inDoubt({ code: "no-answer", reason });
}

const VALUE_WRONG = 0x09;

/** Adds the values that the cashier's message needs: the sums or the tax system. */
function detailed(refusal: Refusal, document: TradeDocument, { view }: ReadyDevice): Refusal {
  switch (refusal.code) {
    case "payments-differ":
      return { ...refusal, details: { total: formatKopecks(document.totalKopecks), paid: formatKopecks(paidKopecks(document)) } };
    case "cash-short":
      return {
        ...refusal,
        details: { drawer: formatKopecks(view.drawerKopecks), required: formatKopecks(document.tenders.cashKopecks) },
      };
    default:
      return refusal.device?.code === refusalFrom({ error: VALUE_WRONG }).device?.code
        ? { ...refusal, details: { taxSystem: TAX_SYSTEMS[document.taxSystem].label } }
        : refusal;
  }
}
