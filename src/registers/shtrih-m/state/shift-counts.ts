import type { Deadline } from "../../../kernel/deadline.ts";
import { present } from "../../../kernel/present.ts";
import type { FiscalFacts, ShiftReport } from "../../../model/facts.ts";
import type { Reached } from "../../register.ts";
import { wordsOf } from "../refusals/refusals.ts";
import type { Connection } from "../session/connection.ts";
import { readOpening } from "./opening.ts";
import type { View } from "./view.ts";

/** The register's count of the shift's cash. No tag contains it (fiscal-receipts 1.6). */
type Drawer = ShiftReport["drawer"];

/** The register's counts of a shift. The shift's report may lack them. The counts of the next shift replace them. */
export interface ShiftCounts {
  driveNumber: string;
  shiftNumber: number;
  drawer: Drawer;
  /** The number of receipts of the shift, from FF40. */
  receipts: number;
  openReportNumber?: number;
}

/** Money registers of the drawer (shtrih-protocol 5.4). */
const BALANCE = 241;
const CASH_IN = 242;
const CASH_OUT = 243;

/** Reads the counts of a shift before it is closed. */
export async function readCounts(connection: Connection, view: View, deadline: Deadline): Promise<Reached<ShiftCounts>> {
  const drawer = await readDrawer(connection, deadline);
  if (drawer.kind === "unreachable") return drawer;
  const { driveNumber, shift, opening } = view;
  const opened = opening?.reportNumber === undefined ? {} : { openReportNumber: opening.reportNumber };
  const counts = { driveNumber, shiftNumber: shift.number, drawer: drawer.value, receipts: shift.receipts, ...opened };
  return { kind: "reached", value: counts };
}

/** Reads the shift's cash in and cash out, and the drawer's cash. */
export async function readDrawer(connection: Connection, deadline: Deadline): Promise<Reached<Drawer>> {
  const found: number[] = [];
  for (const register of [CASH_IN, CASH_OUT, BALANCE]) {
    const reply = await connection.ask("moneyRegister", { password: connection.passwords.system, register }, deadline);
    if (reply.kind === "unreachable") return reply;
    if (reply.kind === "error") return { kind: "unreachable", reason: `Касса не называет наличности: ${wordsOf(reply.error)}` };
    found.push(reply.values.value);
  }
  const [inKopecks = 0, outKopecks = 0, balanceKopecks = 0] = found;
  return { kind: "reached", value: { inKopecks, outKopecks, balanceKopecks } };
}

/** Reads the counts of a closed shift. Undefined: the next shift has begun, or the counts cannot be read. */
export async function countsOf(connection: Connection, report: FiscalFacts, deadline: Deadline): Promise<ShiftCounts | undefined> {
  const { shiftNumber, documentNumber, identity } = report;
  const reply = await connection.ask("shiftParameters", { password: connection.passwords.system }, deadline);
  if (reply.kind !== "ok" || reply.values.state !== CLOSED || reply.values.shift !== shiftNumber) return undefined;
  const drawer = await readDrawer(connection, deadline);
  if (drawer.kind === "unreachable") return undefined;
  const { driveNumber } = identity;
  const counts = { driveNumber, shiftNumber, drawer: drawer.value, receipts: reply.values.receipt };
  if (!lacksCounts(report.shiftReport)) return counts;
  const place = { driveNumber, shiftNumber, lastDocument: documentNumber - 1, receipts: counts.receipts };
  const opening = await readOpening(connection, place, undefined, deadline);
  const found = opening.kind === "reached" ? opening.value.reportNumber : undefined;
  return found === undefined ? counts : { ...counts, openReportNumber: found };
}

/** FF40 answers 0 when no shift is open. */
const CLOSED = 0;

/**
 * Completes the report with the register's counts of the same shift. If the requisites were read, the drawer always comes from the
 * register. The numbers of receipts and documents come from the register when the requisites lack them (tags 1118, 1111) or were not read.
 */
export function withCounts(report: FiscalFacts, counts: ShiftCounts | undefined): FiscalFacts {
  if (counts === undefined || counts.shiftNumber !== report.shiftNumber || counts.driveNumber !== report.identity.driveNumber)
    return report;
  const { drawer, receipts, openReportNumber } = counts;
  // The drive numbers documents without a gap, and both reports of the shift count as documents (fiscal-receipts 1.6).
  const documents = openReportNumber === undefined ? undefined : report.documentNumber - openReportNumber + 1;
  const { shiftReport } = report;
  if (shiftReport === undefined) return documents === undefined ? report : { ...report, shiftCounts: { receipts, documents } };
  const counted = lacksCounts(shiftReport) ? { receipts, ...present({ documents }) } : {};
  return { ...report, shiftReport: { ...shiftReport, ...counted, drawer } };
}

/** Whether the report lacks its counts. A report counts at least itself, so zero means that the device gives no number. */
function lacksCounts(report: ShiftReport | undefined): boolean {
  return report === undefined || report.documents === 0;
}
