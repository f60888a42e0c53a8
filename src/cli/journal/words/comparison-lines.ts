import { formatKopecks } from "../../../kernel/money.ts";
import { isCash, isTrade, type RegisterDocument, SETTLEMENT_SIGNS, type TradeDocument } from "../../../model/document.ts";
import type { Comparison } from "../../../operator/explaining/comparison.ts";
import { tendersOf } from "./amounts.ts";

/** Returns what to look for on the register's paper or in its archive, one item a line. Empty when nothing was sent. */
export function comparisonLines(document: RegisterDocument, comparison: Comparison | undefined): string[] {
  if (comparison === undefined) return [];
  const { driveNumber, identity, lastNumber, drawer, shiftNumber, time } = comparison;
  const machine = identity === undefined ? "" : `, register ЗН ${identity.serialNumber}, РН ${identity.registrationNumber}`;
  const rows: [what: string, text: string][] = [
    ["drive", `ФН ${driveNumber}${machine}`],
    ["kind", kindOf(document)],
  ];
  if (isCash(document)) rows.push(["sum", `${formatKopecks(document.sumKopecks)} (a slip: it has neither ФД nor ФП)`]);
  if (drawer !== undefined) rows.push(["drawer", drawerWords(drawer)]);
  if (lastNumber !== undefined) rows.push(["number", `ФД ${lastNumber + 1} or above: ФД ${lastNumber} was the last one before it`]);
  if (isTrade(document)) rows.push(["sum", sumWords(document)]);
  rows.push(["shift", `${shiftNumber} or a later one`]);
  rows.push(["time", timeWords(time)]);
  if (isTrade(document)) {
    // Tag 1192 of a return contains the fiscal sign of the sale, and that of a correction the sign of the corrected receipt. So neither
    // contains the server's id.
    const isOwnTag = document.kind === "receipt" && (document.sign === 1 || document.sign === 3);
    const elsewhere = isOwnTag ? ", on some registers in tag 1192" : "";
    rows.push(["our id", `${document.reference}, in tag 1084 (printed as ID)${elsewhere}`]);
    rows.push(["positions", document.lines.map(({ name, sumKopecks }) => `${name} ${formatKopecks(sumKopecks)}`).join("; ")]);
  }
  return rows.map(([what, text]) => `  ${what.padEnd(10)}${text}`);
}

function kindOf(document: RegisterDocument): string {
  switch (document.kind) {
    case "receipt":
      return `КАССОВЫЙ ЧЕК, ${SETTLEMENT_SIGNS[document.sign]}`;
    case "correction":
      return `КАССОВЫЙ ЧЕК КОРРЕКЦИИ, ${SETTLEMENT_SIGNS[document.sign]}`;
    case "open-shift":
      return "ОТЧЁТ ОБ ОТКРЫТИИ СМЕНЫ";
    case "close-shift":
      return "ОТЧЁТ О ЗАКРЫТИИ СМЕНЫ";
    case "state-report":
      return "ОТЧЁТ О ТЕКУЩЕМ СОСТОЯНИИ РАСЧЁТОВ";
    case "x-report":
      return "ОТЧЁТ БЕЗ ГАШЕНИЯ";
    case "cash-in":
      return "ВНЕСЕНИЕ";
    case "cash-out":
      return "ВЫПЛАТА";
  }
}

function sumWords({ totalKopecks, tenders }: TradeDocument): string {
  return `${formatKopecks(totalKopecks)}: ${tendersOf(tenders)}`;
}

function drawerWords({ beforeKopecks, afterKopecks }: { beforeKopecks: number; afterKopecks: number }): string {
  return `${formatKopecks(beforeKopecks)} before; ${formatKopecks(afterKopecks)} if it was made and nothing else since (X-отчёт, without closing the shift)`;
}

function timeWords({ from, until }: Comparison["time"]): string {
  return until === undefined
    ? `${minute(from)} or later on the register's clock`
    : `from ${minute(from)}, most likely until ${minute(until)}, on the register's clock`;
}

function minute(time: string): string {
  return time.slice(0, "2026-11-12 15:42".length);
}
