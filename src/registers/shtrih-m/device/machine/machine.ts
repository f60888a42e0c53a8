import type { Clock } from "../../../../kernel/clock.ts";
import { type WallTime, wallAsUtcMs } from "../../../../kernel/moment.ts";
import type { RegisterDocument } from "../../../../model/document.ts";
import type { DocumentFacts } from "../../../../model/facts.ts";
import { registerFailure } from "../../../failures.ts";
import type { RawTlv } from "../../../tags/tlv.ts";
import type { DeviceAnswer, VirtualDevice } from "../../../virtual/device.ts";
import type { SentRequisites } from "../../../virtual/documents.ts";
import { wordsOf } from "../../../virtual/refusals.ts";
import { isShiftExpired } from "../../../virtual/rules.ts";
import { CheckedMarks } from "./checked-marks.ts";
import { errorOf } from "./errors.ts";
import type { OpenReceipt } from "./open-receipt.ts";
import type { Personality } from "./personality.ts";
import type { Printer } from "./printer.ts";
import type { RegisterMemory } from "./register-memory.ts";
import { headed } from "./slip.ts";
import { FIELD, tablesOf } from "./table-list.ts";
import { Tables } from "./tables.ts";

/** The register's state outside its drive. One command at a time reads and changes it. */
export interface Machine {
  readonly device: VirtualDevice;
  readonly memory: RegisterMemory;
  readonly tables: Tables;
  readonly printer: Printer;
  readonly personality: Personality;
  readonly clock: Clock;
  readonly zone: string;
  /** The number of the port to the host, in the answer of 11h. 128 means TCP. */
  readonly port: number;
  readonly printMs: number;
  paper(lines: readonly string[]): void;

  /** The members from here to `marks` are lost when the power fails. */
  receipt: OpenReceipt | undefined;
  /** A report begun with FF41, FF42 or FF37, or a correction begun with FF35, with its tags. */
  begun: { kind: BegunKind; tags: RawTlv[] } | undefined;
  /** The unread pieces of a document that FF3B reads. */
  output: Buffer[] | undefined;
  /** Mode and operation count of a closed receipt. They stay while the receipt is printing (shtrih-protocol 7.2, 14.1). */
  printed: { mode: number; operations: number } | undefined;
  /** A set date that waits for its confirmation by 23h. */
  newDate: string | undefined;
  lastError: number;
  /** Blocks that DDh has loaded. */
  loaded: Buffer[];
  marks: CheckedMarks;
  /** The lines of the newest document, which can be printed once more. A power cut does not delete them. */
  lastSlip: { lines: readonly string[]; repeated: boolean } | undefined;
}

export type ReportKind = "open-shift" | "close-shift" | "state-report";

/** Documents with a separate command that begins them. They accept tags until they are made. */
type BegunKind = ReportKind | "correction";

export type MachineParts = Pick<Machine, "device" | "memory" | "printer" | "personality" | "clock" | "zone" | "port" | "printMs" | "paper">;

export function machineOf(parts: MachineParts): Machine {
  const { identity } = parts.device.look().memory;
  const tables = new Tables(tablesOf(identity, parts.personality), parts.memory, parts.personality.charFields);
  return { ...parts, tables, ...afterPowerOn(), lastSlip: undefined };
}

/** Applies a power cut: the open receipt is cancelled, and begun documents and checked codes are lost (shtrih-protocol 12.2). */
export function losePower(machine: Machine): void {
  Object.assign(machine, afterPowerOn());
  machine.printer.reset();
}

function afterPowerOn() {
  return {
    receipt: undefined,
    begun: undefined,
    output: undefined,
    printed: undefined,
    newDate: undefined,
    lastError: 0,
    loaded: [],
    marks: new CheckedMarks(),
  };
}

/** Returns the mode number, with the sub-type in the high four bits (shtrih-protocol 7.1). */
export function modeOf(machine: Machine): number {
  const { receipt, printer, personality } = machine;
  if (machine.newDate !== undefined) return MODE.dateConfirmation;
  if (machine.output !== undefined && personality.staysInOutput) return MODE.output;
  if (receipt !== undefined) return MODE.openDocument | (receipt.type << 4);
  if (machine.printed !== undefined && printer.isBusy) return machine.printed.mode;
  machine.printed = undefined;
  const { memory, conditions } = machine.device.look();
  if (!memory.shift.open) return MODE.closedShift;
  return isShiftExpired(memory.shift.openedAt, conditions) ? MODE.expiredShift : MODE.openShift;
}

export const MODE = { output: 1, openShift: 2, expiredShift: 3, closedShift: 4, dateConfirmation: 6, openDocument: 8 } as const;

export function isShiftOpen(machine: Machine): boolean {
  return machine.device.look().memory.shift.open;
}

type Made = { kind: "made"; facts: DocumentFacts } | { kind: "error"; error: number };

/**
 * Makes the document in the virtual device. A new document deletes the checked marks; a refusal keeps them. Throws a Failure when the
 * virtual device does not answer, because the outcome can then be unknown.
 */
export async function make(machine: Machine, document: RegisterDocument, sent?: SentRequisites): Promise<Made> {
  const answer = await machine.device.make(document, sent ?? NOTHING_SENT);
  if (answer.kind === "refused") return { kind: "error", error: errorOf(answer.refusal) };
  const facts = answeredValue(answer);
  machine.marks.clear();
  return { kind: "made", facts };
}

const NOTHING_SENT: SentRequisites = { document: [], lines: [] };

/**
 * Returns an answer's value. Throws a Failure when the virtual device refuses, or when it does not answer because of a planned fault or a
 * failed storage. Only for commands that are expected to succeed.
 */
export function answeredValue<T>(answer: DeviceAnswer<T>): T {
  if (answer.kind === "answer") return answer.value;
  throw registerFailure("device-silent", "device", answer.kind === "silent" ? answer.reason : wordsOf(answer.refusal));
}

/** Returns the register's number of the newest printed document (operational register 152). */
export function throughNumber({ device, memory }: Machine): number {
  const { lastDocumentNumber, slips } = device.look().memory;
  return lastDocumentNumber + slips.cashIns + slips.cashOuts + memory.xReports + memory.cancelledEver;
}

/** Prints a document with a header that names the emulator. T17F7 can suppress printing. */
export async function print(machine: Machine, lines: readonly string[]): Promise<void> {
  const silent = isSilent(machine);
  const [table, field] = FIELD.printing;
  if (machine.tables.number(FIELD.printing) === ONCE_SILENT) {
    await machine.memory.keep({ kind: "table", table, row: 1, field, value: Buffer.of(0).toString("base64") });
  }
  const slip = headed(lines, machine.tables);
  machine.lastSlip = { lines: slip, repeated: false };
  if (silent) return;
  machine.paper(slip);
  machine.printer.print(machine.printMs);
}

/** Whether T17F7 suppresses the printing of the next document or of every document. */
export function isSilent({ tables }: Machine): boolean {
  const setting = tables.number(FIELD.printing);
  return setting === ONCE_SILENT || setting === ALWAYS_SILENT;
}

const ONCE_SILENT = 1;
const ALWAYS_SILENT = 2;

/** Returns the time on the device's clock. */
export function now(machine: Machine): WallTime {
  return machine.device.look().conditions.now;
}

/** Returns the day of a moment for drive commands. Empty: there is no moment. */
export function dayOf(moment: WallTime | undefined): string {
  return moment?.slice(0, "2026-11-28".length) ?? "";
}

/** Sets the clock. On return the change is stored. */
export async function setClock(machine: Machine, wall: WallTime): Promise<void> {
  const { memory } = machine;
  const byMs = wallAsUtcMs(wall) - wallAsUtcMs(now(machine));
  await memory.keep({ kind: "clock", offsetMs: (memory.clockOffsetMs ?? 0) + byMs });
}
