import { formatKopecks } from "../../../../kernel/money.ts";
import { formatQuantity } from "../../../../kernel/quantity.ts";
import { senderOf } from "../../../../model/contact.ts";
import { SETTLEMENT_SIGNS, type TradeDocument } from "../../../../model/document.ts";
import type { DocumentFacts, FiscalFacts, InterimFacts, StateReport } from "../../../../model/facts.ts";
import { VAT_RATES } from "../../../../model/tax.ts";
import { decodeCp1251 } from "../../commands/charset.ts";
import type { Tables } from "./tables.ts";

const COLUMNS = 42;
/** Rows of table 4 that are printed at the top of every slip (shtrih-protocol 6). */
const HEADER_ROWS = [4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14];

/** Printed on every slip regardless of the tables, so that nobody mistakes it for a receipt. */
const NOTICE = ["ТЕСТОВЫЙ ФН. НЕ ЯВЛЯЕТСЯ КАССОВЫМ ЧЕКОМ", "ЭМУЛЯТОР ДЛЯ ИСПЫТАНИЙ, НЕ КАССА"];

/** Returns the notice, the header of table 4 and then the slip. */
export function headed(lines: readonly string[], tables: Tables): string[] {
  const header = HEADER_ROWS.map((row) => decodeCp1251(tables.text([4, 1], row)).trimEnd()).filter((line) => line !== "");
  return [...NOTICE, ...header, ...lines];
}

export function receiptSlip(receipt: TradeDocument, facts: FiscalFacts, texts: readonly string[]): string[] {
  const { tenders } = receipt;
  const paid: [string, number][] = [
    ["НАЛИЧНЫМИ", tenders.cashKopecks],
    ["БЕЗНАЛИЧНЫМИ", tenders.nonCashKopecks],
    ["ПРЕДВАРИТЕЛЬНАЯ ОПЛАТА", tenders.prepaidKopecks],
    ["ПОСЛЕДУЮЩАЯ ОПЛАТА", tenders.creditKopecks],
    ["ИНАЯ ФОРМА ОПЛАТЫ", tenders.otherKopecks],
    ["СДАЧА", facts.change?.changeKopecks ?? 0],
  ];
  return [
    pair(
      `${receipt.kind === "correction" ? "ЧЕК КОРРЕКЦИИ" : "КАССОВЫЙ ЧЕК"} № ${facts.receipt?.number ?? ""}`,
      SETTLEMENT_SIGNS[receipt.sign],
    ),
    ...receipt.lines.flatMap((line) => [
      ...(line.name.startsWith("//") ? [] : [line.name]),
      pair(`${formatQuantity(line.quantityMillionths)} x ${formatKopecks(line.priceKopecks)}`, formatKopecks(line.sumKopecks)),
    ]),
    ...texts,
    pair("ИТОГ", formatKopecks(receipt.totalKopecks)),
    ...paid.filter(([, kopecks]) => kopecks > 0).map(([name, kopecks]) => pair(name, formatKopecks(kopecks))),
    ...receipt.vatTotals.map(({ vat, sumKopecks }) => pair(VAT_RATES[vat].totalLabel, formatKopecks(sumKopecks))),
    ...named("Эл. адр. покупателя", receipt.buyerContact),
    ...foot(facts),
    ...named("Отправитель", senderOf(receipt, facts.identity.senderEmail)),
  ];
}

function named(name: string, value: string | undefined): string[] {
  return value === undefined ? [] : [pair(name, value)];
}

const REPORTS = { "open-shift": "ОТЧЕТ ОБ ОТКРЫТИИ СМЕНЫ", "close-shift": "ОТЧЕТ О ЗАКРЫТИИ СМЕНЫ" };

export function reportSlip(kind: keyof typeof REPORTS, facts: FiscalFacts): string[] {
  return [REPORTS[kind], ...foot(facts)];
}

export function stateSlip(facts: FiscalFacts, { unsent, unsentSince }: StateReport): string[] {
  return [
    "ОТЧЕТ О ТЕКУЩЕМ СОСТОЯНИИ РАСЧЕТОВ",
    pair("НЕПЕРЕДАННЫХ ФД", String(unsent)),
    ...(unsentSince === undefined ? [] : [pair("ФД НЕ ПЕРЕДАНЫ С", unsentSince)]),
    ...foot(facts),
  ];
}

export function cashSlip(facts: Extract<DocumentFacts, { kind: "cash" }>): string[] {
  const title = facts.document === "cash-in" ? "ВНЕСЕНИЕ" : "ВЫПЛАТА";
  return [pair(title, formatKopecks(facts.sumKopecks)), pair("НАЛИЧНОСТЬ В КАССЕ", formatKopecks(facts.drawerKopecks)), facts.time];
}

export function interimSlip({ xReport, ...facts }: InterimFacts): string[] {
  const { signs, drawer } = xReport;
  return [
    "СУТОЧНЫЙ ОТЧЕТ БЕЗ ГАШЕНИЯ",
    ...signs.flatMap(({ sign, count, totalKopecks }) => [pair(SETTLEMENT_SIGNS[sign], String(count)), formatKopecks(totalKopecks)]),
    pair("ВНЕСЕНО", formatKopecks(drawer.inKopecks)),
    pair("ВЫПЛАЧЕНО", formatKopecks(drawer.outKopecks)),
    pair("НАЛИЧНОСТЬ В КАССЕ", formatKopecks(drawer.balanceKopecks)),
    pair(`Смена № ${facts.shiftNumber}`, facts.time),
  ];
}

function foot({ identity, ...facts }: FiscalFacts): string[] {
  return [
    ...(facts.cashierName === undefined ? [] : [`Кассир ${facts.cashierName}`]),
    pair(`Смена № ${facts.shiftNumber}`, facts.time),
    pair(`ЗН ККТ ${identity.serialNumber}`, `РН ККТ ${identity.registrationNumber}`),
    `ФН ${identity.driveNumber}`,
    pair(`ФД № ${facts.documentNumber}`, `ФП ${facts.fiscalSign}`),
  ];
}

function pair(left: string, right: string): string {
  return `${left}${" ".repeat(Math.max(1, COLUMNS - left.length - right.length))}${right}`;
}
