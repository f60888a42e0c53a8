import type { Deadline } from "../../../kernel/deadline.ts";
import { wallAsUtcMs } from "../../../kernel/moment.ts";
import type { Reached, RegisterState, ShiftState } from "../../register.ts";
import { FLAGS, MODES, modeOf, SUBMODES } from "../commands/values.ts";
import type { KnownDevice } from "../identity/identity.ts";
import { wordsOf } from "../refusals/refusals.ts";
import type { Connection } from "../session/connection.ts";
import { awaitPrinted } from "../session/printing.ts";
import type { Opening } from "./opening.ts";
import { type DriveStatus, type Glance, type Looked, readQueue, readView, timeNow, type View } from "./view.ts";

type Inspected = Reached<{ state: RegisterState; view: View }>;

interface Remembered {
  lastView: View | undefined;
  opening: Opening | undefined;
}

/**
 * The maximum age of remembered values. The clock is computed from its last reading, and this driver's receipts are added to the drawer's
 * cash.
 */
const FRESH_MS = 60_000;
const DAY_MS = 86_400_000;

/**
 * Returns the device's state. A complete inspection stays valid for a minute, updated by this driver's receipts, while status and drive
 * show no other change. So a sale needs three or four short questions instead of at least five.
 */
export async function inspect(connection: Connection, known: KnownDevice, remembered: Remembered, deadline: Deadline): Promise<Inspected> {
  const { lastView, opening } = remembered;
  if (lastView !== undefined && isFresh(lastView, connection)) {
    const short = await glance(connection, lastView, deadline);
    if (short.kind === "unreachable") return short;
    if (agrees(short.value) && connection.openings === lastView.openings) return inspected(short.value, connection, known);
  }
  const looked = await lookWhole(connection, opening, deadline);
  return looked.kind === "unreachable" ? looked : inspected(looked.value, connection, known);
}

function inspected(looked: Looked, connection: Connection, known: KnownDevice): Inspected {
  return { kind: "reached", value: { state: stateOf(looked, connection, known), view: looked.view } };
}

function isFresh(view: View, { clock, openings, isOpen }: Connection): boolean {
  return isOpen && view.openings === openings && clock.monotonicMs() - view.readAtMs < FRESH_MS;
}

async function glance(connection: Connection, view: View, deadline: Deadline): Promise<Reached<Looked>> {
  const { system } = connection.passwords;
  const status = await connection.ask("shortStatus", { password: system }, deadline);
  if (status.kind !== "ok") return unanswered(status);
  const drive = await connection.ask("driveStatus", { password: system }, deadline);
  if (drive.kind !== "ok") return unanswered(drive);
  const unsent = await connection.ask("unconfirmedCount", { password: system }, deadline);
  if (unsent.kind !== "ok") return unanswered(unsent);
  const queue = unsent.values.count === 0 ? { kind: "reached" as const, value: { unsent: 0 } } : await readQueue(connection, deadline);
  if (queue.kind === "unreachable") return queue;
  return { kind: "reached", value: { view: { ...view, queue: queue.value }, glance: status.values, drive: drive.values } };
}

/** Whether status and drive agree with the view. */
function agrees({ view, glance, drive }: Looked): boolean {
  if (drive.driveNumber !== view.driveNumber || drive.lastDocument !== view.lastDocumentNumber || drive.openDocument !== 0) return false;
  if ((drive.shift === 1) !== view.shift.open || glance.submode === SUBMODES.paperBack) return false;
  const { mode } = modeOf(glance.mode);
  // While the device prints, its mode is still that of the previous document (shtrih-protocol 7.2).
  if (mode === MODES.documentOpen) return view.ownDocumentLast && glance.submode !== SUBMODES.idle;
  return mode === (view.shift.open ? MODES.shiftOpen : MODES.shiftClosed);
}

/** Returns a complete inspection. Repeats it if the device first had to finish printing. */
async function lookWhole(connection: Connection, opening: Opening | undefined, deadline: Deadline): Promise<Reached<Looked>> {
  const looked = await readView(connection, opening, deadline);
  if (looked.kind === "unreachable" || isAtRest(looked.value.glance)) return looked;
  const printed = await awaitPrinted(connection, deadline);
  if (printed.kind === "unreachable") return printed;
  if (printed.kind === "printing") return { kind: "unreachable", reason: "Касса ещё печатает предыдущий документ" };
  return readView(connection, looked.value.view.opening ?? opening, deadline);
}

/** Whether the device's mode is final. While a document prints, the mode may still say that the document is open (shtrih-protocol 7.2). */
function isAtRest({ mode, submode }: Glance): boolean {
  const named = modeOf(mode).mode;
  if (named === MODES.dataOutput || submode === SUBMODES.paperBack) return false;
  return !(named === MODES.documentOpen && (submode === SUBMODES.printing || submode === SUBMODES.printingReport));
}

function stateOf(looked: Looked, connection: Connection, { keysUntil, silent }: KnownDevice): RegisterState {
  const { view, glance, drive } = looked;
  const { mode } = modeOf(glance.mode);
  return {
    driveNumber: view.driveNumber,
    lastDocumentNumber: drive.lastDocument,
    ...(drive.time === "" ? {} : { lastDocumentTime: drive.time }),
    shift: shiftOf(looked, connection),
    drawerKopecks: view.drawerKopecks,
    time: timeNow(view, connection),
    paper: paperOf(glance, silent),
    ...(!silent && glance.submode === SUBMODES.noPaperPrinting ? { paperEndedWithin: true } : {}),
    ...(!silent && (glance.flags & FLAGS.coverOpen) !== 0 ? { coverOpen: true } : {}),
    documentOpen: glance.submode === SUBMODES.idle && (mode === MODES.documentOpen || drive.openDocument !== 0),
    queue: view.queue,
    drive: {
      phase: phaseOf(drive),
      ...(keysUntil === "" ? {} : { keysUntil: `${keysUntil} 00:00:00` }),
      warnings: warningsOf(drive),
    },
  };
}

function shiftOf({ view, glance }: Looked, connection: Connection): ShiftState {
  const { shift, opening } = view;
  if (!shift.open) return { kind: "closed", lastNumber: shift.number };
  const openedAt = opening?.time ?? "";
  const { mode } = modeOf(glance.mode);
  const old = wallAsUtcMs(timeNow(view, connection)) - wallAsUtcMs(openedAt) >= DAY_MS;
  const expired = mode === MODES.shiftExpired || (mode !== MODES.shiftOpen && old);
  const report = opening?.reportNumber === undefined ? {} : { openReportNumber: opening.reportNumber };
  return { kind: "open", number: shift.number, openedAt, ...report, expired };
}

function paperOf({ flags, submode }: Glance, silent: boolean): RegisterState["paper"] {
  const waits = submode === SUBMODES.noPaper || submode === SUBMODES.noPaperPrinting;
  if (!waits && (flags & FLAGS.receiptPaper) !== 0) return "present";
  return silent ? "unknown" : "out";
}

/** FF01, `life` (shtrih-protocol 5.8). */
const FISCAL = 0b0010;
const CLOSED = 0b0100;

function phaseOf({ life }: DriveStatus): RegisterState["drive"]["phase"] {
  if ((life & CLOSED) !== 0) return "closed";
  return (life & FISCAL) === 0 ? "ready" : "fiscal";
}

/** Returns the warnings in `warn` of FF01 (shtrih-protocol 5.8). FF01 has no message of the data operator; only shift reports have it. */
export function warningsOf({ warnings }: DriveStatus): RegisterState["drive"]["warnings"] {
  return {
    keysExpireNow: (warnings & 0b0001) !== 0,
    keysExpireSoon: (warnings & 0b0011) !== 0,
    memoryFull: (warnings & 0b0100) !== 0,
    operatorTimeout: (warnings & 0b1000) !== 0,
    operatorMessage: 0,
  };
}

function unanswered(reply: { kind: "error"; error: number } | { kind: "unreachable"; reason: string }): Reached<never> {
  if (reply.kind === "unreachable") return reply;
  return { kind: "unreachable", reason: `Касса не называет своего состояния: ${wordsOf(reply.error)}` };
}
