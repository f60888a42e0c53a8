import { type Decimal, parseDecimal } from "../../kernel/decimal.ts";
import { Failure } from "../../kernel/failure.ts";
import { formatKopecks, MAX_KOPECKS } from "../../kernel/money.ts";
import { present } from "../../kernel/present.ts";
import { ONE_MILLIONTHS } from "../../kernel/quantity.ts";
import { cashierNameOf } from "../cashier.ts";
import { chooseContact } from "../contact.ts";
import type { ReceiptDocument, ReceiptLine, RegisterDocument } from "../document.ts";
import type { KnownGoods } from "../known.ts";
import { sellsUnread } from "../marks/mark-check.ts";
import { type MarkReader, markReader, type PlacedMark, repeatedMark, unreadProblem } from "../marks/marks.ts";
import type { Operation, SoldPosition, TradeOperation } from "../operation.ts";
import type { Refusal } from "../refusal.ts";
import type { StoreProfile } from "../store-profile.ts";
import { type ItemKind, subjectOf } from "../subjects.ts";
import type { TaxSystem, VatCode } from "../tax.ts";
import { printable } from "../texts/printable.ts";
import { type Counting, countingOf, PIECES, unitOf } from "../units.ts";
import { chooseVat, grossPrice, vatTotalsOf, vatWithin } from "../vat.ts";
import { balance, totalOf } from "./balance.ts";
import { excessOf, type LineSums, type PricedLine, positionSum, priceLines } from "./lines.ts";
import { tendersOf } from "./payments.ts";
import { type PositionMarks, readMarks } from "./position-marks.ts";

export type Draft = { kind: "document"; document: RegisterDocument; warnings: DraftWarning[] } | Refused;

/** A warning for people about a document. It never contains a buyer's contact or a mark. */
type DraftWarning =
  | { code: "contact-dropped"; parameter: "phone" | "email" }
  | { code: "vat-forced-none"; parameter: string }
  /** Unreadable marks are sent as unrecognised (fiscal-receipts 4.7). */
  | { code: "mark-unrecognised"; parameter: string }
  /** The quantity has more than the three decimals that scales and registers use. */
  | { code: "quantity-fine"; parameter: string }
  | { code: "kopecks-moved"; kopecks: number }
  | { code: "total-rounded"; kopecks: number }
  /** Marked goods are sold without a permit, tag 1260. */
  | { code: "permit-absent" }
  /** Goods that need marks have too few. */
  | { code: "mark-absent"; parameter: string }
  /** At the platform the goods of one receipt have different taxation systems, so the goods do not decide the system. */
  | { code: "tax-systems-mixed" }
  /** The positions' VAT does not fit the platform's taxation system, so the settings' system is used. */
  | { code: "tax-system-unfit"; platform: TaxSystem };

type Refused = { kind: "refused"; refusal: Refusal };

interface DraftExtra {
  /** Reads the document's marks. Absent: drafting makes its own reader. */
  readMark?: MarkReader;
  /** This server's id of the document, at most 16 characters. */
  reference: string;
  lineSums: LineSums;
  originalSign?: string;
}

/** The largest number of lines. A document with more lines would not fit into the 32 KiB that a drive allows (fiscal-receipts 1.1). */
export const MAX_RECEIPT_LINES = 1_000;

/** Computes the document that a register is asked to make. Pure. A refusal names the wrong field of the request. */
export function draftDocument(operation: Operation, profile: StoreProfile, extra: DraftExtra): Draft {
  const head = headOf(operation, profile, extra);
  switch (operation.kind) {
    case "open-shift":
    case "close-shift":
    case "x-report":
    case "state-report":
      return { kind: "document", document: { kind: operation.kind, ...head }, warnings: [] };
    case "cash-in":
    case "cash-out":
      return { kind: "document", document: { kind: operation.kind, ...head, sumKopecks: operation.sumKopecks }, warnings: [] };
    case "correction":
      return { kind: "document", document: { kind: "correction", ...head, ...operation.settlement }, warnings: [] };
    case "sale":
    case "sales-return":
      return draftReceipt(operation, profile, extra, head);
  }
}

function headOf(operation: Operation, profile: StoreProfile, { reference }: DraftExtra) {
  const cashierName = cashierNameOf(operation.cashier) ?? cashierNameOf(operation.known?.cashier);
  return {
    reference,
    ...present({ cashierName }),
    ...(profile.address === undefined ? {} : { address: printable(profile.address, MAX_PLACE_LENGTH) }),
    ...(profile.place === undefined ? {} : { place: printable(profile.place, MAX_PLACE_LENGTH) }),
  };
}

function draftReceipt(trade: TradeOperation, settings: StoreProfile, extra: DraftExtra, head: ReturnType<typeof headOf>): Draft {
  const how = { lineSums: extra.lineSums, readMark: extra.readMark ?? markReader() };
  const read = readTaxed(trade, settings, how);
  if (read.kind === "refused") return read;
  const profile = { ...settings, taxSystem: read.taxSystem };
  const paid = tendersOf(trade.kind, trade.payments);
  if (paid.kind === "mixed") return refuse({ code: "payments-mixed", parameter: "payments", details: { rule: paid.rule } });
  const balanced = balance(read.lines, paid.totalKopecks, extra.lineSums, read.excessKopecks);
  if (balanced.kind === "differs") {
    const details = { paid: formatKopecks(paid.totalKopecks), due: formatKopecks(totalOf(read.lines) - read.excessKopecks) };
    return refuse({ code: "payments-differ", parameter: "payments", details });
  }
  if (paid.totalKopecks > MAX_KOPECKS) return refuse(outOfRange("payments"));

  const lines = balanced.lines.map((line) => receiptLineOf(line, profile.itemKind ?? "goods", how.readMark));
  const chosen = chooseContact(trade, profile.buyerContact);
  const document: ReceiptDocument = {
    kind: "receipt",
    ...head,
    sign: trade.kind === "sale" ? 1 : 2,
    taxSystem: profile.taxSystem,
    lines,
    totalKopecks: paid.totalKopecks,
    roundingKopecks: balanced.roundingKopecks,
    tenders: paid.tenders,
    vatTotals: vatTotalsOf(lines),
    ...present({ buyerContact: chosen.contact }),
    ...(chosen.contact === undefined || profile.senderEmail === undefined ? {} : { senderEmail: profile.senderEmail }),
    ...(trade.kind === "sale" || extra.originalSign === undefined ? {} : { originalSign: extra.originalSign }),
    ...(profile.markPolicy === undefined || !hasMarks(lines) ? {} : { markPolicy: profile.markPolicy }),
  };
  const warnings: DraftWarning[] = [
    ...read.warnings,
    ...chosen.dropped.map((parameter) => ({ code: "contact-dropped", parameter }) as const),
    ...(balanced.movedKopecks === 0 ? [] : [{ code: "kopecks-moved", kopecks: balanced.movedKopecks } as const]),
    ...(balanced.roundingKopecks === 0 ? [] : [{ code: "total-rounded", kopecks: balanced.roundingKopecks } as const]),
    ...(trade.kind === "sale" && hasMarks(lines) ? [{ code: "permit-absent" } as const] : []),
    ...read.taxWarnings,
  ];
  return { kind: "document", document, warnings };
}

/**
 * Chooses the taxation system (tag 1055) and reads the positions under it. The first known system counts: the system that somebody set on
 * this server, the one system that the goods have at the platform, the point of sale's system at the platform, this server's default. If
 * the positions' VAT does not fit the platform's system, this server's default is tried. So a sale never fails only because of the
 * platform's system.
 */
function readTaxed(trade: TradeOperation, settings: StoreProfile, how: HowToRead): ReadTaxed | Refused {
  const { platform, warnings } = taxSystemAtPlatform(trade);
  const taxSystem = settings.taxSystemIsSet === true ? settings.taxSystem : (platform ?? settings.taxSystem);
  const read = readPositions(trade, { ...settings, taxSystem }, how);
  if (read.kind === "read") return { ...read, taxSystem, taxWarnings: warnings };
  if (taxSystem === settings.taxSystem || !isOfVat(read.refusal)) return read;
  // When neither system fits the rates, the refusal is the one under this server's setting, because people can change the setting here.
  const bySettings = readPositions(trade, settings, how);
  if (bySettings.kind === "refused") return bySettings;
  return { ...bySettings, taxSystem: settings.taxSystem, taxWarnings: [...warnings, { code: "tax-system-unfit", platform: taxSystem }] };
}

function taxSystemAtPlatform({ known }: TradeOperation): { platform: TaxSystem | undefined; warnings: DraftWarning[] } {
  const ofGoods = new Set(known?.goods.map((goods) => goods?.taxSystem ?? known.taxSystem).filter((system) => system !== undefined));
  if (ofGoods.size > 1) return { platform: known?.taxSystem, warnings: [{ code: "tax-systems-mixed" }] };
  return { platform: [...ofGoods][0] ?? known?.taxSystem, warnings: [] };
}

/** Whether the refusal is about a VAT rate: unknown, not allowed, or unfit for the seller. */
function isOfVat({ code }: Refusal): boolean {
  return code === "vat-rate" || code === "vat-seller";
}

function hasMarks(lines: readonly ReceiptLine[]): boolean {
  return lines.some((line) => line.mark !== undefined);
}

/** What stays the same for all positions of a document. */
interface HowToRead {
  lineSums: LineSums;
  readMark: MarkReader;
}

interface SoldLine extends PricedLine {
  position: ReadPosition;
}

interface ReadPosition {
  sold: SoldPosition;
  known: KnownGoods | undefined;
  vat: VatCode;
  /** Before discount, with VAT. */
  fullPriceKopecks: number;
  discount: Decimal;
  counting: Counting;
}

interface ReadPositions {
  kind: "read";
  lines: SoldLine[];
  excessKopecks: number;
  warnings: DraftWarning[];
}

interface ReadTaxed extends ReadPositions {
  taxSystem: TaxSystem;
  taxWarnings: DraftWarning[];
}

function readPositions(trade: TradeOperation, profile: StoreProfile, how: HowToRead): ReadPositions | Refused {
  const lines: SoldLine[] = [];
  const warnings: DraftWarning[] = [];
  const marks: PlacedMark[] = [];
  let excessKopecks = 0;
  for (const [index, sold] of trade.positions.entries()) {
    const path = `positions[${index}]`;
    const known = trade.known?.goods[index] ?? undefined;
    const read = readPosition(trade, sold, known, { profile, ...how }, path);
    if (read.kind === "refused") return read;
    lines.push(...read.lines);
    if (lines.length > MAX_RECEIPT_LINES) return refuse(tooManyLines());
    marks.push(...read.marks);
    excessKopecks += read.excessKopecks;
    if (known?.marked === true && isShortOfMarks(sold, read.counting)) warnings.push({ code: "mark-absent", parameter: `${path}.marks` });
    if (read.unread) warnings.push({ code: "mark-unrecognised", parameter: `${path}.marks` });
    if (read.forced) warnings.push({ code: "vat-forced-none", parameter: `${path}.vat` });
    if (sold.quantityMillionths % SCALE_STEP_MILLIONTHS !== 0) warnings.push({ code: "quantity-fine", parameter: `${path}.quantity` });
  }
  const repeated = repeatedMark(marks);
  if (repeated !== undefined) return refuse({ code: "mark-repeated", ...repeated });
  return { kind: "read", lines, excessKopecks, warnings };
}

function isShortOfMarks({ marks, quantityMillionths }: SoldPosition, counting: Counting): boolean {
  return counting === "measure" ? marks.length === 0 : marks.length * ONE_MILLIONTHS < quantityMillionths;
}

type Position = Extract<PositionMarks, { kind: "read" }> & {
  lines: SoldLine[];
  excessKopecks: number;
  counting: Counting;
  forced: boolean;
};

function readPosition(
  trade: TradeOperation,
  sold: SoldPosition,
  known: KnownGoods | undefined,
  { profile, lineSums, readMark }: HowToRead & { profile: StoreProfile },
  path: string,
): Position | Refused {
  const counting = countingOf(sold.unit ?? known?.unit, sold.quantityMillionths);
  // A return takes unread marks too, so that the buyer gets the money back.
  const takesUnread = trade.kind === "sales-return" || sellsUnread(profile.markPolicy);
  const read = readMarks(sold, { counting, takesUnread, readMark }, path);
  if (read.kind === "refused") return read;
  const vat = chooseVat(trade, sold, profile, `${path}.vat`);
  if (vat.kind === "refused") return vat;
  const discount = percentageOf(sold.discountPercent);
  if (discount.units > 100n * 10n ** BigInt(discount.decimals)) return refuse(outOfRange(`${path}.discount`));
  const fullPriceKopecks = trade.vatIncluded ? sold.priceKopecks : grossPrice(sold.priceKopecks, vat.code);
  const position = { sold, known, vat: vat.code, fullPriceKopecks, discount, counting };
  const { quantityMillionths, marks } = sold;
  const pricing = { priceKopecks: fullPriceKopecks, quantityMillionths, discount, marks, counting };
  const lines = priceLines(pricing, lineSums);
  if (lines === undefined) return refuse(outOfRange(`${path}.price`));
  const excessKopecks = excessOf(lines, pricing);
  return { ...read, lines: lines.map((line) => ({ ...line, position })), excessKopecks, counting, forced: vat.forced };
}

function receiptLineOf({ position, ...line }: SoldLine, itemKind: ItemKind, readMark: MarkReader): ReceiptLine {
  const { sold, known, vat, fullPriceKopecks, discount, counting } = position;
  const unreadMark = line.mark === undefined ? undefined : unreadProblem(line.mark, readMark);
  const mark = line.mark !== undefined ? "present" : known?.marked === true ? "required" : "none";
  const fullSum = Number(positionSum({ ...line, priceKopecks: fullPriceKopecks, discount: NO_DISCOUNT }));
  return {
    ...line,
    name: lineName(sold.assortment.name),
    // Marked goods that are not sold by measure are pieces, whatever unit the platform names (fiscal-receipts 4.6).
    unit: line.mark === undefined || counting === "measure" ? unitOf(sold.unit ?? known?.unit) : { ...PIECES },
    ...present({ unreadMark }),
    vat,
    vatKopecks: vatWithin(line.sumKopecks, vat),
    subject: subjectOf({ assortmentType: sold.assortment.type, kind: known?.kind, mark }, itemKind),
    method: FULL_SETTLEMENT,
    ...(sold.pack === undefined ? {} : { pack: packOf(sold.pack) }),
    ...(discount.units === 0n
      ? {}
      : { discount: { fullPriceKopecks, percent: sold.discountPercent, differenceKopecks: fullSum - line.sumKopecks } }),
  };
}

/** Returns tag 1030 for goods of this name. */
export function lineName(name: string): string {
  // A name of only invisible characters leaves nothing, but a position needs a name.
  return printable(name, MAX_NAME_LENGTH) || "?";
}

/** Returns the printed name of a pack. */
export function packName(name: string): string {
  return printable(name, MAX_PACK_LENGTH);
}

/** The pack is information for people: quantity and price are never multiplied by it (fiscal-receipts 8). */
function packOf({ name, quantityMillionths }: NonNullable<SoldPosition["pack"]>): { name: string; quantityMillionths: number } {
  return { name: packName(name), quantityMillionths };
}

function percentageOf(text: string): Decimal {
  const percentage = parseDecimal(text);
  if (percentage === undefined) throw new Failure("operation-malformed", "fault", "a discount of an operation is no decimal number");
  return percentage;
}

function outOfRange(parameter: string): Refusal {
  return { code: "field-invalid", parameter, details: { problem: "range" } };
}

function tooManyLines(): Refusal {
  return { code: "field-invalid", parameter: "positions", details: { problem: "too-many", limit: String(MAX_RECEIPT_LINES) } };
}

function refuse(refusal: Refusal): Refused {
  return { kind: "refused", refusal };
}

/** Tag 1214: goods paid for and handed over at the counter. */
const FULL_SETTLEMENT = 4;
const NO_DISCOUNT: Decimal = { units: 0n, decimals: 0 };
/** One thousandth of a unit: scales and registers use three decimals (fiscal-receipts 5, rule 1). */
const SCALE_STEP_MILLIONTHS = 1_000;
/** The largest number of characters of tag 1030. */
const MAX_NAME_LENGTH = 128;
const MAX_PACK_LENGTH = 64;
/** The largest number of characters of tags 1009 and 1187. */
const MAX_PLACE_LENGTH = 256;
