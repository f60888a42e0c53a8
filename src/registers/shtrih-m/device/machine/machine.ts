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

/** The register between its drive and its line: what a command finds and changes. One command at a time. */
export interface Machine {
  readonly device: VirtualDevice;
  readonly memory: RegisterMemory;
  readonly tables: Tables;
  readonly printer: Printer;
  readonly personality: Personality;
  readonly clock: Clock;
  /** Zone of the clock on the device. */
  readonly zone: string;
  /** Where 11h says the host is: 128 for TCP. */
  readonly port: number;
  /** How long a document is printed, ms. */
  readonly printMs: number;
  /** Takes what is printed, line by line. */
  paper(lines: readonly string[]): void;

  /** Lost with the power: all that follows. */
  receipt: OpenReceipt | undefined;
  /** A report that was begun with FF41, FF42 or FF37, or a correction with FF35, and its tags. */
  begun: { kind: BegunKind; tags: RawTlv[] } | undefined;
  /** A document that is being read with FF3B: the pieces that are left. */
  output: Buffer[] | undefined;
  /** Mode and count of operations, which stay while a closed receipt is being printed (reference 7.2, 14.1). */
  printed: { mode: number; operations: number } | undefined;
  /** A date that waits for 23h. */
  newDate: string | undefined;
  lastError: number;
  /** Blocks of DDh. */
  loaded: Buffer[];
  /** Marking codes that were checked for the next receipt. */
  marks: CheckedMarks;
  lastSlip: { lines: readonly string[]; repeated: boolean } | undefined;
}

export type ReportKind = "open-shift" | "close-shift" | "state-report";

/** What is begun by a command of its own and takes its tags before it is made. */
type BegunKind = ReportKind | "correction";

export type MachineParts = Pick<Machine, "device" | "memory" | "printer" | "personality" | "clock" | "zone" | "port" | "printMs" | "paper">;

export function machineOf(parts: MachineParts): Machine {
  const { identity } = parts.device.look().memory;
  const tables = new Tables(tablesOf(identity, parts.personality), parts.memory, parts.personality.charFields);
  return { ...parts, tables, ...afterPowerOn(), lastSlip: undefined };
}

/** What a power cut does to the register: an open receipt is cancelled, nothing waits any more (reference 12.2). */
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

/** The number of the mode, sub-type in the high nibble (reference 7.1). */
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

/** Has the virtual device make the document, after which no check of a mark holds. Throws a Failure when that keeps silent: nothing can be said then. */
export async function make(machine: Machine, document: RegisterDocument, sent?: SentRequisites): Promise<Made> {
  const answer = await machine.device.make(document, sent ?? NOTHING_SENT);
  if (answer.kind === "refused") return { kind: "error", error: errorOf(answer.refusal) };
  const facts = answeredValue(answer);
  machine.marks.clear();
  return { kind: "made", facts };
}

const NOTHING_SENT: SentRequisites = { document: [], lines: [] };

/** The value of an answer. Throws a Failure when the virtual device keeps silent: by order, or because its storage has failed. */
export function answeredValue<T>(answer: DeviceAnswer<T>): T {
  if (answer.kind === "answer") return answer.value;
  throw registerFailure("device-silent", "device", answer.kind === "silent" ? answer.reason : wordsOf(answer.refusal));
}

/** Number that the register gives to everything it prints as a document (register 152). */
export function throughNumber({ device, memory }: Machine): number {
  const { lastDocumentNumber, slips } = device.look().memory;
  return lastDocumentNumber + slips.cashIns + slips.cashOuts + memory.xReports + memory.cancelledEver;
}

/** Prints a document under the header that says what this device is; T17F7 may keep it from paper. */
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

/** T17F7: the next document, or none at all, is printed. */
export function isSilent({ tables }: Machine): boolean {
  const setting = tables.number(FIELD.printing);
  return setting === ONCE_SILENT || setting === ALWAYS_SILENT;
}

const ONCE_SILENT = 1;
const ALWAYS_SILENT = 2;

/** What the device's clock shows. */
export function now(machine: Machine): WallTime {
  return machine.device.look().conditions.now;
}

/** The day of a moment, as the commands of the drive write it; `` for none. */
export function dayOf(moment: WallTime | undefined): string {
  return moment?.slice(0, "2026-11-28".length) ?? "";
}

/** Sets the clock; on return that is durable. */
export async function setClock(machine: Machine, wall: WallTime): Promise<void> {
  const { memory } = machine;
  const byMs = wallAsUtcMs(wall) - wallAsUtcMs(now(machine));
  await memory.keep({ kind: "clock", offsetMs: (memory.clockOffsetMs ?? 0) + byMs });
}
