import type { Entry, Move } from "../../journal/entry.ts";
import { wallAsUtcMs, wallFromUtc } from "../../kernel/moment.ts";
import { formatKopecks } from "../../kernel/money.ts";
import { isCash, isTrade, type RegisterDocument, SETTLEMENT_SIGNS, type TradeDocument } from "../../model/document.ts";
import type { RegisterIdentity } from "../../model/facts.ts";
import { tendersOf } from "./words/sums.ts";

/** Clocks of registers show minutes on paper, and a document may be finished a while after the server gave up. */
const WINDOW_SLACK_MS = 60_000;

/**
 * What somebody has to look for on the register's paper or in its archive: one thing a line. `identity`:
 * what the register last said of itself, where that is known.
 */
export function comparisonOf(entry: Entry, moves: readonly Move[], identity: RegisterIdentity | undefined): string[] {
  const { checkpoint, document } = entry;
  if (checkpoint === undefined) return [];
  const { driveNumber, lastDocumentNumber, shiftNumber, drawerKopecks } = checkpoint;
  const machine = identity === undefined ? "" : `, register ЗН ${identity.serialNumber}, РН ${identity.registrationNumber}`;
  const rows: [what: string, text: string][] = [
    ["drive", `ФН ${driveNumber}${machine}`],
    ["kind", kindOf(document)],
  ];
  if (isCash(document)) {
    rows.push(["sum", `${formatKopecks(document.sumKopecks)} (a slip: it has neither ФД nor ФП)`]);
    rows.push(["drawer", drawerWords(document, drawerKopecks)]);
  } else if (document.kind !== "x-report") {
    rows.push(["number", `ФД ${lastDocumentNumber + 1} or above: ФД ${lastDocumentNumber} was the last one before it`]);
    if (isTrade(document)) rows.push(["sum", sumWords(document)]);
  }
  rows.push(["shift", document.kind === "open-shift" ? `${shiftNumber + 1} or a later one` : `${shiftNumber} or a later one`]);
  rows.push(["time", timeWords(entry, moves)]);
  if (isTrade(document)) {
    // In a return tag 1192 is the sign of the sale.
    const elsewhere = document.sign === 1 || document.sign === 3 ? ", on some registers in tag 1192" : "";
    rows.push(["our id", `${document.reference}, in tag 1084 (printed as ID)${elsewhere}`]);
    rows.push(["positions", document.lines.map(({ name, sumKopecks }) => `${name} ${formatKopecks(sumKopecks)}`).join("; ")]);
  }
  return rows.map(([what, text]) => `  ${what.padEnd(10)}${text}`);
}

/** As the paper's own title has it. */
export function kindOf(document: RegisterDocument): string {
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

function drawerWords({ kind, sumKopecks }: { kind: "cash-in" | "cash-out"; sumKopecks: number }, before: number): string {
  const after = before + (kind === "cash-in" ? sumKopecks : -sumKopecks);
  return `${formatKopecks(before)} before; ${formatKopecks(after)} if it was made and nothing else since (X-отчёт, without closing the shift)`;
}

/** From the register's clock before sending to what that clock showed when the server gave up. */
function timeWords({ checkpoint, attempt }: Entry, moves: readonly Move[]): string {
  const from = checkpoint?.deviceTime ?? "";
  const ofAttempt = moves.filter((move) => move.attempt === attempt);
  const sentMs = ofAttempt.find(({ to }) => to === "sending")?.atMs;
  const lostMs = ofAttempt.find(({ to }) => to === "in-doubt")?.atMs;
  if (sentMs === undefined || lostMs === undefined) return `${minute(from)} or later on the register's clock`;
  const until = wallFromUtc(wallAsUtcMs(from) + Math.max(0, lostMs - sentMs) + WINDOW_SLACK_MS);
  return `from ${minute(from)}, most likely until ${minute(until)}, on the register's clock`;
}

function minute(time: string): string {
  return time.slice(0, "2026-11-12 15:42".length);
}
