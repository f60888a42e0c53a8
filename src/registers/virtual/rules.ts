import { type WallTime, wallAsUtcMs } from "../../kernel/moment.ts";
import { formatKopecks, MAX_KOPECKS, scaleKopecks } from "../../kernel/money.ts";
import { ONE_MILLIONTHS } from "../../kernel/quantity.ts";
import { isSumsOnly, mayCorrect } from "../../model/correction.ts";
import type { CashDocument, ReceiptLine, RegisterDocument, Tenders, TradeDocument } from "../../model/document.ts";
import { denialOf } from "../../model/marks/mark-check.ts";
import { identityOf, type MarkReader, type PlacedMark, repeatedMark } from "../../model/marks/marks.ts";
import { TAX_SYSTEMS } from "../../model/tax.ts";
import { isMeasured } from "../../model/units.ts";
import { tagsAround } from "../tags/settlement.ts";
import type { Tag } from "../tags/tags.ts";
import { encodedBytes, fits } from "../tags/tlv.ts";
import { countReceipt, drawerChangeKopecks, isExact, type ReceiptSums } from "./counters.ts";
import { checksMarks, MAX_CHECKED_MARKS, UNCHECKED } from "./mark-checks.ts";
import type { DeviceMemory } from "./memory.ts";
import { byDrive, byRegister, type DeviceRefusal } from "./refusals.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Longest shift (fiscal-receipts 6.2). */
const SHIFT_LIMIT_MS = DAY_MS;
/** Receipts are refused when the oldest unconfirmed document has this age (fiscal-receipts 6.3). */
const QUEUE_LIMIT_MS = 30 * DAY_MS;
/** The total may be below the sum of the positions by less than a rouble (fiscal-receipts 0.1, fact 4). */
const MAX_ROUNDING_KOPECKS = 99;
/** The longest reference of a document, in characters: it must also fit tag 1192 of registers without tag 1084. */
const MAX_REFERENCE_LENGTH = 16;

/** All values, besides the document and the memory, that affect a refusal or a warning. */
export interface Conditions {
  now: WallTime;
  paperPresent: boolean;
  /** Whole days until the keys expire. */
  keyDays: number;
  /** The used share of the drive's memory; 1 is full. */
  memoryUsed: number;
  /** Tag 1206, as bits. */
  operatorMessage: number;
  /** Returns tag 2106 of a mark. */
  checkMark(mark: string, read: MarkReader): number;
  /** Reads the marks of one document. */
  readMark: MarkReader;
  /** Whether the shift counts as too long. `expired`: the real answer. */
  shiftExpired(expired: boolean): boolean;
}

/**
 * Returns why the device must not make the document now. Undefined: no rule forbids it, but it may be too large when it is made. Uses only
 * the device's own state and clock.
 */
export function refusalOf(document: RegisterDocument, memory: DeviceMemory, conditions: Conditions): DeviceRefusal | undefined {
  if (!conditions.paperPresent) return byRegister("no-paper");
  if (!textsFit(document) || !basisFits(document, memory)) return byDrive(0x10);
  switch (document.kind) {
    case "open-shift":
      return memory.shift.open ? byRegister("shift-open") : driveRefusal(memory, conditions);
    case "close-shift":
      return memory.shift.open ? clockRefusal(memory, conditions) : byRegister("shift-closed");
    case "receipt":
    case "correction":
      return receiptRefusal(document, memory, conditions);
    case "state-report":
      // This report is also allowed while the shift is closed or too long.
      return driveRefusal(memory, conditions);
    case "x-report":
      return undefined;
    case "cash-in":
    case "cash-out":
      return cashRefusal(document, memory, conditions);
  }
}

/** Whether the shift is too long: 24 hours since its opening report on the device's clock, unless a fault overrides it. */
export function isShiftExpired(openedAt: WallTime, { now, shiftExpired }: Pick<Conditions, "now" | "shiftExpired">): boolean {
  return shiftExpired(wallAsUtcMs(now) - wallAsUtcMs(openedAt) >= SHIFT_LIMIT_MS);
}

/** Returns a receipt's sums. The change is the buyer's money above the total. Cash excludes the change. */
export function settledSums(receipt: TradeDocument): ReceiptSums & { changeKopecks: number } {
  const changeKopecks = tenderedKopecks(receipt.tenders) - receipt.totalKopecks;
  return {
    ...(receipt.kind === "correction" ? { correction: true } : {}),
    sign: receipt.sign,
    totalKopecks: receipt.totalKopecks,
    tenders: { ...receipt.tenders, cashKopecks: receipt.tenders.cashKopecks - changeKopecks },
    vatTotals: receipt.vatTotals,
    changeKopecks,
  };
}

function receiptRefusal(receipt: TradeDocument, memory: DeviceMemory, conditions: Conditions): DeviceRefusal | undefined {
  if (!memory.shift.open) return byRegister("shift-closed");
  if (isShiftExpired(memory.shift.openedAt, conditions)) return byDrive(0x16);
  return (
    driveRefusal(memory, conditions) ??
    queueRefusal(memory, conditions) ??
    contentRefusal(receipt, memory, conditions) ??
    sumsRefusal(receipt, memory)
  );
}

function cashRefusal(document: CashDocument, memory: DeviceMemory, conditions: Conditions): DeviceRefusal | undefined {
  if (!memory.shift.open) return byRegister("shift-closed");
  if (isShiftExpired(memory.shift.openedAt, conditions)) return byRegister("shift-too-long");
  if (!isSum(document.sumKopecks) || document.sumKopecks === 0) return byRegister("bad-value");
  const change = document.kind === "cash-in" ? document.sumKopecks : -document.sumKopecks;
  return drawerRefusal(memory, change);
}

/** Returns a refusal because of the drive's keys, memory or clock. Ignores the age of the shift. */
function driveRefusal(memory: DeviceMemory, conditions: Conditions): DeviceRefusal | undefined {
  if (conditions.keyDays <= 0) return byDrive(0x05);
  if (conditions.memoryUsed >= 1) return byDrive(0x06);
  return clockRefusal(memory, conditions);
}

function clockRefusal(memory: DeviceMemory, { now }: Conditions): DeviceRefusal | undefined {
  return now < memory.lastTime ? byDrive(0x07) : undefined;
}

function queueRefusal({ unsent }: DeviceMemory, { now }: Conditions): DeviceRefusal | undefined {
  if (unsent.since === undefined) return undefined;
  return wallAsUtcMs(now) - wallAsUtcMs(unsent.since) >= QUEUE_LIMIT_MS ? byDrive(0x15) : undefined;
}

function contentRefusal(receipt: TradeDocument, memory: DeviceMemory, conditions: Conditions): DeviceRefusal | undefined {
  if (!memory.identity.taxSystems.includes(receipt.taxSystem)) {
    return { ...byDrive(0x09), details: { taxSystem: TAX_SYSTEMS[receipt.taxSystem].label } };
  }
  const { ffd } = memory.identity;
  if (receipt.kind === "correction" && !mayCorrect(receipt.sign, ffd)) return byRegister("correction-of-return");
  if (receipt.lines.length === 0 && !isSumsOnly(receipt, ffd)) return byRegister("bad-value");
  for (const line of receipt.lines) {
    if (!isLine(line)) return byRegister("bad-value", { name: line.name });
    if (Math.abs(productKopecks(line) - line.sumKopecks) > 1) return byRegister("line-sum", { name: line.name });
  }
  return markRefusal(receipt, memory, conditions);
}

/**
 * Returns the refusal of a mark (fiscal-receipts 4.7). The mark of a sold piece cannot be sold again before its return. A sale also needs
 * a check result that the point of sale accepts. Two equal marks are refused, except for goods sold by measure, whose mark stays in
 * circulation. A mark in a purchase is refused, and so is a text that is no mark, or the mark of a piece with another quantity than one. In
 * format 1.2 a receipt has at most `MAX_CHECKED_MARKS` marks.
 */
function markRefusal(
  receipt: TradeDocument,
  { soldMarks, identity: { ffd } }: DeviceMemory,
  conditions: Conditions,
): DeviceRefusal | undefined {
  const isSale = receipt.kind === "receipt" && receipt.sign === 1;
  const here: PlacedMark[] = [];
  for (const line of receipt.lines) {
    const { name, mark } = line;
    if (mark === undefined) continue;
    if (receipt.sign > 2) return byRegister("marks-in-purchase", { name });
    // Tag 1300 accepts a mark that cannot be read, but not a text that is no mark at all.
    const taken = conditions.readMark(mark);
    if (taken.kind === "none") return byRegister("mark-unreadable", { name, problem: taken.problem });
    if (!isMeasured(line) && line.quantityMillionths !== ONE_MILLIONTHS) return byRegister("mark-measure", { name });
    const identity = identityOf(taken.code);
    here.push({ identity, parameter: name, measured: isMeasured(line) });
    if (isSale && soldMarks.has(identity)) return byRegister("mark-sold", { name, reason: "этот код маркировки уже продан" });
    const reason = isSale
      ? denialOf(receipt.markPolicy, checksMarks(ffd) ? conditions.checkMark(mark, conditions.readMark) : UNCHECKED)
      : undefined;
    if (reason !== undefined) return byRegister("mark-wrong", { name, reason });
  }
  const repeated = repeatedMark(here);
  if (repeated !== undefined) return byRegister("mark-repeated", { name: repeated.parameter });
  return checksMarks(ffd) && here.length > MAX_CHECKED_MARKS ? byDrive(163) : undefined;
}

function sumsRefusal(receipt: TradeDocument, memory: DeviceMemory): DeviceRefusal | undefined {
  const { tenders, totalKopecks, roundingKopecks } = receipt;
  const sums = [totalKopecks, roundingKopecks, ...Object.values(tenders), ...receipt.vatTotals.map((total) => total.sumKopecks)];
  if (!sums.every(isSum)) return byRegister("bad-value");
  const linesKopecks =
    receipt.lines.length === 0 ? totalKopecks + roundingKopecks : receipt.lines.reduce((sum, line) => sum + line.sumKopecks, 0);
  if (roundingKopecks > MAX_ROUNDING_KOPECKS || linesKopecks - roundingKopecks !== totalKopecks) return byRegister("wrong-rounding");
  const tendered = tenderedKopecks(tenders);
  const values = { total: formatKopecks(totalKopecks), paid: formatKopecks(tendered) };
  if (tendered < totalKopecks) return byRegister("payments-below-total", values);
  if (tendered - tenders.cashKopecks > totalKopecks) return byRegister("cashless-above-total", values);
  const settled = settledSums(receipt);
  if (!isExact(countReceipt(memory.driveTotals, settled))) return byRegister("counters-full");
  return drawerRefusal(memory, drawerChangeKopecks(settled));
}

function drawerRefusal({ drawerKopecks }: DeviceMemory, changeKopecks: number): DeviceRefusal | undefined {
  const after = drawerKopecks + changeKopecks;
  if (after < 0) return byRegister("cash-short", { drawer: formatKopecks(drawerKopecks), required: formatKopecks(-changeKopecks) });
  return after > MAX_KOPECKS ? byRegister("counters-full") : undefined;
}

function isLine(line: ReceiptLine): boolean {
  const { quantityMillionths, unit, method, subject } = line;
  const codes = [unit.code, method, subject];
  if (!codes.every((code) => Number.isInteger(code) && code >= 0 && code <= 255)) return false;
  return (
    [line.priceKopecks, line.sumKopecks, line.vatKopecks].every(isSum) && Number.isSafeInteger(quantityMillionths) && quantityMillionths > 0
  );
}

function isSum(kopecks: number): boolean {
  return Number.isSafeInteger(kopecks) && kopecks >= 0 && kopecks <= MAX_KOPECKS;
}

function productKopecks(line: ReceiptLine): number {
  return scaleKopecks(line.priceKopecks, BigInt(line.quantityMillionths), BigInt(ONE_MILLIONTHS));
}

function tenderedKopecks(tenders: Tenders): number {
  return Object.values(tenders).reduce((sum: number, kopecks: number) => sum + kopecks, 0);
}

/**
 * Whether every text fits its requisite in the drive's code page. The sizes of the positions and of the document are checked later, when
 * the document is made.
 */
function textsFit(document: RegisterDocument): boolean {
  const texts: [Tag, string | undefined][] = [
    [1021, document.cashierName],
    [1009, document.address],
    [1187, document.place],
  ];
  if (document.kind === "receipt" || document.kind === "correction") {
    texts.push([1008, document.buyerContact], [1117, document.senderEmail], [1192, document.originalSign]);
    for (const line of document.lines) texts.push([1030, line.name]);
    if (document.kind === "correction" && document.basis.kind === "order") texts.push([1179, document.basis.orderNumber]);
  }
  return document.reference.length <= MAX_REFERENCE_LENGTH && texts.every(([tag, text]) => text === undefined || fits(tag, text));
}

/** Whether the basis of a correction fits into tag 1174: the order number, and in format 1.05 also the description. */
function basisFits(document: RegisterDocument, { identity }: DeviceMemory): boolean {
  return document.kind !== "correction" || encodedBytes(tagsAround(document, identity.ffd).kind) !== undefined;
}
