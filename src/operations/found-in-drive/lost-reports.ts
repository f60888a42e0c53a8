import type { ReadReports, ReportKind } from "../../journal/drive-readings.ts";
import type { EntryContent } from "../../journal/entry.ts";
import { isOfAnother } from "../../journal/shift-owner.ts";
import { deadlineIn } from "../../kernel/deadline.ts";
import { type WallTime, wallAsUtcMs } from "../../kernel/moment.ts";
import type { FiscalFacts } from "../../model/facts.ts";
import type { Refusal } from "../../model/refusal.ts";
import { driveUnread, unreachable } from "../../model/unreachable.ts";
import type { RegisterState } from "../../registers/register.ts";
import { INSPECT_LIMIT_MS } from "../services.ts";
import { shiftTradedFor } from "../shift-situation.ts";
import { openingOfEnded } from "./late-opening.ts";
import { type ReadDrive, requestUnreadAgain, unreadProblem } from "./unknown-documents.ts";

type LostReport =
  /** No report in the drive fits. The shift rules decide what happens next. */
  { kind: "none" } | { kind: "found"; facts: FiscalFacts } | { kind: "refused"; refusal: Refusal };

/**
 * Shifts that are searched backwards: two months at one shift a day. A restored copy of the database is never older
 * than that.
 */
const MAX_SHIFTS_BACK = 60;
/**
 * The largest difference between a till's clock and its register's clock. A larger difference is against the law (fiscal-receipts 6.5, rule
 * 4).
 */
const CLOCKS_DIFFER_MS = 5 * 60_000;

type ReportRequest = Pick<EntryContent, "key" | "operation">;

/**
 * Looks whether the drive already has the report of this opening or closing although the journal does not know it. That
 * happens after an older copy of the database was restored, or when somebody closed the shift at the register itself.
 *
 * Reports carry no id, so the device's shift identifies them. Where the journal knows the device's shift for the
 * platform's shift, only a report of that shift counts. Otherwise the moment of the till must fit the time of the
 * report.
 *
 * `automatic`: the server may open several device shifts for one shift of the platform.
 */
export async function findLostReport(drive: ReadDrive, request: ReportRequest, automatic: boolean): Promise<LostReport> {
  const { kind, shift } = request.operation;
  if (kind !== "open-shift" && kind !== "close-shift") return { kind: "none" };
  const { services, state } = drive;
  const own = await services.journal.deviceShiftsOf(request.key.accountId, state.driveNumber, shift);
  const [newest] = own;
  const isOpen = state.shift.kind === "open" && state.shift.number === newest;
  if (isOpen && !automatic) return { kind: "none" };
  const left = unreadProblem(drive);
  if (left !== undefined) return { kind: "refused", refusal: left.refusal };
  await requestUnreadAgain(drive);
  if (kind === "open-shift") return await openingOf(drive, request, own, automatic);
  if (automatic || newest === undefined) {
    const byMoment = (await ofOpenShift(drive, request, own)) ?? (await byClosing(drive, request, own));
    if (byMoment !== undefined) return byMoment;
  }
  return newest === undefined || isOpen ? { kind: "none" } : await ofOwnShift(drive, request, kind, newest);
}

/**
 * Finds the opening report. The platform's shift may have several device shifts: the till opened the first of them, the server opened the
 * others.
 */
async function openingOf(drive: ReadDrive, request: ReportRequest, own: readonly number[], automatic: boolean): Promise<LostReport> {
  const known = automatic ? own.at(-1) : own[0];
  const earlier = automatic || known === undefined ? await byOpening(drive, request, known) : ({ kind: "none" } as const);
  if (earlier.kind !== "none") return earlier;
  const late = await openingOfEnded(drive.services.journal, request, { driveNumber: drive.state.driveNumber, own });
  if (late !== undefined) return { kind: "found", facts: late };
  if (known === undefined) return { kind: "none" };
  const report = await ofOwnShift(drive, request, "open-shift", known);
  // A report from well before the till opened its shift belongs to somebody else: to the server, which opened a shift for a sale, or to a
  // person at the register. It is the till's all the same once the till has traded in that shift.
  if (automatic || report.kind !== "found" || !isOlder(report.facts, request.operation.moment)) return report;
  return (await wasTradedFor(drive, request, report.facts)) ? report : { kind: "none" };
}

/** Whether the first document in the device's shift that the journal has was made for the platform's shift. */
async function wasTradedFor({ services, state }: ReadDrive, { operation }: ReportRequest, opened: FiscalFacts): Promise<boolean> {
  const shift = { driveNumber: state.driveNumber, shiftNumber: opened.shiftNumber, openReportNumber: opened.documentNumber };
  const named = await shiftTradedFor(services.journal, await services.journal.shiftOwner(shift));
  return named?.id === operation.shift.id && named.idType === operation.shift.idType;
}

/** The report of a device shift that the journal links to the platform's shift. */
async function ofOwnShift(drive: ReadDrive, { key }: ReportRequest, kind: ReportKind, shiftNumber: number): Promise<LostReport> {
  const { state, reading } = drive;
  const reports = reading.reports.get(shiftNumber) ?? {};
  const number = reports[kind];
  if (number !== undefined) return await take(drive, kind, number, shiftNumber);
  // The server opened and closed this shift by itself. Opening a new shift loses nothing.
  if (kind === "open-shift" && reports["close-shift"] === undefined) return { kind: "none" };
  const automatic = await automaticReport(drive, key, kind, shiftNumber);
  if (automatic.kind === "found") return automatic;
  if (kind === "open-shift" || state.shift.kind === "closed") return { kind: "none" };
  if (reading.unread.size > 0) return { kind: "refused", refusal: driveUnread("closing-not-given") };
  return { kind: "refused", refusal: { code: "shift-conflict" } };
}

/** The report that the server made by itself for this shift. */
async function automaticReport(
  { services, state }: ReadDrive,
  key: ReportRequest["key"],
  kind: ReportKind,
  shiftNumber: number,
): Promise<LostReport> {
  const entry = await services.journal.find({ ...key, operation: `auto-${kind}`, documentId: `${state.driveNumber}-${shiftNumber}` });
  return entry?.state === "done" && entry.facts?.kind === "fiscal" ? { kind: "found", facts: entry.facts } : { kind: "none" };
}

function isOlder({ time }: FiscalFacts, moment: WallTime): boolean {
  return minuteMs(time) < minuteMs(moment) - CLOCKS_DIFFER_MS;
}

/** Whether the register made the report at the till's moment, as far as their clocks may differ. */
export function fitsMoment({ time }: Pick<FiscalFacts, "time">, moment: WallTime): boolean {
  return Math.abs(minuteMs(time) - minuteMs(moment)) <= CLOCKS_DIFFER_MS;
}

/**
 * The earliest lost shift that was still open when the till opened its shift: an opening comes before its closing. `before`: a device shift
 * that is known to belong to the platform's shift. Only earlier shifts are considered.
 */
async function byOpening(drive: ReadDrive, request: ReportRequest, before = Number.POSITIVE_INFINITY): Promise<LostReport> {
  const { key, operation } = request;
  const { services, state } = drive;
  let earliest: LostReport = { kind: "none" };
  for (const [shiftNumber, reports] of await lostShifts(drive, request, [])) {
    if (shiftNumber >= before) continue;
    const { "open-shift": opened, "close-shift": closed } = reports;
    if (opened === undefined) continue;
    const closing =
      closed === undefined
        ? await automaticReport(drive, key, "close-shift", shiftNumber)
        : await take(drive, "close-shift", closed, shiftNumber);
    if (closing.kind === "refused") return closing;
    if (closing.kind === "none") continue;
    if (minuteMs(closing.facts.time) <= minuteMs(operation.moment)) break;
    if (await services.journal.hasDocument(state.driveNumber, opened)) continue;
    earliest = await take(drive, "open-shift", opened, shiftNumber);
    if (earliest.kind === "refused") break;
  }
  return earliest;
}

/**
 * If the till closed its shift after the open device shift was opened, there is no closing report yet. Then `none` is
 * returned, and the shift rules decide. Undefined: no shift is open, or the till closed its shift earlier, or nobody knows
 * when the device shift was opened. Then the drive may have the report.
 */
async function ofOpenShift(drive: ReadDrive, { operation }: ReportRequest, own: readonly number[]): Promise<LostReport | undefined> {
  const { shift } = drive.state;
  if (shift.kind === "closed") return undefined;
  const opened = await openedMs(drive, shift);
  if (opened.kind === "refused") return opened;
  if (opened.kind === "unknown") return undefined;
  const allowedMs = own.includes(shift.number) ? -1 : CLOCKS_DIFFER_MS;
  return minuteMs(operation.moment) > opened.atMs + allowedMs ? { kind: "none" } : undefined;
}

/** The lost closing report whose time is nearest to the till's closing. */
async function byClosing(drive: ReadDrive, request: ReportRequest, own: readonly number[]): Promise<LostReport | undefined> {
  const { services, state } = drive;
  const momentMs = minuteMs(request.operation.moment);
  let nearest: { report: LostReport; distanceMs: number } | undefined;
  for (const [shiftNumber, reports] of await lostShifts(drive, request, own)) {
    const number = reports["close-shift"];
    if (number === undefined || (await services.journal.hasDocument(state.driveNumber, number))) continue;
    const report = await take(drive, "close-shift", number, shiftNumber);
    if (report.kind !== "found") return report;
    const closedMs = minuteMs(report.facts.time);
    if (closedMs < momentMs - CLOCKS_DIFFER_MS) break;
    const distanceMs = Math.abs(closedMs - momentMs);
    if (nearest === undefined || distanceMs <= nearest.distanceMs) nearest = { report, distanceMs };
  }
  return nearest?.report;
}

/** The moment at which the open shift was opened, by the report in the drive, otherwise by the register. `unknown`: neither gives it. */
async function openedMs(
  drive: ReadDrive,
  { number, openedAt }: Extract<RegisterState["shift"], { kind: "open" }>,
): Promise<{ kind: "opened"; atMs: number } | { kind: "unknown" } | Extract<LostReport, { kind: "refused" }>> {
  const read = drive.reading.reports.get(number)?.["open-shift"];
  const report = read === undefined ? undefined : await take(drive, "open-shift", read, number);
  if (report?.kind === "refused") return report;
  const time = report?.kind === "found" ? report.facts.time : openedAt;
  return time === "" ? { kind: "unknown" } : { kind: "opened", atMs: minuteMs(time) };
}

/** Shifts with reports in the drive that no shift of the platform and no other account owns yet, newest first. */
async function lostShifts(
  { services, reading, state }: ReadDrive,
  { key }: ReportRequest,
  own: readonly number[],
): Promise<[number, ReadReports][]> {
  const { journal } = services;
  const { driveNumber } = state;
  const isFree = async (shiftNumber: number, { "open-shift": openReportNumber }: ReadReports) => {
    if ((await journal.shiftLinks(driveNumber, shiftNumber)).length > 0) return false;
    return !isOfAnother(await journal.shiftOwner({ driveNumber, shiftNumber, openReportNumber }), key.accountId);
  };
  const newest = [...reading.reports].sort(([a], [b]) => b - a).slice(0, MAX_SHIFTS_BACK);
  const lost: [number, ReadReports][] = [];
  for (const [shiftNumber, reports] of newest) {
    const isOpen = state.shift.kind === "open" && state.shift.number === shiftNumber;
    if (isOpen) continue;
    if (own.includes(shiftNumber) || (await isFree(shiftNumber, reports))) lost.push([shiftNumber, reports]);
  }
  return lost;
}

/** Reads the report from the drive again. */
async function take({ services, device }: ReadDrive, kind: ReportKind, number: number, shiftNumber: number): Promise<LostReport> {
  const found = await device.lookUp(number, deadlineIn(services.clock, INSPECT_LIMIT_MS));
  if (found.kind === "unreachable") return { kind: "refused", refusal: unreachable(found.reason) };
  if (found.kind !== "found" || found.facts.document !== kind || found.facts.shiftNumber !== shiftNumber) {
    return { kind: "refused", refusal: driveUnread("document-not-given", { number: `${number}` }) };
  }
  return { kind: "found", facts: found.facts };
}

/** The time cut to the minute, because registers report times to the minute. */
function minuteMs(wall: WallTime): number {
  return Math.floor(wallAsUtcMs(wall) / 60_000) * 60_000;
}
