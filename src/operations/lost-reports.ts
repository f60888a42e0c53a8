import type { ReadReports, ReportKind } from "../journal/drive-readings.ts";
import type { EntryContent } from "../journal/entry.ts";
import { deadlineIn } from "../kernel/deadline.ts";
import { type WallTime, wallAsUtcMs } from "../kernel/moment.ts";
import type { FiscalFacts } from "../model/facts.ts";
import type { Refusal } from "../model/refusal.ts";
import { INSPECT_LIMIT_MS } from "./services.ts";
import { askAgain, type ReadDrive } from "./unknown-documents.ts";

export type LostReport =
  /** The shift rules decide: nothing speaks for a report that stands in the drive already. */
  | { kind: "none" }
  /** `shiftNumber`: of the device's shift that is the platform's. */
  | { kind: "found"; facts: FiscalFacts; shiftNumber: number }
  | { kind: "refused"; refusal: Refusal };

/** Shifts that are looked back at: two months of a shift a day, more than any copy that is restored is old. */
const MAX_SHIFTS_BACK = 60;
/** So far a till's clock may be off its register's: more is against the law (fiscal-receipts 6.5, rule 4). */
const CLOCKS_DIFFER_MS = 5 * 60_000;

/**
 * Looks whether an opening or a closing of the platform's has its report in the drive already, although the journal does
 * not know: after an older copy of the database was restored, or when somebody closed the shift at the register itself.
 * Reports carry no id. What tells is the device's shift: where the journal knows which is the platform's, that one and no
 * other is closed for it; else the moment at which the till opened or closed the shift has to fit the drive's reports.
 */
export async function findLostReport(drive: ReadDrive, content: Pick<EntryContent, "key" | "operation">): Promise<LostReport> {
  const { kind, shift } = content.operation;
  if (kind !== "open-shift" && kind !== "close-shift") return { kind: "none" };
  const { services, state } = drive;
  const [own] = await services.journal.deviceShiftsOf(content.key.accountId, state.driveNumber, shift);
  if (own !== undefined && state.shift.kind === "open" && state.shift.number === own) return { kind: "none" };
  if (drive.failed !== undefined) return unreachable(drive.failed.reason);
  await askAgain(drive);
  if (own !== undefined) return await ofOwnShift(drive, content, kind, own);
  return kind === "open-shift" ? await byOpening(drive, content) : await byClosing(drive, content);
}

/** The platform's shift is one that is not open any more. */
async function ofOwnShift(
  drive: ReadDrive,
  { key }: Pick<EntryContent, "key">,
  kind: ReportKind,
  shiftNumber: number,
): Promise<LostReport> {
  const { services, state, reading } = drive;
  const reports = reading.reports.get(shiftNumber) ?? {};
  // An opening that nothing has closed behind the journal's back opens the shift anew, as ever.
  if (kind === "open-shift" && reports["close-shift"] === undefined) return { kind: "none" };
  const number = reports[kind];
  if (number !== undefined) return await take(drive, kind, shiftNumber, number);
  const automatic = await services.journal.find({ ...key, operation: `auto-${kind}`, documentId: `${state.driveNumber}-${shiftNumber}` });
  if (automatic?.state === "done" && automatic.facts?.kind === "fiscal") return { kind: "found", facts: automatic.facts, shiftNumber };
  if (kind === "open-shift" || state.shift.kind === "closed") return { kind: "none" };
  if (reading.unread.size > 0) return unreachable("Касса не отдаёт отчёт о закрытии смены");
  return { kind: "refused", refusal: { code: "shift-conflict" } };
}

/** The earliest of the lost shifts that had not ended when the till opened its own: an opening comes before its closing. */
async function byOpening(drive: ReadDrive, { operation }: Pick<EntryContent, "operation">): Promise<LostReport> {
  let earliest: LostReport = { kind: "none" };
  for (const { shiftNumber, reports } of await lostShifts(drive)) {
    const { "open-shift": opened, "close-shift": closed } = reports;
    if (opened === undefined || closed === undefined) continue;
    const closing = await take(drive, "close-shift", shiftNumber, closed);
    if (closing.kind !== "found") return closing;
    if (minuteMs(closing.facts.time) <= minuteMs(operation.moment)) break;
    if (await drive.services.journal.hasDocument(drive.state.driveNumber, opened)) continue;
    earliest = await take(drive, "open-shift", shiftNumber, opened);
    if (earliest.kind === "refused") break;
  }
  return earliest;
}

/** The lost closing that is nearest to the till's: a closing older than the shift that is open now is not of that one. */
async function byClosing(drive: ReadDrive, { operation }: Pick<EntryContent, "operation">): Promise<LostReport> {
  const { shift } = drive.state;
  const momentMs = minuteMs(operation.moment);
  if (shift.kind === "open" && momentMs > minuteMs(shift.openedAt) + CLOCKS_DIFFER_MS) return { kind: "none" };
  let nearest: { report: LostReport; distanceMs: number } | undefined;
  for (const { shiftNumber, reports } of await lostShifts(drive)) {
    const number = reports["close-shift"];
    if (number === undefined || (await drive.services.journal.hasDocument(drive.state.driveNumber, number))) continue;
    const report = await take(drive, "close-shift", shiftNumber, number);
    if (report.kind !== "found") return report;
    const closedMs = minuteMs(report.facts.time);
    if (closedMs < momentMs - CLOCKS_DIFFER_MS) break;
    const distanceMs = Math.abs(closedMs - momentMs);
    if (nearest === undefined || distanceMs <= nearest.distanceMs) nearest = { report, distanceMs };
  }
  return nearest?.report ?? { kind: "none" };
}

interface LostShift {
  shiftNumber: number;
  reports: ReadReports;
}

/** Shifts whose reports were read in the drive and that are no shift of the platform's yet, the newest first. */
async function lostShifts({ services, reading, state }: ReadDrive): Promise<LostShift[]> {
  const newest = [...reading.reports].sort(([a], [b]) => b - a).slice(0, MAX_SHIFTS_BACK);
  const lost: LostShift[] = [];
  for (const [shiftNumber, reports] of newest) {
    const isOpen = state.shift.kind === "open" && state.shift.number === shiftNumber;
    const owners = await services.journal.shiftLinks(state.driveNumber, shiftNumber);
    if (!isOpen && owners.length === 0) lost.push({ shiftNumber, reports });
  }
  return lost;
}

/** The report, as the drive has it now. */
async function take({ services, device }: ReadDrive, kind: ReportKind, shiftNumber: number, number: number): Promise<LostReport> {
  const found = await device.lookUp(number, deadlineIn(services.clock, INSPECT_LIMIT_MS));
  if (found.kind === "unreachable") return unreachable(found.reason);
  if (found.kind !== "found" || found.facts.document !== kind || found.facts.shiftNumber !== shiftNumber) {
    return unreachable(`Касса не отдаёт документ № ${number}`);
  }
  return { kind: "found", facts: found.facts, shiftNumber };
}

function unreachable(reason: string): LostReport {
  return { kind: "refused", refusal: { code: "register-unreachable", details: { reason } } };
}

/** Registers tell the time to the minute. */
function minuteMs(wall: WallTime): number {
  return Math.floor(wallAsUtcMs(wall) / 60_000) * 60_000;
}
