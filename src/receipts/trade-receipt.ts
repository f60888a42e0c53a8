import { formatKopecks } from "../kernel/money.ts";
import { formatQuantity } from "../kernel/quantity.ts";
import { senderOf } from "../model/contact.ts";
import { isSumsOnly } from "../model/correction.ts";
import { type CorrectionBasis, type ReceiptLine, SETTLEMENT_SIGNS, type SettlementSign, type TradeDocument } from "../model/document.ts";
import type { FiscalFacts } from "../model/facts.ts";
import { TAX_SYSTEMS, VAT_RATES } from "../model/tax.ts";
import { cashierOf, fiscalRow, headOf, machineRows } from "./head-and-foot.ts";
import { markLabel, settlementLabel, TENDER_LABELS } from "./labels.ts";
import { type Block, block, dateOf, pair, type Receipt, type Row, ruled, sum, text, timed } from "./rows.ts";

type ReceiptFacts = FiscalFacts & Required<Pick<FiscalFacts, "receipt">>;

/** A cash receipt or correction receipt (document codes 3 and 31): the requisites of fiscal-receipts 1.3 and 1.7 in the order of 7.3. */
export function tradeReceiptOf(document: TradeDocument, facts: ReceiptFacts): Receipt {
  return {
    title: `${document.kind === "correction" ? "Кассовый чек коррекции" : "Кассовый чек"} № ${facts.receipt.number}, ФД № ${facts.documentNumber}`,
    time: facts.time,
    blocks: [
      headOf(document, facts.identity),
      identityOf(document, facts),
      ...(document.kind === "correction" ? ruled(...basisOf(document.basis)) : []),
      ...positionsOf(document, facts),
      ...ruled(...totalOf(document)),
      ...ruled(...paymentsOf(document, facts)),
      ...footOf(document, facts),
    ],
    qr: qrTextOf(facts),
  };
}

/** `t=20261112T1842&s=834.57&fn=…&i=318&fp=…&n=1` (fiscal-receipts 2). */
function qrTextOf(facts: ReceiptFacts): string {
  const time = `${facts.time.slice(0, 10).replaceAll("-", "")}T${facts.time.slice(11, 16).replace(":", "")}`;
  const { totalKopecks, sign } = facts.receipt;
  const { driveNumber } = facts.identity;
  return `t=${time}&s=${formatKopecks(totalKopecks)}&fn=${driveNumber}&i=${facts.documentNumber}&fp=${facts.fiscalSign}&n=${sign}`;
}

function identityOf(document: TradeDocument, facts: ReceiptFacts): Block {
  return block(
    pair(`ИНН ${facts.identity.inn}`, `СНО: ${TAX_SYSTEMS[document.taxSystem].label}`),
    pair(document.kind === "correction" ? "КАССОВЫЙ ЧЕК КОРРЕКЦИИ" : "КАССОВЫЙ ЧЕК", SETTLEMENT_SIGNS[document.sign], { weight: "strong" }),
    pair(`Чек № ${facts.receipt.number}`, `Смена № ${facts.shiftNumber}`),
    timed(cashierOf(document, facts).join(""), facts.time),
  );
}

/** Tags 1173, 1178 and 1179. */
function basisOf(basis: CorrectionBasis): Row[] {
  return [
    pair("ТИП КОРРЕКЦИИ", basis.kind === "order" ? "ПО ПРЕДПИСАНИЮ" : "САМОСТОЯТЕЛЬНО"),
    pair("ДАТА РАСЧЕТА", dateOf(basis.settledOn)),
    ...(basis.kind === "order" ? [pair("№ ПРЕДПИСАНИЯ", basis.orderNumber)] : []),
  ];
}

function positionsOf(document: TradeDocument, facts: ReceiptFacts): Block[] {
  // The drive stores only the sums of such a correction, so the paper shows no positions.
  if (isSumsOnly(document, facts.identity.ffd)) return [];
  const lines = GIVEN_BACK.includes(document.sign) ? document.lines.map(withoutDiscount) : document.lines;
  return lines.map((line, index) => ({ edge: index === 0 ? "rule" : "none", rows: positionRows(line, facts, index) }));
}

/** Receipts of these signs are returns. They show the paid sum and no discount (fiscal-receipts 9.2). */
const GIVEN_BACK: readonly SettlementSign[] = [2, 4];

function withoutDiscount({ discount: _, ...line }: ReceiptLine): ReceiptLine {
  return line;
}

/** The rows of a position, tag 1059 (fiscal-receipts 1.4). */
function positionRows(line: ReceiptLine, facts: ReceiptFacts, index: number): Row[] {
  const mark = line.mark === undefined ? "" : `${markLabel(facts.markChecks?.[index] ?? undefined)} `;
  const quantity = [formatQuantity(line.quantityMillionths), line.unit.label].filter((part) => part !== "").join(" ");
  const vat = VAT_RATES[line.vat];
  return [
    text(`${mark}${line.name}`),
    sum(`${quantity} x ${formatKopecks(line.priceKopecks)}`, line.sumKopecks),
    ...(line.discount === undefined ? [] : [discountRow(line.discount)]),
    vat.totalIs === "vat" ? pair(vat.label, formatKopecks(line.vatKopecks)) : text(vat.label),
    text(settlementLabel(line.subject, line.method, facts.identity.ffd)),
    ...(line.pack === undefined ? [] : [text(packText(line.pack, line.unit.label))]),
  ];
}

/** `Упаковка: коробка (6 шт.)`. This text is no requisite: quantity and price are per unit. */
function packText({ name, quantityMillionths }: NonNullable<ReceiptLine["pack"]>, unit: string): string {
  return `Упаковка: ${name} (${formatQuantity(quantityMillionths)} ${unit})`;
}

/** The row about a discount, for people. The drive has the price after the discount. A negative percentage is a mark-up. */
function discountRow({ fullPriceKopecks, percent, differenceKopecks }: NonNullable<ReceiptLine["discount"]>): Row {
  const markUp = percent.startsWith("-");
  const [without, name] = markUp ? ["наценки", "наценка"] : ["скидки", "скидка"];
  const full = `Цена без ${without} ${formatKopecks(fullPriceKopecks)}`;
  const change = `${name} ${percent.replace("-", "")}%`;
  const difference = `${markUp ? "+" : "-"}${formatKopecks(Math.abs(differenceKopecks))}`;
  return pair(`${full}, ${change}`, difference, { narrow: [text(full), pair(change, difference)] });
}

function totalOf(document: TradeDocument): Row[] {
  return [
    sum("ИТОГ", document.totalKopecks, { weight: "tall" }),
    ...(document.roundingKopecks > 0 ? [sum("ОКРУГЛЕНИЕ", document.roundingKopecks)] : []),
  ];
}

function paymentsOf(document: TradeDocument, facts: ReceiptFacts): Row[] {
  return [
    ...TENDER_LABELS.filter(([key]) => document.tenders[key] > 0).map(([key, label]) => sum(label, document.tenders[key])),
    ...(facts.change === undefined
      ? []
      : [sum("ПОЛУЧЕНО НАЛИЧНЫМИ", facts.change.receivedKopecks), sum("СДАЧА", facts.change.changeKopecks)]),
    ...document.vatTotals.map(({ vat, sumKopecks }) => sum(VAT_RATES[vat].totalLabel, sumKopecks)),
    ...(document.originalSign === undefined ? [] : [pair("Доп. реквизит чека", document.originalSign)]),
    ...(document.buyerContact === undefined ? [] : [pair("Эл. адр. покупателя", document.buyerContact)]),
  ];
}

function footOf(document: TradeDocument, facts: ReceiptFacts): Block[] {
  const sender = senderOf(document, facts.identity.senderEmail);
  return ruled(
    pair("Сайт ФНС", facts.identity.fnsSite),
    ...machineRows(facts.identity),
    fiscalRow(facts),
    ...(sender === undefined ? [] : [pair("Отправитель", sender)]),
  );
}
