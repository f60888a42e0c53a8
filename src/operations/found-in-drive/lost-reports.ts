import type { ReadReports, ReportKind } from "../../journal/drives/lost-document.ts";
import type { EntryContent } from "../../journal/entry.ts";
import { isOfAnother } from "../../journal/shift-owner.ts";
import { type WallTime, wallAsUtcMs } from "../../kernel/moment.ts";
import type { FiscalFacts } from "../../model/facts.ts";
import type { Refusal } from "../../model/refusal.ts";
import { driveUnread, unreachable } from "../../model/unreachable.ts";
import type { RegisterState } from "../../registers/register.ts";
import { MAX_TURNS_REFUSED, TURNS_APART_MS, WAITED_FOR_LIMIT_MS } from "../reading-bounds.ts";
import { INSPECT_LIMIT_MS } from "../services.ts";
import { shiftTradedFor } from "../shift-situation.ts";
import { openingOfEnded } from "./late-opening.ts";
import { read } from "./read-document.ts";
import { notGiven, type ReadDrive, unreadProblem } from "./unknown-documents.ts";
import { requestUnreadAgain } from "./unread-again.ts";

type LostReport =
  /** The operation is neither an opening nor a closing, or no report fits. The shift rules decide the next step. */
  { kind: "none" } | { kind: "found"; facts: FiscalFacts } | { kind: "refused"; refusal: Refusal };

/**
 * The largest number of device shifts whose reports are searched: two months at one shift a day. A restored database is hardly ever older.
 */
const MAX_SHIFTS_BACK = 60;
/** The largest legal difference between a till's clock and its register's clock (fiscal-receipts 6.5, rule 4). */
const CLOCKS_DIFFER_MS = 5 * 60_000;

type ReportRequest = Pick<EntryContent, "key" | "operation">;

/**
 * Looks for the report of this opening or closing: in the drive, and among the reports that the server itself has made. The drive may have
 * a report that the journal lacks, because an older database was restored, or because somebody opened or closed the shift at the register.
 *
 * Reports have no id. So three things show to which shift of the platform a report belongs. These are the journal's links between the
 * platform's shifts and device shifts, the documents made in the device shift, and the report's time. The time is compared with the till's
 * moment.
 *
 * `automatic`: the server opens and closes device shifts itself, so one shift of the platform may have several device shifts.
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
  const cut = await requestUnreadAgain(drive);
  // An unread document may be this report. A second opening would open a device shift that nobody closes.
  const waits = await notGiven(drive, cut);
  if (waits !== undefined) return { kind: "refused", refusal: waits.refusal };
  if (kind === "open-shift") return await openingOf(drive, request, own, automatic);
  if (!automatic && newest === undefined && (await isOpenShift(drive, request))) return { kind: "none" };
  if (automatic || newest === undefined) {
    const byMoment = (await ofOpenShift(drive, request, own)) ?? (await byClosing(drive, request, own, automatic));
    if (byMoment !== undefined) return byMoment;
  }
  return newest === undefined || isOpen ? { kind: "none" } : await ofOwnShift(drive, request, kind, newest);
}

/**
 * Finds the opening report. `own`: the device shifts of the platform's shift, newest first. If there are several, the till opened the
 * oldest device shift and the server opened the later device shifts.
 */
async function openingOf(drive: ReadDrive, request: ReportRequest, own: readonly number[], automatic: boolean): Promise<LostReport> {
  // The server may have opened the later device shifts before its automatic shifts were switched off.
  const known = own.at(-1);
  const earlier =
    automatic || known === undefined ? await byOpening(drive, request, { automatic, before: known }) : ({ kind: "none" } as const);
  if (earlier.kind !== "none") return earlier;
  const late = await openingOfEnded(drive.services.journal, request, { driveNumber: drive.state.driveNumber, own });
  if (late.kind === "found") return late;
  if (late.kind === "elsewhere") return { kind: "refused", refusal: late.refusal };
  if (known === undefined) return { kind: "none" };
  const report = await ofOwnShift(drive, request, "open-shift", known);
  // A report from more than five minutes before the till's opening was not made for this opening. Either the server opened a device shift
  // for a sale, or a person opened it at the register. Such a report counts only if the device shift's first known document was made for
  // the platform's shift.
  if (automatic || report.kind !== "found" || !isOlder(report.facts, request.operation.moment)) return report;
  const { shiftNumber, documentNumber } = report.facts;
  return (await tradedFor(drive, request, shiftNumber, documentNumber)) === "named" ? report : { kind: "none" };
}

/** Whether a device shift is open, and its first known document was made for the platform's shift. */
async function isOpenShift(drive: ReadDrive, request: ReportRequest): Promise<boolean> {
  const { shift } = drive.state;
  return shift.kind === "open" && (await tradedFor(drive, request, shift.number, shift.openReportNumber)) === "named";
}

/**
 * For which shift of the platform a device shift's first known document was made. `named`: for the shift that the request names. `another`:
 * for another shift. `unknown`: no such document decides the owner of the device shift, or the type of its shift's id differs from the
 * request's type.
 */
type Traded = "named" | "another" | "unknown";

async function tradedFor(
  { services, state: { driveNumber } }: ReadDrive,
  { operation: { shift: named } }: ReportRequest,
  shiftNumber: number,
  openReportNumber: number | undefined,
): Promise<Traded> {
  const owner = await services.journal.shiftOwner({ driveNumber, shiftNumber, openReportNumber });
  const shift = await shiftTradedFor(services.journal, owner);
  // Ids of different types may name the same shift, so they prove nothing.
  if (shift === undefined || shift.idType !== named.idType) return "unknown";
  return shift.id === named.id ? "named" : "another";
}

/** Finds the report of a device shift that the journal links to the platform's shift. */
async function ofOwnShift(drive: ReadDrive, { key }: ReportRequest, kind: ReportKind, shiftNumber: number): Promise<LostReport> {
  const { state, reading } = drive;
  const reports = reading.reports.get(shiftNumber) ?? {};
  const number = reports[kind];
  if (number !== undefined) return await take(drive, kind, number, shiftNumber);
  // The reading found neither an opening nor a closing of this device shift that the journal lacked. So no report is lost, and a new
  // device shift may be opened.
  if (kind === "open-shift" && reports["close-shift"] === undefined) return { kind: "none" };
  const automatic = await automaticReport(drive, key, kind, shiftNumber);
  if (automatic.kind === "found") return automatic;
  if (kind === "open-shift" || state.shift.kind === "closed") return { kind: "none" };
  if (reading.unread().size > 0) return { kind: "refused", refusal: driveUnread("closing-not-given") };
  return { kind: "refused", refusal: { code: "shift-conflict" } };
}

/** Finds the journal's report that the server itself made for this device shift. */
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

/** Whether the register made the report at the till's moment, within the allowed difference of clocks. */
export function fitsMoment({ time }: Pick<FiscalFacts, "time">, moment: WallTime): boolean {
  return Math.abs(minuteMs(time) - minuteMs(moment)) <= CLOCKS_DIFFER_MS;
}

/**
 * Finds the opening report of the earliest lost shift (`lostShifts`) that was closed after the till's opening. If the server opens no
 * shifts automatically, a shift whose first known document was made for the platform's shift also counts, whenever it was closed. `before`:
 * a known device shift of the platform's shift; only earlier device shifts are considered. Undefined: all are considered.
 */
async function byOpening(
  drive: ReadDrive,
  request: ReportRequest,
  { automatic, before = Number.POSITIVE_INFINITY }: { automatic: boolean; before: number | undefined },
): Promise<LostReport> {
  const { key, operation } = request;
  const { services, state } = drive;
  let earliest: LostReport = { kind: "none" };
  const lost = await lostShifts(drive, request, [], automatic);
  // If the platform's shift is still open at the device, no report is lost: the shift rules adopt the open shift.
  if (!automatic && !lost.some(({ traded }) => traded === "named") && (await isOpenShift(drive, request))) return earliest;
  for (const { shiftNumber, reports, traded } of lost) {
    if (shiftNumber >= before) continue;
    const { "open-shift": opened, "close-shift": closed } = reports;
    if (opened === undefined) continue;
    if (traded === "named" && !automatic) {
      earliest = await take(drive, "open-shift", opened, shiftNumber);
      if (earliest.kind === "refused") break;
      continue;
    }
    const closing =
      closed === undefined
        ? await automaticReport(drive, key, "close-shift", shiftNumber)
        : await takeIfGiven(drive, "close-shift", closed, shiftNumber);
    if (closing.kind === "refused") return closing;
    if (closing.kind === "none") continue;
    if (minuteMs(closing.facts.time) <= minuteMs(operation.moment)) break;
    if (await services.journal.hasDocument(state.driveNumber, opened)) continue;
    const opening = await takeIfGiven(drive, "open-shift", opened, shiftNumber);
    if (opening.kind === "refused") return opening;
    if (opening.kind === "found") earliest = opening;
  }
  return earliest;
}

/**
 * Returns `none` when the till closed its shift after the open device shift was opened: there is no closing report yet, and the shift rules
 * decide. Undefined when the drive may have the report: no device shift is open, the opening time is unknown, or the till closed its shift
 * earlier. The same minute counts as later. But for a device shift without a link to the platform's shift, a closing up to five minutes
 * after the opening counts as earlier, because the clocks may differ. Refused when the opening report cannot be read.
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

/**
 * Returns the lost closing report with the time nearest to the till's closing; of two equally near reports, the older report. A report from
 * more than five minutes before the till's closing does not count. Undefined: no report counts. Refused when a report cannot be read.
 */
async function byClosing(
  drive: ReadDrive,
  request: ReportRequest,
  own: readonly number[],
  automatic: boolean,
): Promise<LostReport | undefined> {
  const { services, state } = drive;
  const momentMs = minuteMs(request.operation.moment);
  let nearest: { report: LostReport; distanceMs: number } | undefined;
  for (const { shiftNumber, reports } of await lostShifts(drive, request, own, automatic)) {
    const number = reports["close-shift"];
    if (number === undefined || (await services.journal.hasDocument(state.driveNumber, number))) continue;
    const report = await takeIfGiven(drive, "close-shift", number, shiftNumber);
    if (report.kind === "refused") return report;
    if (report.kind === "none") continue;
    const closedMs = minuteMs(report.facts.time);
    if (closedMs < momentMs - CLOCKS_DIFFER_MS) break;
    const distanceMs = Math.abs(closedMs - momentMs);
    if (nearest === undefined || distanceMs <= nearest.distanceMs) nearest = { report, distanceMs };
  }
  return nearest?.report;
}

/** Returns when the open shift was opened: by the drive's report, otherwise by the register. `unknown`: neither has the time. */
async function openedMs(
  drive: ReadDrive,
  { number, openedAt }: Extract<RegisterState["shift"], { kind: "open" }>,
): Promise<{ kind: "opened"; atMs: number } | { kind: "unknown" } | Extract<LostReport, { kind: "refused" }>> {
  const opened = drive.reading.reports.get(number)?.["open-shift"];
  const report = opened === undefined ? undefined : await takeIfGiven(drive, "open-shift", opened, number);
  if (report?.kind === "refused") return report;
  const time = report?.kind === "found" ? report.facts.time : openedAt;
  return time === "" ? { kind: "unknown" } : { kind: "opened", atMs: minuteMs(time) };
}

interface LostShift {
  shiftNumber: number;
  reports: ReadReports;
  traded: Traded;
}

/**
 * Returns closed device shifts with reports that were read in the drive, newest first, from the newest `MAX_SHIFTS_BACK`. They are the
 * device shifts in `own`, and device shifts that the journal links to no shift of the platform and that belong to no other account.
 *
 * A device shift outside `own` is left out if its first known document was made for another shift of the platform, whatever the times of
 * its reports are. A device shift is certain if it is in `own`, or if its first known document was made for the platform's shift. If the
 * server opens no shifts automatically and some device shifts are certain, only these are returned.
 */
async function lostShifts(drive: ReadDrive, request: ReportRequest, own: readonly number[], automatic: boolean): Promise<LostShift[]> {
  const { services, reading, state } = drive;
  const { driveNumber } = state;
  const isFree = async (shiftNumber: number, openReportNumber: number | undefined) => {
    if ((await services.journal.shiftLinks(driveNumber, shiftNumber)).length > 0) return false;
    return !isOfAnother(await services.journal.shiftOwner({ driveNumber, shiftNumber, openReportNumber }), request.key.accountId);
  };
  const newest = [...reading.reports].sort(([a], [b]) => b - a).slice(0, MAX_SHIFTS_BACK);
  const lost: LostShift[] = [];
  for (const [shiftNumber, reports] of newest) {
    const isOpen = state.shift.kind === "open" && state.shift.number === shiftNumber;
    if (isOpen) continue;
    const opened = reports["open-shift"];
    const isOwn = own.includes(shiftNumber);
    if (!isOwn && !(await isFree(shiftNumber, opened))) continue;
    const traded = isOwn ? "named" : await tradedFor(drive, request, shiftNumber, opened);
    if (traded !== "another") lost.push({ shiftNumber, reports, traded });
  }
  const named = lost.filter(({ traded }) => traded === "named");
  return automatic || named.length === 0 ? lost : named;
}

/** Reads a report from the drive again. Refuses if the register does not return this report. */
async function take(
  drive: ReadDrive,
  kind: ReportKind,
  number: number,
  shiftNumber: number,
  limitMs = WAITED_FOR_LIMIT_MS,
): Promise<LostReport> {
  const found = await read(drive, number, { attempts: 1, limitMs });
  if (found.kind === "unreachable") return { kind: "refused", refusal: unreachable(found.reason) };
  if (found.kind !== "found" || found.facts.document !== kind || found.facts.shiftNumber !== shiftNumber) {
    return { kind: "refused", refusal: driveUnread("document-not-given", { number: `${number}` }) };
  }
  return { kind: "found", facts: found.facts };
}

/**
 * Reads a report that may be of another shift. If the register no longer returns the report, the turn is refused. After `MAX_TURNS_REFUSED`
 * such turns, a report that was requested in vain before is left out. Otherwise one unreadable report would refuse all openings or closings
 * for ever.
 */
async function takeIfGiven(drive: ReadDrive, kind: ReportKind, number: number, shiftNumber: number): Promise<LostReport> {
  const { reading, services, register } = drive;
  const mayLeaveOut = reading.turnsRefusedForReports.count >= MAX_TURNS_REFUSED && reading.reportsNotGiven.has(number);
  // One turn may request many reports that may be left out. So each of these requests has less time.
  const report = await take(drive, kind, number, shiftNumber, mayLeaveOut ? INSPECT_LIMIT_MS : WAITED_FOR_LIMIT_MS);
  if (report.kind !== "refused" || report.refusal.details?.problem === undefined) {
    if (report.kind === "found") reading.reportsNotGiven.delete(number);
    return report;
  }
  if (mayLeaveOut) {
    services.log.error({ register, document: number }, "the register no longer gives a report of a shift: it is left out");
    return { kind: "none" };
  }
  reading.reportsNotGiven.add(number);
  reading.turnsRefusedForReports.add(services.clock, TURNS_APART_MS);
  return report;
}

/** Cuts the time to the minute, because registers report times to the minute. */
function minuteMs(wall: WallTime): number {
  return Math.floor(wallAsUtcMs(wall) / 60_000) * 60_000;
}
