import { present } from "../../../../kernel/present.ts";
import { type CommandName, commandOf, nameOf } from "../../commands/commands.ts";

/** Faults of the emulator's command line, by name. */
export const FAULT_NAMES = [
  "lose-request",
  "lose-answer",
  "garble-answer",
  "nak",
  "silent",
  "busy",
  "paper-out",
  "power-cut-before",
  "power-cut-after",
  "byte-by-byte",
  "glue",
  "noise",
  "shift-expired",
  "drive-full",
  "clock-jump",
] as const;

export type FaultName = (typeof FAULT_NAMES)[number];

export interface Fault {
  name: FaultName;
  /** The code of the affected command, for example `FF45`. Absent: every command that the fault can affect. */
  command?: string;
  /** Which of these commands is affected, counted from 1. `each`: all of them. */
  nth: number | "each";
  /** Milliseconds. */
  value?: number;
}

type ParsedFault = { kind: "fault"; fault: Fault } | { kind: "invalid"; problem: string };

const SPEC = /^([a-z-]+)(?:@([0-9A-Fa-f]{2}(?:[0-9A-Fa-f]{2})?)[hH]?)?(?:#(\*|[1-9]\d{0,8}))?(?:=(-?\d{1,12}))?$/;
const NEEDS_VALUE: readonly FaultName[] = ["silent", "busy", "clock-jump"];
const TAKES_VALUE: readonly FaultName[] = [...NEEDS_VALUE, "power-cut-before", "power-cut-after"];

/** Parses `NAME[@COMMAND][#N][=VALUE]`: the members of a fault. N is a number from 1, or `*` for `each`; without N it is 1. */
export function parseFault(spec: string): ParsedFault {
  const [, word, code, nth, digits] = SPEC.exec(spec) ?? [];
  if (word === undefined) return { kind: "invalid", problem: `"${spec}" is no fault of the form NAME[@COMMAND][#N][=VALUE]` };
  const name = FAULT_NAMES.find((known) => known === word);
  if (name === undefined) return { kind: "invalid", problem: `there is no fault "${word}"; known are ${FAULT_NAMES.join(", ")}` };
  const command = code?.toUpperCase();
  if (command !== undefined && nameOf(Buffer.from(command, "hex")) === undefined) {
    return { kind: "invalid", problem: `fault "${spec}": there is no command ${command}` };
  }
  if (digits === undefined && NEEDS_VALUE.includes(name))
    return { kind: "invalid", problem: `fault ${name} needs milliseconds: ${name}=MS` };
  if (digits !== undefined && !TAKES_VALUE.includes(name)) return { kind: "invalid", problem: `fault ${name} takes no value` };
  const value = digits === undefined ? undefined : Number(digits);
  if (value !== undefined && value < 0 && name !== "clock-jump") return { kind: "invalid", problem: `fault "${spec}": below zero` };
  return {
    kind: "fault",
    fault: {
      name,
      nth: nth === undefined ? 1 : nth === "*" ? "each" : Number(nth),
      ...present({ command, value }),
    },
  };
}

export function specOf({ name, command, nth, value }: Fault): string {
  const place = command === undefined ? "" : `@${command}`;
  const turn = nth === 1 ? "" : nth === "each" ? "#*" : `#${nth}`;
  return `${name}${place}${turn}${value === undefined ? "" : `=${value}`}`;
}

/** The faults of one command. */
export type Strike = Partial<Record<FaultName, { value?: number }>>;

/** All planned faults. `seen`: how many commands have come so far that the fault can affect. */
export class FaultPlan {
  #waiting: { fault: Fault; seen: number }[] = [];

  constructor(faults: readonly Fault[] = []) {
    for (const fault of faults) this.add(fault);
  }

  add(fault: Fault): void {
    this.#waiting.push({ fault, seen: 0 });
  }

  /** Returns the faults that can still happen. */
  get pending(): string[] {
    return this.#waiting.map(({ fault }) => specOf(fault));
  }

  /** Counts one command and returns its faults. */
  strike(data: Buffer): Strike {
    const name = nameOf(data);
    const struck: Strike = {};
    for (const waiting of this.#waiting) {
      const { fault } = waiting;
      if (!suits(fault, name)) continue;
      waiting.seen += 1;
      if (fault.nth === "each" || fault.nth === waiting.seen) struck[fault.name] = fault.value === undefined ? {} : { value: fault.value };
    }
    this.#waiting = this.#waiting.filter(({ fault, seen }) => fault.nth === "each" || seen < fault.nth);
    return struck;
  }
}

/** Whether the fault can affect the command. Without a named command, some faults affect only certain commands. */
function suits({ name: fault, command }: Fault, name: CommandName | undefined): boolean {
  if (command !== undefined) return name !== undefined && codeOf(name) === command;
  switch (fault) {
    case "busy":
      return name !== undefined && PRINTING.has(name);
    case "paper-out":
      return name !== undefined && (commandOf(name).registers || name === "xReport");
    case "power-cut-before":
    case "power-cut-after":
      return name !== undefined && commandOf(name).registers;
    case "drive-full":
      return name !== undefined && FILLING.has(name);
    case "shift-expired":
      return name !== undefined && SETTLING.has(name);
    default:
      return true;
  }
}

/** Whether this command made a document that stays half printed when the paper ends. */
export function stopsHalfPrinted(data: Buffer, answer: Buffer): boolean {
  const name = nameOf(data);
  if (name === undefined || !(commandOf(name).registers || name === "xReport")) return false;
  return answer[commandOf(name).code.length] === 0;
}

function codeOf(name: CommandName): string {
  return Buffer.from(commandOf(name).code).toString("hex").toUpperCase();
}

/** Commands that need the print mechanism. They can be answered with 50h, 58h or 6Bh (shtrih-protocol 7.3). */
export const PRINTING: ReadonlySet<CommandName> = new Set([
  "printBold",
  "printLine",
  "printFont",
  "cut",
  "feed",
  "printHeader",
  "endDocument",
  "repeatDocument",
  "cashIn",
  "cashOut",
  "xReport",
  "zReport",
  "openShift",
  "openDriveShift",
  "closeDriveShift",
  "stateReport",
  "openReceipt",
  "cancelReceipt",
  "operation",
  "closeReceipt",
  "correction",
  "shortCorrection",
]);

/** Commands that need room in the drive. Closing a shift needs none. */
const FILLING: ReadonlySet<CommandName> = new Set(["openShift", "openDriveShift", "closeReceipt", "correction", "stateReport"]);

/** Commands that are refused in a shift of more than 24 hours. */
const SETTLING: ReadonlySet<CommandName> = new Set([
  "openReceipt",
  "operation",
  "closeReceipt",
  "beginCorrection",
  "correction",
  "cashIn",
  "cashOut",
]);
