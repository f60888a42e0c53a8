import { present } from "../../../../kernel/present.ts";
import type { CashDocument } from "../../../../model/document.ts";
import { decodeCp1251 } from "../../commands/charset.ts";
import type { AnswerOf } from "../../commands/commands.ts";
import { ERROR } from "../machine/errors.ts";
import { dayOf, isShiftOpen, type Machine, MODE, make, modeOf, print, type ReportKind, throughNumber } from "../machine/machine.ts";
import { headOf } from "../machine/open-receipt.ts";
import { encodeTag } from "../machine/sent-tags.ts";
import { cashSlip, interimSlip, reportSlip, stateSlip } from "../machine/slip.ts";
import { storedText } from "../machine/stored-text.ts";
import { FIELD } from "../machine/table-list.ts";
import { timeOf } from "./extended-answer.ts";
import type { Handlers } from "./handler.ts";

/** Handlers of shift, cash and reports (shtrih-protocol 5.6), and of FF41, FF42, FF37, FF0B, FF43, FF38 and FF08 (shtrih-protocol 5.8). */
export const SHIFT_HANDLERS: Handlers = {
  beginOpenShift: (machine) => begin(machine, "open-shift", !isShiftOpen(machine)),
  beginCloseShift: (machine) => begin(machine, "close-shift", isShiftOpen(machine)),
  beginStateReport: (machine) => begin(machine, "state-report", true),

  async openShift(machine, _values, operator) {
    const made = await openShift(machine, operator);
    return typeof made === "number" ? made : { operator };
  },

  openDriveShift: (machine, _values, operator) => openShift(machine, operator),

  async zReport(machine, _values, operator) {
    const made = await closeShift(machine, operator);
    return typeof made === "number" ? made : { operator };
  },

  closeDriveShift: (machine, _values, operator) => closeShift(machine, operator),

  async xReport(machine, _values, operator) {
    if (machine.receipt !== undefined) return ERROR.receiptOpen;
    const cashierName = nameOfOperator(machine, operator);
    const made = await make(machine, { kind: "x-report", reference: "", ...present({ cashierName }) });
    if (made.kind === "error") return made.error;
    await machine.memory.keep({ kind: "x-report" });
    if (made.facts.kind === "interim") await print(machine, interimSlip(made.facts));
    return { operator };
  },

  stateReport: (machine, _values, operator) => reportState(machine, operator),

  cashIn: (machine, { sum }, operator) => moveCash(machine, "cash-in", sum, operator),
  cashOut: (machine, { sum }, operator) => moveCash(machine, "cash-out", sum, operator),

  /** Cancels a begun report or correction. An open receipt is cancelled by 88h instead. */
  cancelDocument(machine) {
    if (machine.receipt !== undefined) return ERROR.wrongMode;
    if (machine.begun === undefined) return ERROR.driveState;
    machine.begun = undefined;
    return {};
  },
};

/** Opens a shift if none is open and the device is set to do so automatically. Returns the error that prevents a document, if any. */
export async function readyForDocument(machine: Machine, operator: number): Promise<number | undefined> {
  const mode = modeOf(machine);
  if (mode === MODE.expiredShift) return ERROR.shiftTooLong;
  if (mode !== MODE.closedShift) return undefined;
  if (machine.tables.number([machine.personality.tables.embedded, AUTOMATIC_SHIFT_FIELD]) === 0) return ERROR.shiftClosed;
  const made = await openShift(machine, operator);
  return typeof made === "number" ? made : undefined;
}

/** Automatic opening of shifts: T24F13; other models have this field in a different table (shtrih-protocol 6). */
const AUTOMATIC_SHIFT_FIELD = 13;

/** The limit of tag 1021, the cashier's name (shtrih-protocol 9.2). */
const MAX_CASHIER_BYTES = 64;

/** Returns the operator's name in table 2. Undefined: the name is empty. */
export function nameOfOperator({ tables }: Machine, operator: number): string | undefined {
  const name = storedText(decodeCp1251(tables.text(FIELD.operatorName, operator)).trim(), MAX_CASHIER_BYTES);
  return name === "" ? undefined : name;
}

function begin(machine: Machine, kind: ReportKind, possible: boolean): number | AnswerOf<"beginOpenShift"> {
  if (!possible || machine.begun !== undefined || machine.receipt !== undefined) return ERROR.driveState;
  machine.begun = { kind, tags: [] };
  return {};
}

async function openShift(machine: Machine, operator: number): Promise<number | AnswerOf<"openDriveShift">> {
  if (isShiftOpen(machine)) return ERROR.wrongMode;
  return report(machine, "open-shift", operator);
}

async function closeShift(machine: Machine, operator: number): Promise<number | AnswerOf<"closeDriveShift">> {
  if (machine.receipt !== undefined) return ERROR.receiptOpen;
  if (!isShiftOpen(machine)) return ERROR.wrongMode;
  return report(machine, "close-shift", operator);
}

async function report(
  machine: Machine,
  kind: "open-shift" | "close-shift",
  operator: number,
): Promise<number | AnswerOf<"closeDriveShift">> {
  if (machine.begun !== undefined && machine.begun.kind !== kind) return ERROR.wrongDocument;
  const { head, reference, sent } = headOfReport(machine, operator);
  const made = await make(machine, { kind, reference, ...head }, sent);
  if (made.kind === "error") return made.error;
  machine.begun = undefined;
  const { facts } = made;
  if (facts.kind !== "fiscal") return ERROR.wrongDocument;
  await print(machine, reportSlip(kind, facts));
  return {
    shift: facts.shiftNumber % 0x1_0000,
    documentNumber: facts.documentNumber,
    fiscalSign: Number(facts.fiscalSign),
    ...timeOf(machine, facts.time),
  };
}

/** Makes a state report in an open or closed shift. The command may come alone or after FF37 and its tags (shtrih-protocol 11). */
async function reportState(machine: Machine, operator: number): Promise<number | AnswerOf<"stateReport">> {
  if (machine.receipt !== undefined) return ERROR.receiptOpen;
  if (machine.begun !== undefined && machine.begun.kind !== "state-report") return ERROR.wrongDocument;
  const { head, reference, sent } = headOfReport(machine, operator);
  const made = await make(machine, { kind: "state-report", reference, ...head }, sent);
  if (made.kind === "error") return made.error;
  machine.begun = undefined;
  const { facts } = made;
  if (facts.kind !== "fiscal" || facts.stateReport === undefined) return ERROR.wrongDocument;
  await print(machine, stateSlip(facts, facts.stateReport));
  return {
    documentNumber: facts.documentNumber,
    fiscalSign: Number(facts.fiscalSign),
    unsent: facts.stateReport.unsent,
    unsentSince: dayOf(facts.stateReport.unsentSince),
    ...timeOf(machine, facts.time),
  };
}

/** Splits a report's tags into known values (cashier, address, place, reference) and the unchanged rest. */
function headOfReport(machine: Machine, operator: number) {
  const { values, rest } = headOf(machine.begun?.tags ?? []);
  const { reference, address, place } = values;
  const cashierName = values.cashierName ?? nameOfOperator(machine, operator);
  const head = {
    ...present({ cashierName, address, place }),
  };
  return { head, reference, sent: { document: rest.map(encodeTag), lines: [] } };
}

async function moveCash(
  machine: Machine,
  kind: CashDocument["kind"],
  sumKopecks: number,
  operator: number,
): Promise<number | AnswerOf<"cashIn">> {
  if (machine.receipt !== undefined) return ERROR.receiptOpen;
  const problem = await readyForDocument(machine, operator);
  if (problem !== undefined) return problem;
  const cashierName = nameOfOperator(machine, operator);
  const made = await make(machine, { kind, reference: "", sumKopecks, ...present({ cashierName }) });
  if (made.kind === "error") return made.error;
  if (made.facts.kind === "cash") await print(machine, cashSlip(made.facts));
  return machine.personality.numbersSlips ? { operator, document: throughNumber(machine) % 0x1_0000 } : { operator: 0, document: 0 };
}
