import { scaleKopecks } from "../../../../kernel/money.ts";
import { ONE_MILLIONTHS } from "../../../../kernel/quantity.ts";
import type { ReceiptLine, SettlementSign, VatTotal } from "../../../../model/document.ts";
import { plannedStatus } from "../../../../model/planned-status.ts";
import { TAX_SYSTEMS, type TaxSystem, VAT_CODES } from "../../../../model/tax.ts";
import { vatWithin } from "../../../../model/vat.ts";
import type { AnswerOf, RequestOf } from "../../commands/commands.ts";
import { ERROR } from "../machine/errors.ts";
import { type Machine, make, modeOf, print } from "../machine/machine.ts";
import { type Closing, type Opening, OpenReceipt, type ReceiptType, TYPE_OF_SIGN } from "../machine/open-receipt.ts";
import { receiptSlip } from "../machine/slip.ts";
import { storedText } from "../machine/stored-text.ts";
import { FIELD } from "../machine/table-list.ts";
import { closingCodes, vatOf } from "../machine/vat-codes.ts";
import { timeOf } from "./extended-answer.ts";
import type { Handlers } from "./handler.ts";
import { nameOfOperator, readyForDocument } from "./shift.ts";

/** Handlers of receipts (shtrih-protocol 5.7). The handlers of their tags are in `tags.ts`. */
export const RECEIPT_HANDLERS: Handlers = {
  async openReceipt(machine, { type }, operator) {
    if (machine.receipt !== undefined) return ERROR.receiptOpen;
    const correction = type >= FIRST_CORRECTION;
    const settlement = correction ? type - FIRST_CORRECTION : type;
    if (!isType(settlement)) return ERROR.badParameters;
    // Format 1.05 has its own commands for corrections, so 8Dh is refused for them.
    if (correction && machine.device.look().memory.identity.ffd === "1.05") return ERROR.badForSettings;
    return (await open(machine, { kind: correction ? "correction" : "receipt", type: settlement, operator })) ?? { operator };
  },

  async cancelReceipt(machine, _values, operator) {
    const { receipt } = machine;
    if (receipt === undefined) return ERROR.noReceipt;
    if (isForeign(receipt, operator)) return ERROR.otherOperator;
    const { shift } = machine.device.look().memory;
    await machine.memory.keep({ kind: "cancelled", type: receipt.type, sumKopecks: receipt.sumKopecks, shift: shift.number });
    machine.receipt = undefined;
    machine.marks.clear();
    if (machine.printer.hasPaper) await print(machine, ["ЧЕК АННУЛИРОВАН"]);
    return { operator };
  },

  subtotal({ receipt }, _values, operator) {
    if (receipt === undefined) return ERROR.noReceipt;
    return isForeign(receipt, operator) ? ERROR.otherOperator : { operator, sum: receipt.sumKopecks };
  },

  async operation(machine, values, operator) {
    const sign = values.operation;
    if (!isSign(sign)) return ERROR.badParameters;
    const item = itemOf(machine, values);
    if (typeof item === "number") return item;
    const problem =
      machine.receipt === undefined
        ? await open(machine, { kind: "receipt", type: TYPE_OF_SIGN[sign], operator })
        : await readyForDocument(machine, operator);
    const { receipt } = machine;
    if (problem !== undefined || receipt === undefined) return problem ?? ERROR.noReceipt;
    if (isForeign(receipt, operator)) return ERROR.otherOperator;
    if (receipt.type !== TYPE_OF_SIGN[sign]) return ERROR.wrongOperation;
    if (receipt.itemCount >= MAX_ITEMS) return ERROR.tooManyItems;
    if (receipt.sumKopecks + item.sumKopecks > MAX_SUM_KOPECKS) return ERROR.badParameters;
    receipt.addItem(item);
    return {};
  },

  closeReceipt: close,
};

/** The first type of 8Dh for corrections. */
const FIRST_CORRECTION = 0x80;
/** How many items an open receipt takes. Fewer items can already exceed the drive's limit of a document: then FF45 is refused with 10h. */
const MAX_ITEMS = 1_000;
/** Sums have five bytes; the highest value means "not given". */
const MAX_SUM_KOPECKS = 2 ** 40 - 2;
const MAX_NAME_BYTES = 128;
const MAX_DEPARTMENT = 16;
const MAX_METHOD = 7;
const MAX_SUBJECT = 33;
const FULL_PAYMENT = 4;
const GOODS = 1;
const SYSTEM_ADMINISTRATOR = 30;
const MAX_CLOSING_TEXT = 64;

/** Whether a different operator opened the receipt and this operator may not continue it (shtrih-protocol 3.2). */
export function isForeign(receipt: OpenReceipt, operator: number): boolean {
  return receipt.operator !== operator && operator !== SYSTEM_ADMINISTRATOR;
}

async function open(machine: Machine, opening: Opening): Promise<number | undefined> {
  if (machine.begun !== undefined) return ERROR.wrongDocument;
  const problem = await readyForDocument(machine, opening.operator);
  if (problem !== undefined) return problem;
  machine.receipt = new OpenReceipt(opening, machine.personality.itemTags);
  return undefined;
}

function itemOf(machine: Machine, values: RequestOf<"operation">) {
  const { quantity, price, department, method, subject, name } = values;
  const vat = vatOf(values.taxRate, ratesOf(machine));
  if (vat === undefined || quantity === 0 || department > MAX_DEPARTMENT || method > MAX_METHOD || subject > MAX_SUBJECT) {
    return ERROR.badParameters;
  }
  if (name.length + (values.padding ?? 0) > MAX_NAME_BYTES) return ERROR.wrongLength;
  const product = scaleKopecks(price, BigInt(quantity), BigInt(ONE_MILLIONTHS));
  const sumKopecks = values.sum === "not-given" ? product : values.sum;
  if (Math.abs(product - sumKopecks) > 1) return ERROR.badParameters;
  const vatKopecks = values.taxSum === "not-given" ? vatWithin(sumKopecks, vat) : values.taxSum;
  // 0 for method or subject is accepted, as older firmware did (shtrih-protocol 10.4, 14.3).
  return {
    name: storedText(name, MAX_NAME_BYTES),
    quantityMillionths: quantity,
    priceKopecks: price,
    sumKopecks,
    vat,
    vatKopecks,
    method: method || FULL_PAYMENT,
    subject: subject || GOODS,
  };
}

async function close(machine: Machine, values: RequestOf<"closeReceipt">, operator: number): Promise<number | AnswerOf<"closeReceipt">> {
  const { receipt } = machine;
  const { closing: text } = values;
  if (text !== undefined && text.moreVat === undefined && text.text.length + text.padding > MAX_CLOSING_TEXT) return ERROR.wrongLength;
  if (receipt === undefined) return ERROR.noReceipt;
  if (isForeign(receipt, operator)) return ERROR.otherOperator;
  if (receipt.itemCount === 0 || receipt.hasTagsWithoutItem) return ERROR.wrongDocument;
  const closing = closingOf(machine, receipt, values);
  if (typeof closing === "number") return closing;
  const closed = receipt.close(closing);
  if (closed === undefined) return ERROR.tagMissing;
  if (!closed.document.lines.every((line) => isAsPlanned(machine, line, closed.document.sign))) return ERROR.badParameters;
  // Without tag 1021 the cashier's name comes from table 2 (shtrih-protocol 3.2).
  const cashierName = closed.document.cashierName ?? nameOfOperator(machine, operator);
  const document = cashierName === undefined ? closed.document : { ...closed.document, cashierName };
  const made = await make(machine, document, closed.sent);
  if (made.kind === "error") return made.error;
  const { facts } = made;
  if (facts.kind !== "fiscal") return ERROR.wrongDocument;
  machine.printed = { mode: modeOf(machine), operations: receipt.itemCount };
  machine.receipt = undefined;
  await print(machine, receiptSlip(document, facts, text === undefined ? receipt.texts : [...receipt.texts, text.text]));
  return {
    change: facts.change?.changeKopecks ?? 0,
    documentNumber: facts.documentNumber,
    fiscalSign: Number(facts.fiscalSign),
    ...timeOf(machine, facts.time),
  };
}

/**
 * Whether a position matches the plan that FF61 gave for its code: sold or returned, in pieces or measured, and in which measure and
 * quantity. True also without a plan: the position has no code, or its code was first checked when it was bound.
 */
function isAsPlanned({ marks }: Machine, line: ReceiptLine, sign: SettlementSign): boolean {
  const planned = line.mark === undefined ? undefined : marks.plannedFor(line.mark);
  if (planned === undefined) return true;
  const status = plannedStatus(line, sign);
  return planned.some(
    (one) =>
      one.status === UNCHANGED ||
      (one.status === status &&
        (one.measure ?? line.unit.code) === line.unit.code &&
        (one.quantityMillionths ?? line.quantityMillionths) === line.quantityMillionths),
  );
}

/** Tag 2003: the state of the code does not change. */
const UNCHANGED = 255;

function closingOf(machine: Machine, receipt: OpenReceipt, values: RequestOf<"closeReceipt">): Closing | number {
  const taxSystem = taxSystemOf(machine, values.taxSystem);
  if (taxSystem === undefined) return ERROR.badParameters;
  const { rounding } = values;
  const sum = receipt.sumKopecks;
  // Rounding may drop only kopecks; the roubles stay (shtrih-protocol 5.7).
  if (Math.floor((sum - rounding) / 100) !== Math.floor(sum / 100)) return ERROR.badParameters;
  if (sum - rounding === 0 && machine.tables.number(FIELD.forbidZero) === 1) return ERROR.zeroTotal;
  const paid = (slot: number) => values.payments[slot - 1] ?? 0;
  const nonCashKopecks = values.payments.slice(1, 13).reduce((total, kopecks) => total + kopecks, 0);
  const tenders = {
    cashKopecks: paid(1),
    nonCashKopecks,
    prepaidKopecks: paid(14),
    creditKopecks: paid(15),
    otherKopecks: paid(16),
  };
  const closing = { taxSystem, roundingKopecks: rounding, tenders };
  return machine.tables.number(FIELD.taxMode) === ON_TOTAL ? { ...closing, vatTotals: vatTotalsOf(machine, values) } : closing;
}

/** T1F14: FF45 contains the taxes on the total. With any other value the taxes come from the items, and the taxes in FF45 are ignored. */
const ON_TOTAL = 1;

function vatTotalsOf(machine: Machine, { vat, closing }: RequestOf<"closeReceipt">): VatTotal[] {
  const sums = [...vat, ...(closing?.moreVat ?? [])];
  const codes = closingCodes(ratesOf(machine));
  const totals = codes.map((code, at) => ({ vat: code, sumKopecks: sums[at] ?? 0 }));
  return totals.filter(({ sumKopecks }) => sumKopecks > 0).sort((a, b) => VAT_CODES.indexOf(a.vat) - VAT_CODES.indexOf(b.vat));
}

export function ratesOf({ tables, personality }: Machine): { replaces20: boolean; nano: boolean } {
  return { replaces20: tables.number(FIELD.replaceVat20) === 1, nano: personality.name === "nano" };
}

/**
 * Returns the tax system of a bit. 0 means the register's only tax system (shtrih-protocol 5.7). Undefined: the bit is unknown,
 * or it is 0 and the register has several tax systems. The drive checks whether the system is registered.
 */
export function taxSystemOf(machine: Machine, bit: number): TaxSystem | undefined {
  const { taxSystems } = machine.device.look().memory.identity;
  if (bit === 0) return taxSystems.length === 1 ? taxSystems[0] : undefined;
  const all = Object.entries(TAX_SYSTEMS) as [TaxSystem, (typeof TAX_SYSTEMS)[TaxSystem]][];
  return all.find(([, { tag1055 }]) => tag1055 === bit)?.[0];
}

function isType(type: number): type is ReceiptType {
  return type <= 3;
}

function isSign(operation: number): operation is SettlementSign {
  return operation >= 1 && operation <= 4;
}
