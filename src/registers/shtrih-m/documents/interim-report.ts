import type { Deadline } from "../../../kernel/deadline.ts";
import type { WallTime } from "../../../kernel/moment.ts";
import { present } from "../../../kernel/present.ts";
import type { SettlementSign, Tenders, XReportDocument } from "../../../model/document.ts";
import type { InterimFacts, XReport } from "../../../model/facts.ts";
import { NOT_PERMITTED } from "../../not-permitted.ts";
import type { Reached } from "../../register.ts";
import { decodeAnswer } from "../commands/commands.ts";
import { unreachable, wordsOf } from "../refusals/refusals.ts";
import type { Connection } from "../session/connection.ts";
import { lateAnswers } from "../session/late-answers.ts";
import { callWhenPrinted } from "../session/printing.ts";
import { inDoubt, type Performed, refuse } from "../state/performed.ts";
import type { ReadyDevice } from "../state/ready-device.ts";
import { readDrawer } from "../state/shift-counts.ts";
import { timeNow } from "../state/view.ts";
import { refusalByMode } from "./refusal-by-mode.ts";

/**
 * Makes an X report with 40h alone: FF42 would leave a document open in the drive (shtrih-protocol 11). The counters are read first, so
 * that nothing is printed when they cannot be read. Nothing is registered.
 */
export async function performInterim(device: ReadyDevice, document: XReportDocument, deadline: Deadline): Promise<Performed> {
  const { connection, view } = device;
  const report = await readCounters(device, deadline);
  if (report.kind === "unreachable") return refuse(unreachable(report.reason));
  if (!(await device.mayRegister())) return refuse(unreachable(NOT_PERMITTED));
  connection.takeStale();
  const before = timeNow(view, connection);
  const called = await callWhenPrinted(connection, "xReport", { password: connection.passwords.system }, deadline);
  switch (called.kind) {
    case "ok":
      return done(device, document, report.value, before);
    case "error":
      return refuse(await refusalByMode(connection, called, deadline));
    case "undelivered":
      if (!called.bytesLeft) return refuse(unreachable(called.reason));
      return recover(device, document, { report: report.value, before, reason: called.reason }, deadline);
    case "unknown":
      return recover(device, document, { report: report.value, before, reason: called.reason }, deadline);
  }
}

/** Recovers a lost answer: the device may send its stored answer with the next exchange. Otherwise the report is in doubt. */
async function recover(
  device: ReadyDevice,
  document: XReportDocument,
  { report, before, reason }: { report: XReport; before: WallTime; reason: string },
  deadline: Deadline,
): Promise<Performed> {
  const { connection } = device;
  const { answers, limit } = await lateAnswers(connection, deadline);
  for (const data of answers) {
    const answer = decodeAnswer("xReport", data);
    if (answer.kind === "ok") return done(device, document, report, before);
    if (answer.kind === "error") return refuse(await refusalByMode(connection, answer, limit));
  }
  return inDoubt({ code: "no-answer", reason });
}

function done({ known, view }: ReadyDevice, { cashierName }: XReportDocument, xReport: XReport, time: WallTime): Performed {
  const facts: InterimFacts = {
    kind: "interim",
    document: "x-report",
    identity: known.identity,
    time,
    shiftNumber: view.shift.number,
    ...present({ cashierName }),
    xReport,
  };
  return { outcome: { kind: "done", facts } };
}

/** The device's receipt types, each with its settlement sign (shtrih-protocol 5.4). */
const TYPES: readonly [type: number, sign: SettlementSign][] = [
  [0, 1],
  [2, 2],
  [1, 3],
  [3, 4],
];
/** The first of the operational registers that count the shift's receipts, one register per type. */
const FIRST_COUNT = 144;

async function readCounters({ connection, view }: ReadyDevice, deadline: Deadline): Promise<Reached<XReport>> {
  const { shift, drawerKopecks, queue } = view;
  if (!shift.open) {
    const drawer = { inKopecks: 0, outKopecks: 0, balanceKopecks: drawerKopecks };
    return { kind: "reached", value: { shiftOpen: false, receipts: 0, signs: [], drawer, unsent: queue.unsent } };
  }
  const signs: XReport["signs"] = [];
  for (const [type, sign] of TYPES) {
    const totals = await readSign(connection, type, sign, deadline);
    if (totals.kind === "unreachable") return totals;
    if (totals.value.count > 0) signs.push(totals.value);
  }
  const drawer = await readDrawer(connection, deadline);
  if (drawer.kind === "unreachable") return drawer;
  return { kind: "reached", value: { shiftOpen: true, receipts: shift.receipts, signs, drawer: drawer.value, unsent: queue.unsent } };
}

async function readSign(
  connection: Connection,
  type: number,
  sign: SettlementSign,
  deadline: Deadline,
): Promise<Reached<XReport["signs"][number]>> {
  const { system } = connection.passwords;
  const reply = await connection.ask("operationalRegister", { password: system, register: FIRST_COUNT + type }, deadline);
  if (reply.kind === "unreachable") return reply;
  if (reply.kind === "error") return countersRefused(reply.error);
  const count = reply.values.value;
  const paid = count === 0 ? { kind: "reached" as const, value: [] } : await readPayments(connection, type, deadline);
  if (paid.kind === "unreachable") return paid;
  const totalKopecks = paid.value.reduce((sum, kopecks) => sum + kopecks, 0);
  return { kind: "reached", value: { sign, count, totalKopecks, tenders: tendersOf(paid.value) } };
}

/**
 * The first money register of the payments 1 to 4, and of the payments 5 to 16. Each payment has four registers, one per type
 * (shtrih-protocol 5.4).
 */
const FIRST_PAYMENTS = 193;
const MORE_PAYMENTS = 4_144;
const PAYMENTS_WITHOUT_MORE = 4;
const PAYMENTS = 16;
const TYPES_COUNT = 4;

/**
 * Returns the shift's sums by kind of payment, in the order of FF45. A device with only four kinds refuses the fifth register. Its list
 * then ends after four.
 */
async function readPayments(connection: Connection, type: number, deadline: Deadline): Promise<Reached<number[]>> {
  const found: number[] = [];
  for (let payment = 0; payment < PAYMENTS; payment += 1) {
    const more = payment - PAYMENTS_WITHOUT_MORE;
    const register = more < 0 ? FIRST_PAYMENTS + TYPES_COUNT * payment + type : MORE_PAYMENTS + TYPES_COUNT * more + type;
    const reply = await connection.ask("moneyRegister", { password: connection.passwords.system, register }, deadline);
    if (reply.kind === "unreachable") return reply;
    if (reply.kind === "error" && payment === PAYMENTS_WITHOUT_MORE) break;
    if (reply.kind === "error") return countersRefused(reply.error);
    found.push(reply.values.value);
  }
  return { kind: "reached", value: found };
}

/** Returns the payments by FF45 slots: cash, twelve electronic, three more (shtrih-protocol 10.2). */
function tendersOf(paid: readonly number[]): Tenders {
  const [cashKopecks = 0] = paid;
  const [prepaidKopecks = 0, creditKopecks = 0, otherKopecks = 0] = paid.slice(13);
  const nonCashKopecks = paid.slice(1, 13).reduce((sum, kopecks) => sum + kopecks, 0);
  return { cashKopecks, nonCashKopecks, prepaidKopecks, creditKopecks, otherKopecks };
}

function countersRefused(error: number): Reached<never> {
  return { kind: "unreachable", reason: `Касса не называет счётчиков смены: ${wordsOf(error)}` };
}
