import { type Deadline, deadlineIn } from "../../../kernel/deadline.ts";
import type { Refusal } from "../../../model/refusal.ts";
import { NOT_PERMITTED } from "../../not-permitted.ts";
import { optional } from "../../tags/requisite.ts";
import { decodeAnswer } from "../commands/commands.ts";
import { type DeviceError, refusalOf, unreachable } from "../refusals/refusals.ts";
import { lateAnswers } from "../session/late-answers.ts";
import { callWhenPrinted } from "../session/printing.ts";
import { inDoubt, type Performed, refuse } from "../state/performed.ts";
import type { ReadyDevice } from "../state/ready-device.ts";
import { readCounts, type ShiftCounts } from "../state/shift-counts.ts";
import { abandonInTime } from "./abandon.ts";
import { elsewhere, type Step, step, tagSteps } from "./receipt-steps.ts";
import { refusalByMode } from "./refusal-by-mode.ts";
import { refusedAtRegistration } from "./refused-registration.ts";
import { type DriveReport, reported } from "./report-facts.ts";

/** How long one question may take. The time is short, because the device has just answered. */
const LOOK_MS = 6_000;

/** The error of older devices without FF37 (shtrih-protocol 14.1). On these devices FF38 alone makes the report, without tags. */
const NOT_SUPPORTED = 0x37;

/** The commands of each report. `begin` is needed only for a report with tags. */
const COMMANDS = {
  "open-shift": { begin: "beginOpenShift", register: "openShift" },
  "close-shift": { begin: "beginCloseShift", register: "zReport" },
  "state-report": { begin: "beginStateReport", register: "stateReport" },
} as const;

/**
 * Makes a report: FF41, FF42 or FF37, then the tags of cashier and place, then E0h, 41h or FF38, which registers the report. The maker's
 * drivers send the same commands. FF0B and FF43 are not sent: only some models would need them (shtrih-protocol 11).
 */
export async function performReport(device: ReadyDevice, document: DriveReport, deadline: Deadline): Promise<Performed> {
  const { connection, view } = device;
  const { open } = view.shift;
  if (document.kind === "open-shift" && open) return refuse(refusalOf("shift-already-open", "Смена уже открыта"));
  if (document.kind === "close-shift" && !open) return refuse(refusalOf("shift-closed", "Смена закрыта: откройте смену"));
  // Closing the shift deletes the counts, so they are read now.
  const counts = document.kind === "close-shift" ? await readCounts(connection, view, deadline) : undefined;
  if (counts?.kind === "unreachable") return refuse(unreachable(counts.reason));

  let sent = document;
  for (const one of reportSteps(device, document)) {
    const called = await one.send(connection, deadline);
    if (called.kind === "ok") continue;
    if (document.kind === "state-report" && called.kind === "error" && called.error === NOT_SUPPORTED) {
      sent = { kind: document.kind, reference: document.reference };
      break;
    }
    const refusal = called.kind === "error" ? await refusalByMode(connection, called, deadline) : unreachable(called.reason);
    return cancelled(device, refusal);
  }
  connection.takeStale();
  const counted = counts === undefined ? {} : { counts: counts.value };
  return { ...(await register(device, sent, counts?.value, deadline)), ...counted };
}

async function register(
  device: ReadyDevice,
  document: DriveReport,
  counts: ShiftCounts | undefined,
  deadline: Deadline,
): Promise<Performed> {
  const { connection } = device;
  const name = COMMANDS[document.kind].register;
  if (!(await device.mayRegister())) return cancelled(device, unreachable(NOT_PERMITTED));
  const called = await callWhenPrinted(connection, name, { password: connection.passwords.system }, deadline);
  switch (called.kind) {
    case "ok":
      return reported(device, document, counts, called.values);
    case "error":
      return refusedAtReport(device, document, called);
    case "undelivered":
      if (!called.bytesLeft) return cancelled(device, unreachable(called.reason));
      return recover(device, document, called.reason, counts, deadline);
    case "unknown":
      return recover(device, document, called.reason, counts, deadline);
  }
}

/** Returns the commands before the registering command. A report without tags needs none. */
function reportSteps({ connection, known }: ReadyDevice, document: DriveReport): Step[] {
  const { address, place } = elsewhere(document, known);
  const requisites = [...optional(1021, document.cashierName), ...optional(1009, address), ...optional(1187, place)];
  if (requisites.length === 0) return [];
  const password = connection.passwords.system;
  const tags = tagSteps(requisites, connection.passwords);
  return [step(COMMANDS[document.kind].begin, { password }), ...tags];
}

async function cancelled({ connection }: ReadyDevice, refusal: Refusal): Promise<Performed> {
  const abandoned = await abandonInTime(connection);
  if (abandoned.kind === "unreachable") {
    connection.note("warn", "a report that was begun could not be cancelled", { reason: abandoned.reason });
  }
  return refuse(refusal);
}

async function refusedAtReport(device: ReadyDevice, document: DriveReport, error: DeviceError): Promise<Performed> {
  const { connection } = device;
  const deadline = deadlineIn(connection.clock, LOOK_MS);
  const refusal = await refusalByMode(connection, error, deadline);
  return refusedAtRegistration(device, { error: error.error, refusal }, () =>
    connection.note("warn", "a refused report could not be cancelled", { document: document.kind, error: error.error }),
  );
}

async function recover(
  device: ReadyDevice,
  document: DriveReport,
  reason: string,
  counts: ShiftCounts | undefined,
  deadline: Deadline,
): Promise<Performed> {
  const { connection } = device;
  const name = COMMANDS[document.kind].register;
  const { answers } = await lateAnswers(connection, deadline);
  for (const data of answers) {
    const answer = decodeAnswer(name, data);
    if (answer.kind === "ok") return reported(device, document, counts, answer.values);
    // A short error (FF and a number) does not name its command, so it may belong to another FF command and proves nothing.
    if (answer.kind === "error" && answer.form === "full") return refusedAtReport(device, document, answer);
  }
  return inDoubt({ code: "no-answer", reason });
}
