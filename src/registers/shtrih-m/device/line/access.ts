import { type AnyRequest, type CommandName, nameOf } from "../../commands/commands.ts";
import { ERROR } from "../machine/errors.ts";
import { PRINTING } from "../machine/faults.ts";
import { isSilent, type Machine, MODE, modeOf } from "../machine/machine.ts";
import { FIELD, OPERATORS } from "../machine/table-list.ts";

type Admission = { kind: "admitted"; operator: number } | { kind: "refused"; error: number };

/** Decides whether the command may run now, and for which operator (shtrih-protocol 3.2, 7.3). */
export function admit(machine: Machine, request: AnyRequest): Admission {
  const operator = "password" in request.values ? operatorOf(machine, request.values.password) : 0;
  if (operator === undefined || !mayAsk(request.name, operator)) return { kind: "refused", error: ERROR.wrongPassword };
  const error = modeProblem(machine, request.name) ?? printerProblem(machine, request.name);
  return error === undefined ? { kind: "admitted", operator } : { kind: "refused", error };
}

/** Returns the row of table 2 with this password. */
function operatorOf({ tables }: Machine, password: number): number | undefined {
  for (let row = 1; row <= OPERATORS; row += 1) if (tables.number(FIELD.operatorPassword, row) === password) return row;
  return undefined;
}

const ADMINISTRATOR = 29;
const SYSTEM_ADMINISTRATOR = 30;

function mayAsk(name: CommandName, operator: number): boolean {
  if (FOR_SYSTEM.has(name)) return operator === SYSTEM_ADMINISTRATOR;
  if (FOR_ADMINISTRATORS.has(name)) return operator === ADMINISTRATOR || operator === SYSTEM_ADMINISTRATOR;
  return true;
}

/** X and Z reports (shtrih-protocol 5.6). */
const FOR_ADMINISTRATORS: ReadonlySet<CommandName> = new Set(["xReport", "zReport"]);

/** Commands of tables, clock, port and drive (shtrih-protocol 3.2, 5.8). */
const FOR_SYSTEM: ReadonlySet<CommandName> = new Set([
  ...named(0x1e, 0x1f, 0x2d, 0x2e, 0x21, 0x22, 0x23, 0x14, 0x15),
  ...drive([0x01, 0x0b], [0x0e, 0x0e], [0x30, 0x34], [0x37, 0x43], [0x4c, 0x4c], [0x60, 0x60], [0x62, 0x63], [0x74, 0x74]),
]);

function named(...codes: number[]): CommandName[] {
  return codes.flatMap((code) => nameOf(Buffer.of(code)) ?? []);
}

/** Returns the FF commands with a second byte in the ranges. */
function drive(...ranges: [number, number][]): CommandName[] {
  return ranges.flatMap(([first, last]) =>
    Array.from({ length: last - first + 1 }, (_, at) => nameOf(Buffer.of(0xff, first + at))).filter((name) => name !== undefined),
  );
}

/** Returns the error of a mode that allows only few commands: a date waits for confirmation, or a document is being read. */
function modeProblem(machine: Machine, name: CommandName): number | undefined {
  if (ALWAYS.has(name)) return undefined;
  switch (modeOf(machine)) {
    case MODE.dateConfirmation:
      return name === "setDate" || name === "confirmDate" ? undefined : ERROR.confirmDate;
    case MODE.output:
      return READING_DOCUMENTS.has(name) ? undefined : ERROR.wrongMode;
    default:
      return undefined;
  }
}

/**
 * Commands that every mode allows (shtrih-protocol 7.3: "Status, table and register reads, FF01, FF40, FF39: always"), and other commands
 * that change no document, no table and no clock.
 */
const ALWAYS: ReadonlySet<CommandName> = new Set([
  "shortStatus",
  "longStatus",
  "deviceType",
  "modelParameters",
  "errorText",
  "service",
  "readTable",
  "tableInfo",
  "fieldInfo",
  "moneyRegister",
  "operationalRegister",
  "font",
  "getPort",
  "interruptOutput",
  "driveStatus",
  "driveNumber",
  "driveValidity",
  "driveVersion",
  "shiftParameters",
  "operatorStatus",
  "unconfirmedCount",
]);

const READING_DOCUMENTS: ReadonlySet<CommandName> = new Set(["requestTlv", "readTlv", "findDocument", "operatorTicket"]);

/**
 * Returns the printer's error: 50h while it prints, 58h while it waits for B0h, 6Bh without paper. While the printer prints, or is stopped
 * inside a document, no document can be read as TLV: 73h (shtrih-protocol 14.3).
 */
function printerProblem(machine: Machine, name: CommandName): number | undefined {
  const { printer, receipt } = machine;
  const { submode } = printer;
  if (submode !== 0 && submode !== 1 && (name === "requestTlv" || name === "readTlv")) return ERROR.wrongMode;
  if (!PRINTING.has(name)) return undefined;
  switch (submode) {
    case 0:
      return undefined;
    case 1:
      // An unprinted receipt can be cancelled without paper. A device that does not print needs no paper.
      return (name === "cancelReceipt" && receipt !== undefined) || isSilent(machine) ? undefined : ERROR.noPaper;
    case 2:
      return ERROR.noPaper;
    case 3:
      return ERROR.waitingForContinue;
    case 5:
      return ERROR.printing;
  }
}
