import type { ReadReports, ReportKind } from "../../journal/drive-readings.ts";
import type { EntryContent } from "../../journal/entry.ts";
import { deadlineIn } from "../../kernel/deadline.ts";
import { type WallTime, wallAsUtcMs } from "../../kernel/moment.ts";
import type { FiscalFacts } from "../../model/facts.ts";
import type { Refusal } from "../../model/refusal.ts";
import { driveUnread, unreachable } from "../../model/unreachable.ts";
import type { RegisterState } from "../../registers/register.ts";
import { INSPECT_LIMIT_MS } from "../services.ts";
import { askAgain, leftUnread, type ReadDrive } from "./unknown-documents.ts";

type LostReport =
  /** The shift rules decide: nothing speaks for a report that stands in the drive already. */
  { kind: "none" } | { kind: "found"; facts: FiscalFacts } | { kind: "refused"; refusal: Refusal };

/** Shifts that are looked back at: two months of a shift a day, more than any copy that is restored is old. */
const MAX_SHIFTS_BACK = 60;
/** So far a till's clock may be off its register's: more is against the law (fiscal-receipts 6.5, rule 4). */
const CLOCKS_DIFFER_MS = 5 * 60_000;

type Asked = Pick<EntryContent, "key" | "operation">;

/**
 * Looks whether an opening or a closing of the platform's has its report in the drive already, although the journal does
 * not know: after an older copy of the database was restored, or when somebody closed the shift at the register itself.
 * Reports carry no id. What tells is the device's shift: where the journal knows which is the platform's, that one and no
 * other is closed for it; else the moment at which the till opened or closed the shift has to fit the drive's reports.
 * `automatic`: the server may have opened several of the device's shifts for one of the platform's.
 */
export async function findLostReport(drive: ReadDrive, asked: Asked, automatic: boolean): Promise<LostReport> {
  const { kind, shift } = asked.operation;
  if (kind !== "open-shift" && kind !== "close-shift") return { kind: "none" };
  const { services, state } = drive;
  const own = await services.journal.deviceShiftsOf(asked.key.accountId, state.driveNumber, shift);
  const [newest] = own;
  const isOpen = state.shift.kind === "open" && state.shift.number === newest;
  if (isOpen && !automatic) return { kind: "none" };
  const left = leftUnread(drive);
  if (left !== undefined) return { kind: "refused", refusal: left.refusal };
  await askAgain(drive);
  if (kind === "open-shift") return await openingOf(drive, asked, own, automatic);
  if (automatic || newest === undefined) {
    const byMoment = (await ofOpenShift(drive, asked, own)) ?? (await byClosing(drive, asked, own));
    if (byMoment !== undefined) return byMoment;
  }
  return newest === undefined || isOpen ? { kind: "none" } : await ofOwnShift(drive, asked, kind, newest);
}

/** Of several shifts that the device had for one of the platform's the till opened the first, and the server the others. */
async function openingOf(drive: ReadDrive, asked: Asked, own: readonly number[], automatic: boolean): Promise<LostReport> {
  const known = automatic ? own.at(-1) : own[0];
  const earlier = automatic || known === undefined ? await byOpening(drive, asked, known) : ({ kind: "none" } as const);
  if (earlier.kind !== "none" || known === undefined) return earlier;
  const report = await ofOwnShift(drive, asked, "open-shift", known);
  // Made well before the till opened its shift: the server did, on the way to a sale, or somebody at the register itself.
  const isForeign = !automatic && report.kind === "found" && isOlder(report.facts, asked.operation.moment);
  return isForeign ? { kind: "none" } : report;
}

/** The platform's shift is one that is not open any more. */
async function ofOwnShift(drive: ReadDrive, { key }: Asked, kind: ReportKind, shiftNumber: number): Promise<LostReport> {
  const { state, reading } = drive;
  const reports = reading.reports.get(shiftNumber) ?? {};
  const number = reports[kind];
  if (number !== undefined) return await take(drive, kind, number, shiftNumber);
  // A shift that the server itself has opened and closed is opened anew, as ever: nothing was lost.
  if (kind === "open-shift" && reports["close-shift"] === undefined) return { kind: "none" };
  const automatic = await automaticReport(drive, key, kind, shiftNumber);
  if (automatic.kind === "found") return automatic;
  if (kind === "open-shift" || state.shift.kind === "closed") return { kind: "none" };
  if (reading.unread.size > 0) return { kind: "refused", refusal: driveUnread("closing-not-given") };
  return { kind: "refused", refusal: { code: "shift-conflict" } };
}

/** That the server has made by itself. */
async function automaticReport(
  { services, state }: ReadDrive,
  key: Asked["key"],
  kind: ReportKind,
  shiftNumber: number,
): Promise<LostReport> {
  const entry = await services.journal.find({ ...key, operation: `auto-${kind}`, documentId: `${state.driveNumber}-${shiftNumber}` });
  return entry?.state === "done" && entry.facts?.kind === "fiscal" ? { kind: "found", facts: entry.facts } : { kind: "none" };
}

function isOlder({ time }: FiscalFacts, moment: WallTime): boolean {
  return minuteMs(time) < minuteMs(moment) - CLOCKS_DIFFER_MS;
}

/**
 * The earliest of the lost shifts that had not ended when the till opened its own: an opening comes before its closing.
 * `before`: a shift of the device's that is known to be the platform's.
 */
async function byOpening(drive: ReadDrive, { key, operation }: Asked, before = Number.POSITIVE_INFINITY): Promise<LostReport> {
  const { services, state } = drive;
  let earliest: LostReport = { kind: "none" };
  for (const [shiftNumber, reports] of await lostShifts(drive, [])) {
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

/** What was closed at the till since the shift that is open was opened has no report yet: the shift rules decide. */
async function ofOpenShift(drive: ReadDrive, { operation }: Asked, own: readonly number[]): Promise<LostReport | undefined> {
  const { shift } = drive.state;
  if (shift.kind === "closed") return undefined;
  const opened = await openedMs(drive, shift);
  if (opened.kind === "refused") return opened;
  const allowedMs = own.includes(shift.number) ? -1 : CLOCKS_DIFFER_MS;
  return minuteMs(operation.moment) > opened.atMs + allowedMs ? { kind: "none" } : undefined;
}

/** The lost closing that is nearest to the till's. */
async function byClosing(drive: ReadDrive, { operation }: Asked, own: readonly number[]): Promise<LostReport | undefined> {
  const { services, state } = drive;
  const momentMs = minuteMs(operation.moment);
  let nearest: { report: LostReport; distanceMs: number } | undefined;
  for (const [shiftNumber, reports] of await lostShifts(drive, own)) {
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

/** When the shift that is open was opened: a register that has not seen it says that it was now, and the drive knows better. */
async function openedMs(
  drive: ReadDrive,
  { number, openedAt }: Extract<RegisterState["shift"], { kind: "open" }>,
): Promise<{ kind: "opened"; atMs: number } | Extract<LostReport, { kind: "refused" }>> {
  const read = drive.reading.reports.get(number)?.["open-shift"];
  if (read === undefined) return { kind: "opened", atMs: minuteMs(openedAt) };
  const report = await take(drive, "open-shift", read, number);
  if (report.kind === "refused") return report;
  return { kind: "opened", atMs: minuteMs(report.kind === "found" ? report.facts.time : openedAt) };
}

/** Shifts whose reports were read in the drive and that are no other shift of the platform's yet, the newest first. */
async function lostShifts({ services, reading, state }: ReadDrive, own: readonly number[]): Promise<[number, ReadReports][]> {
  const newest = [...reading.reports].sort(([a], [b]) => b - a).slice(0, MAX_SHIFTS_BACK);
  const lost: [number, ReadReports][] = [];
  for (const [shiftNumber, reports] of newest) {
    const isOpen = state.shift.kind === "open" && state.shift.number === shiftNumber;
    if (isOpen) continue;
    const owners = own.includes(shiftNumber) ? [] : await services.journal.shiftLinks(state.driveNumber, shiftNumber);
    if (owners.length === 0) lost.push([shiftNumber, reports]);
  }
  return lost;
}

/** The report, as the drive has it now. */
async function take({ services, device }: ReadDrive, kind: ReportKind, number: number, shiftNumber: number): Promise<LostReport> {
  const found = await device.lookUp(number, deadlineIn(services.clock, INSPECT_LIMIT_MS));
  if (found.kind === "unreachable") return { kind: "refused", refusal: unreachable(found.reason) };
  if (found.kind !== "found" || found.facts.document !== kind || found.facts.shiftNumber !== shiftNumber) {
    return { kind: "refused", refusal: driveUnread("document-not-given", { number: `${number}` }) };
  }
  return { kind: "found", facts: found.facts };
}

/** Registers tell the time to the minute. */
function minuteMs(wall: WallTime): number {
  return Math.floor(wallAsUtcMs(wall) / 60_000) * 60_000;
}
