import type { Clock } from "../../../kernel/clock.ts";
import { type WallTime, wallAsUtcMs, wallTimeAt } from "../../../kernel/moment.ts";
import { present } from "../../../kernel/present.ts";
import { daysBetween } from "../../examination-findings.ts";
import type { Facts } from "../../examination-schema.ts";
import type { AnswerOf } from "../commands/commands.ts";
import { FLAGS, MODES, modeOf, SUBMODES } from "../commands/values.ts";
import { NO_LIMIT } from "../identity/fields.ts";
import { readOpening } from "../state/opening.ts";
import type { Glance } from "../state/view.ts";
import { hexOf, type Questions } from "./questions.ts";

/** The answers about the state. Missing answers are absent. */
export interface Status {
  long?: AnswerOf<"longStatus">;
  /** This machine's time halfway between the question for `long` and its answer, ms. */
  askedAtMs: number;
  glance?: Glance;
  drive?: AnswerOf<"driveStatus">;
  shift?: AnswerOf<"shiftParameters">;
  operator?: AnswerOf<"operatorStatus">;
  validity?: AnswerOf<"driveValidity">;
  version?: AnswerOf<"driveVersion">;
  memory?: AnswerOf<"freeMemory">;
  passwords: { operator?: boolean; system?: boolean };
  /**
   * When the running shift was opened, or the time of the earliest document that was found in this shift. Empty: no shift is open, or the
   * time is unknown.
   */
  openedAt: WallTime;
}

const WRONG_PASSWORD = 0x4f;

export async function readStatus(questions: Questions, clock: Clock): Promise<Status> {
  const { operator: cashier, system: password } = questions.passwords;
  const beforeMs = clock.nowMs();
  const long = await questions.values("longStatus", { password });
  const askedAtMs = (beforeMs + clock.nowMs()) / 2;
  const short = await questions.values("shortStatus", { password });
  const asCashier = await questions.ask("shortStatus", { password: cashier });
  const drive = await questions.values("driveStatus", { password });
  const shift = await questions.values("shiftParameters", { password });
  const operator = await questions.values("operatorStatus", { password });
  const validity = await questions.values("driveValidity", { password });
  const version = await questions.values("driveVersion", { password });
  const memory = await questions.values("freeMemory", { password });
  const systemTaken = long !== undefined || short !== undefined;
  const operatorTaken =
    asCashier.kind === "ok" ? true : asCashier.kind === "error" && asCashier.error === WRONG_PASSWORD ? false : undefined;
  return {
    askedAtMs,
    passwords: {
      ...present({ operator: operatorTaken }),
      ...(systemTaken ? { system: true } : questions.refusedWith(WRONG_PASSWORD) ? { system: false } : {}),
    },
    openedAt: drive === undefined || shift === undefined ? "" : await openedAtOf(questions, drive, shift),
    ...given({ long, glance: short ?? long, drive, shift, operator, validity, version, memory }),
  };
}

function given<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

async function openedAtOf(questions: Questions, drive: AnswerOf<"driveStatus">, shift: AnswerOf<"shiftParameters">): Promise<WallTime> {
  if (shift.state !== 1) return "";
  const { driveNumber, lastDocument } = drive;
  const place = { driveNumber, shiftNumber: shift.shift, lastDocument, receipts: shift.receipt };
  const opening = await readOpening(questions, place, undefined, NO_LIMIT);
  return opening.kind === "reached" ? opening.value.time : "";
}

/** Converts the answers to the report's state. */
export function stateFacts(
  status: Status,
  { zone, zoneKnown }: { zone: string; zoneKnown: boolean },
): Pick<Facts, "drive" | "queue" | "clock" | "paper" | "shift" | "openDocument" | "mode"> {
  const { long, glance, operator } = status;
  const device = long === undefined ? undefined : `${long.date} ${long.time}`;
  const ours = wallTimeAt(status.askedAtMs, zone);
  const open = openDocumentOf(status);
  return {
    drive: driveFacts(status, device ?? ours),
    paper: paperFacts(glance),
    shift: shiftFacts(status, device ?? ours),
    ...(operator === undefined ? {} : { queue: queueFacts(operator, device ?? ours) }),
    ...(device === undefined
      ? {}
      : { clock: { device, ours, zone, zoneKnown, aheadSeconds: Math.round((wallAsUtcMs(device) - wallAsUtcMs(ours)) / 1_000) } }),
    ...present({ openDocument: open }),
    ...(glance === undefined ? {} : { mode: { number: hexOf(glance.mode), words: MODE_WORDS[modeOf(glance.mode).mode] ?? "unknown" } }),
  };
}

/** Bits of FF01 (shtrih-protocol 5.8). */
const FISCAL = 0b0010;
const CLOSED = 0b0100;
const WARNINGS: readonly Facts["drive"]["warnings"][number][] = ["keys-expire-now", "keys-expire-soon", "memory-full", "operator-timeout"];
/** Answers of FF04. */
const DRIVE_KINDS = ["debug", "live"] as const;

function driveFacts({ drive, validity, version, memory }: Status, now: WallTime): Facts["drive"] {
  const keysUntil = validity === undefined || validity.until === "" ? undefined : `${validity.until} 00:00:00`;
  return {
    kind: DRIVE_KINDS[version?.type ?? -1] ?? "unknown",
    phase: drive === undefined ? "unknown" : (drive.life & CLOSED) !== 0 ? "closed" : (drive.life & FISCAL) === 0 ? "ready" : "fiscal",
    warnings: WARNINGS.filter((_, bit) => ((drive?.warnings ?? 0) & (1 << bit)) !== 0),
    ...(drive === undefined || drive.driveNumber.trim() === "" ? {} : { number: drive.driveNumber.trim() }),
    ...(version === undefined ? {} : { version: version.version.trim() }),
    ...(keysUntil === undefined ? {} : { keysUntil, keyDaysLeft: Math.floor(daysBetween(now, keysUntil)) }),
    ...(validity?.registrationsLeft === undefined ? {} : { registrationsLeft: validity.registrationsLeft }),
    ...(memory === undefined ? {} : { documentsLeft: memory.documents, queueKilobytesLeft: memory.kilobytes }),
    ...(drive === undefined ? {} : { lastDocument: { number: drive.lastDocument, ...(drive.time === "" ? {} : { time: drive.time }) } }),
  };
}

/** Bits of FF39, `status`. */
const CONNECTED = 0b0001;

function queueFacts({ status, unsent, firstDocument, firstTime }: AnswerOf<"operatorStatus">, now: WallTime): NonNullable<Facts["queue"]> {
  const waits = unsent > 0 && firstTime !== "";
  return {
    unsent,
    connected: (status & CONNECTED) !== 0,
    ...(waits ? { firstDocument, since: firstTime, ageDays: tenths(Math.max(0, daysBetween(firstTime, now))) } : {}),
  };
}

const MECHANISM: Readonly<Record<number, Facts["paper"]["mechanism"]>> = {
  [SUBMODES.idle]: "idle",
  [SUBMODES.noPaper]: "idle",
  [SUBMODES.noPaperPrinting]: "waits-for-paper",
  [SUBMODES.paperBack]: "waits-to-continue",
  [SUBMODES.printingReport]: "printing",
  [SUBMODES.printing]: "printing",
};

function paperFacts(glance: Glance | undefined): Facts["paper"] {
  if (glance === undefined) return { roll: "unknown", cover: "unknown", mechanism: "unknown" };
  const { flags, submode } = glance;
  const out = submode === SUBMODES.noPaper || submode === SUBMODES.noPaperPrinting || (flags & FLAGS.receiptPaper) === 0;
  return {
    roll: out ? "out" : "present",
    cover: (flags & FLAGS.coverOpen) === 0 ? "closed" : "open",
    mechanism: MECHANISM[submode] ?? "unknown",
  };
}

function shiftFacts({ shift, glance, openedAt }: Status, now: WallTime): Facts["shift"] {
  if (shift === undefined) return { state: "unknown" };
  const { state, shift: number, receipt: receipts } = shift;
  if (state !== 1) return { state: "closed", number };
  const expired = glance !== undefined && modeOf(glance.mode).mode === MODES.shiftExpired;
  const age = openedAt === "" ? {} : { openedAt, ageHours: tenths(Math.max(0, daysBetween(openedAt, now)) * HOURS) };
  return { state: expired ? "expired" : "open", number, receipts, ...age };
}

const HOURS = 24;

function openDocumentOf({ glance, drive }: Status): string | undefined {
  if (glance === undefined) return undefined;
  // While the device prints, the mode may still belong to the finished document (shtrih-protocol 7.2). So no open document is reported.
  if (glance.submode === SUBMODES.printing || glance.submode === SUBMODES.printingReport) return undefined;
  const { mode, kind } = modeOf(glance.mode);
  if (mode === MODES.documentOpen) return `${KINDS[kind] ?? "a document"} (mode ${hexOf(glance.mode)})`;
  const begun = drive?.openDocument ?? 0;
  return begun === 0 ? undefined : `${BEGUN[begun] ?? "a document"}, begun in the drive (${hexOf(begun)})`;
}

/** Kinds of an open document (shtrih-protocol 7.1). */
const KINDS = ["a sale", "a purchase", "a return of a sale", "a return of a purchase", "a document that is not fiscal"];
/** FF01, `curDoc` (shtrih-protocol 5.8). */
const BEGUN: Readonly<Record<number, string>> = {
  1: "a registration",
  2: "a report of opening the shift",
  4: "a receipt",
  8: "a report of closing the shift",
  16: "the closing of the drive",
  18: "a re-registration",
  19: "a re-registration",
  20: "a correction",
  23: "a state report",
};

const MODE_WORDS: Readonly<Record<number, string>> = {
  [MODES.dataOutput]: "a document is being read",
  [MODES.shiftOpen]: "shift open",
  [MODES.shiftExpired]: "shift open for more than 24 hours",
  [MODES.shiftClosed]: "shift closed",
  [MODES.blocked]: "blocked by a wrong tax inspector's password",
  [MODES.dateWaiting]: "waits for its date to be confirmed",
  [MODES.decimalPoint]: "the decimal point may be moved",
  [MODES.documentOpen]: "document open",
  [MODES.resetAllowed]: "technical reset allowed",
  [MODES.testRun]: "test print",
};

/** Rounds down to a tenth, which is exact enough for people. */
function tenths(value: number): number {
  return Math.floor(value * 10) / 10;
}
