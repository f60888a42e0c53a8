import { parseDecimal } from "../kernel/decimal.ts";
import { formatKopecks, MAX_KOPECKS, scaleKopecks } from "../kernel/money.ts";
import { MAX_QUANTITY_MILLIONTHS, ONE_MILLIONTHS } from "../kernel/quantity.ts";
import { normaliseEmail, normalisePhone } from "./contact.ts";
import { textProblem } from "./correction-limits.ts";
import type { IndustryRequisite, ReceiptLine, TradeDocument } from "./document.ts";
import { MAX_RECEIPT_LINES } from "./draft/draft.ts";
import { codeTaken, identityOf, repeatedMark } from "./marks/marks.ts";
import type { TaxSystem, VatCode } from "./tax.ts";
import { isMeasured } from "./units.ts";
import { unreadRefusal } from "./unread-marks.ts";

/** Describes the first wrong field of a document from a person. Undefined: no field is wrong. Nothing is corrected silently. */
export function settlementProblem(document: TradeDocument): string | undefined {
  const { lines, buyerContact, senderEmail, sign } = document;
  if (lines.length === 0) return "lines: a receipt has at least one";
  if (lines.length > MAX_RECEIPT_LINES) return `lines: ${lines.length}, of which ${MAX_RECEIPT_LINES} fit into a receipt`;
  for (const [at, line] of lines.entries()) {
    const problem = amountsProblem(line) ?? wordsProblem(line) ?? markProblem(line, sign);
    if (problem !== undefined) return `lines.${at}.${problem}`;
  }
  const contact = buyerContact === undefined ? undefined : (normalisePhone(buyerContact) ?? normaliseEmail(buyerContact));
  if (contact !== buyerContact) return "buyerContact: expected +70000000000 or an e-mail address";
  if (senderEmail !== undefined && normaliseEmail(senderEmail) !== senderEmail) return "senderEmail: expected an e-mail address";
  return repeatedProblem(lines) ?? totalsProblem(document);
}

/** The first line whose rate did not exist on the settlement's day, or does not fit the seller. */
export type RateProblem = { line: number; vat: VatCode } & WrongRate;

type WrongRate =
  /** Sellers under `taxSystem` have no VAT. */
  | { code: "not-under"; taxSystem: TaxSystem }
  /** Only sellers under a simplified system have the rate, and `taxSystem` is another system. */
  | { code: "simplified-alone"; taxSystem: TaxSystem }
  /** `year`: the last year of the rate. */
  | { code: "ended"; year: number; settledOn: string }
  /** `year`: the first year of the rate. */
  | { code: "not-begun"; year: number; settledOn: string };

/**
 * Finds the first rate that was invalid on the settlement's day or does not fit the seller. Corrections keep the rates of that day
 * (fiscal-receipts 1.7, 4.2).
 */
export function ratesProblem({ lines, taxSystem, sign }: TradeDocument, settledOn: string): RateProblem | undefined {
  for (const [line, { vat }] of lines.entries()) {
    const problem = wrongRate(vat, { taxSystem, isReturn: sign === 2 || sign === 4 }, settledOn);
    if (problem !== undefined) return { line, vat, ...problem };
  }
  return undefined;
}

/** From this day sales have 22 % instead of 20 %. Returns may still have 20 % (fiscal-receipts 4.2). */
const FIRST_DAY_OF_22 = "2026-01-01";
/** From this day sellers under a simplified system pay VAT, possibly at 5 or 7 % (Federal Law 176-ФЗ of 12 July 2024). */
const FIRST_DAY_OF_5_AND_7 = "2025-01-01";
const WITHOUT_VAT: VatCode = 6;

function wrongRate(
  vat: VatCode,
  { taxSystem, isReturn }: { taxSystem: TaxSystem; isReturn: boolean },
  settledOn: string,
): WrongRate | undefined {
  if (taxSystem === "patent" && vat !== WITHOUT_VAT) return { code: "not-under", taxSystem };
  switch (vat) {
    case 1:
    case 3:
      return !isReturn && settledOn >= FIRST_DAY_OF_22 ? { code: "ended", year: 2025, settledOn } : undefined;
    case 7:
    case 8:
    case 9:
    case 10:
      if (taxSystem !== "usn-income" && taxSystem !== "usn-income-expense") return { code: "simplified-alone", taxSystem };
      return settledOn < FIRST_DAY_OF_5_AND_7 ? { code: "not-begun", year: 2025, settledOn } : undefined;
    case 11:
    case 12:
      return settledOn < FIRST_DAY_OF_22 ? { code: "not-begun", year: 2026, settledOn } : undefined;
    default:
      return undefined;
  }
}

function amountsProblem({ priceKopecks, quantityMillionths, sumKopecks, discount }: ReceiptLine): string | undefined {
  if (!isAmount(priceKopecks)) return `priceKopecks: expected 0 to ${MAX_KOPECKS}`;
  if (quantityMillionths <= 0 || quantityMillionths > MAX_QUANTITY_MILLIONTHS) {
    return `quantityMillionths: expected 1 to ${MAX_QUANTITY_MILLIONTHS}`;
  }
  const product = productOf(priceKopecks, quantityMillionths);
  if (!isAmount(sumKopecks) || Math.abs(product - sumKopecks) > 1) {
    return `sumKopecks: price × quantity is ${formatKopecks(product)}, not ${formatKopecks(sumKopecks)}`;
  }
  if (discount === undefined) return undefined;
  const { fullPriceKopecks, percent, differenceKopecks } = discount;
  if (!isAmount(fullPriceKopecks)) return `discount.fullPriceKopecks: expected 0 to ${MAX_KOPECKS}`;
  if (percent.length > MAX_PERCENT_LENGTH || parseDecimal(percent) === undefined) return "discount.percent: expected a decimal number";
  const difference = productOf(fullPriceKopecks, quantityMillionths) - sumKopecks;
  if (difference === differenceKopecks) return undefined;
  return `discount.differenceKopecks: it comes to ${formatKopecks(difference)}; put it right or leave the discount out`;
}

/** Checks tags 1030, 1197, 1262 to 1265, 1212, 1214 and 2108, and the pack. */
function wordsProblem({ name, unit, pack, permit, subject, method }: ReceiptLine): string | undefined {
  const texts: [field: string, text: string, maxLength: number][] = [
    ["name", name, 128],
    ["unit.label", unit.label, 16],
    ...(pack === undefined ? [] : [["pack.name", pack.name, 64] satisfies [string, string, number]]),
    ...(permit === undefined ? [] : permitTexts(permit)),
  ];
  for (const [field, text, maxLength] of texts) {
    const problem = textProblem(text, maxLength);
    if (problem !== undefined) return `${field}: ${problem}`;
  }
  if (pack !== undefined && (pack.quantityMillionths <= 0 || pack.quantityMillionths > MAX_QUANTITY_MILLIONTHS)) {
    return `pack.quantityMillionths: expected 1 to ${MAX_QUANTITY_MILLIONTHS}`;
  }
  if (!SUBJECTS.some(([least, most]) => subject >= least && subject <= most))
    return "subject: expected a code of tag 1212, 1 to 27 or 30 to 33";
  if (method < 1 || method > MAX_METHOD) return `method: expected a code of tag 1214, 1 to ${MAX_METHOD}`;
  return unit.code > MAX_UNIT_CODE ? `unit.code: expected a code of tag 2108, 0 to ${MAX_UNIT_CODE}` : undefined;
}

function permitTexts({ authority, ruleDate, ruleNumber, value }: IndustryRequisite): [string, string, number][] {
  return [
    ["permit.authority", authority, 3],
    ["permit.ruleDate", ruleDate, 10],
    ["permit.ruleNumber", ruleNumber, 32],
    ["permit.value", value, 256],
  ];
}

/** A mark belongs to one piece, or to the whole quantity of goods sold by measure (fiscal-receipts 4.6, 4.7). */
function markProblem(line: ReceiptLine, sign: TradeDocument["sign"]): string | undefined {
  const { mark, unreadMark, quantityMillionths } = line;
  if (mark === undefined) return unreadMark === undefined ? undefined : "unreadMark: there is no mark";
  if (sign > 2) return "mark: a purchase has no marking codes";
  // An unreadable mark with `unreadMark` is allowed: a correction has the mark of the registered document.
  const unread = unreadRefusal({ lines: [line] });
  if (unread !== undefined) return `mark: no marking code (${unread.details?.problem})`;
  return quantityMillionths === ONE_MILLIONTHS || isMeasured(line)
    ? undefined
    : "mark: a line with a marking code is one piece, quantityMillionths 1000000, unless its unit.code is a measure's";
}

function repeatedProblem(lines: readonly ReceiptLine[]): string | undefined {
  const marks = lines.flatMap((line, at) => {
    const { mark } = line;
    return mark === undefined ? [] : [{ identity: identityOf(codeTaken(mark)), parameter: `lines.${at}.mark`, measured: isMeasured(line) }];
  });
  const repeated = repeatedMark(marks);
  return repeated === undefined ? undefined : `${repeated.parameter}: the same code stands in a line above`;
}

function totalsProblem({ lines, totalKopecks, roundingKopecks, tenders }: TradeDocument): string | undefined {
  const linesKopecks = lines.reduce((sum, line) => sum + line.sumKopecks, 0);
  if (roundingKopecks < 0 || roundingKopecks > MAX_ROUNDING_KOPECKS) return `roundingKopecks: expected 0 to ${MAX_ROUNDING_KOPECKS}`;
  if (linesKopecks - roundingKopecks !== totalKopecks) {
    return `totalKopecks: the lines come to ${formatKopecks(linesKopecks)}, less ${formatKopecks(roundingKopecks)} of rounding, not to ${formatKopecks(totalKopecks)}`;
  }
  if (!isAmount(totalKopecks)) return `totalKopecks: expected at most ${formatKopecks(MAX_KOPECKS)}`;
  if (totalKopecks === 0) return "totalKopecks: nothing was settled, so there is nothing to register";
  const paid = Object.values(tenders).reduce((sum: number, kopecks: number) => sum + kopecks, 0);
  if (Object.values(tenders).some((kopecks: number) => kopecks < 0) || paid !== totalKopecks) {
    return `tenders: they come to ${formatKopecks(paid)}, not to the total of ${formatKopecks(totalKopecks)}`;
  }
  return undefined;
}

function productOf(priceKopecks: number, quantityMillionths: number): number {
  return scaleKopecks(priceKopecks, BigInt(quantityMillionths), BigInt(ONE_MILLIONTHS));
}

function isAmount(kopecks: number): boolean {
  return kopecks >= 0 && kopecks <= MAX_KOPECKS;
}

/** The total may be below the positions by less than a rouble (fiscal-receipts 0.1, fact 4). */
const MAX_ROUNDING_KOPECKS = 99;
/** Room for `-12.345678901234`. More decimals have no meaning. */
const MAX_PERCENT_LENGTH = 16;
/** Codes of tag 1212 (fiscal-receipts 4.5). */
const SUBJECTS = [
  [1, 27],
  [30, 33],
] as const;
const MAX_METHOD = 7;
const MAX_UNIT_CODE = 255;
