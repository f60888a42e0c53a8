import { Failure } from "../kernel/failure.ts";
import { formatKopecks } from "../kernel/money.ts";
import { isTrade, type RegisterDocument, type TradeDocument } from "../model/document.ts";
import { type DocumentFacts, isDebugDrive } from "../model/facts.ts";
import { cashSlipOf } from "./cash-slip.ts";
import { type Block, block, heading, type Receipt } from "./rows.ts";
import { closeReportOf, openReportOf } from "./shift-report.ts";
import { stateReportOf } from "./state-report.ts";
import { tradeReceiptOf } from "./trade-receipt.ts";
import { xReportOf } from "./x-report.ts";

export type { Block, PairRow, Receipt, Row } from "./rows.ts";

/**
 * Returns the printed form of a document: the sent document with the numbers, signs and times of its facts. Throws a `Failure` of kind
 * `fault` when document and facts do not belong together or their sums differ: such a receipt must never be drawn.
 */
export function receiptOf(document: RegisterDocument, facts: DocumentFacts, options: { copy?: boolean } = {}): Receipt {
  const receipt = bodyOf(document, facts);
  const test = isDebugDrive(facts.identity.driveNumber);
  const copy = options.copy ?? false;
  return {
    ...receipt,
    title: `${test ? "Тестовый ФН. " : ""}${copy ? "Копия. " : ""}${receipt.title}`,
    blocks: [...(test ? [TEST_NOTICE] : []), ...(copy ? [COPY_NOTICE] : []), ...receipt.blocks],
  };
}

function bodyOf(document: RegisterDocument, facts: DocumentFacts): Receipt {
  if (isTrade(document) && facts.kind === "fiscal" && facts.document === document.kind && facts.receipt !== undefined) {
    requireSameSums(document, facts.receipt);
    return tradeReceiptOf(document, { ...facts, receipt: facts.receipt });
  }
  if (document.kind === "open-shift" && facts.kind === "fiscal" && facts.document === "open-shift") {
    return openReportOf(document, facts);
  }
  if (document.kind === "close-shift" && facts.kind === "fiscal" && facts.document === "close-shift" && facts.shiftReport !== undefined) {
    return closeReportOf(document, { ...facts, shiftReport: facts.shiftReport });
  }
  if ((document.kind === "cash-in" || document.kind === "cash-out") && facts.kind === "cash" && facts.document === document.kind) {
    requireEqual("sum of the slip", document.sumKopecks, facts.sumKopecks);
    return cashSlipOf(document, facts);
  }
  if (document.kind === "state-report" && facts.kind === "fiscal" && facts.document === "state-report" && facts.stateReport !== undefined) {
    return stateReportOf(document, { ...facts, stateReport: facts.stateReport });
  }
  if (document.kind === "x-report" && facts.kind === "interim") return xReportOf(document, facts);
  throw new Failure("receipt-facts-mismatch", "fault", `a document of kind ${document.kind} has facts of ${facts.kind} ${facts.document}`);
}

/** The notice at the top of a receipt from a debug drive (fiscal-receipts 6.5, interface 6). */
const TEST_NOTICE: Block = { edge: "frame", rows: [heading("ТЕСТОВЫЙ ФН. НЕ ЯВЛЯЕТСЯ КАССОВЫМ ЧЕКОМ", { strong: true })] };
const COPY_NOTICE: Block = block(heading("КОПИЯ", { strong: true }));

function requireSameSums(document: TradeDocument, made: { sign: number; totalKopecks: number }): void {
  if (document.sign !== made.sign) {
    throw new Failure("receipt-facts-mismatch", "fault", `the receipt was sent with sign ${document.sign} and made with ${made.sign}`);
  }
  requireEqual("total of the receipt", document.totalKopecks, made.totalKopecks);
  const { cashKopecks, nonCashKopecks, prepaidKopecks, creditKopecks, otherKopecks } = document.tenders;
  requireEqual("sum of tenders", document.totalKopecks, cashKopecks + nonCashKopecks + prepaidKopecks + creditKopecks + otherKopecks);
  // A correction before format 1.1 may have a sum without lines (fiscal-receipts 1.7).
  if (document.kind === "correction" && document.lines.length === 0) return;
  const lines = document.lines.reduce((sum, line) => sum + line.sumKopecks, 0);
  requireEqual("sum of lines less rounding", document.totalKopecks, lines - document.roundingKopecks);
}

function requireEqual(what: string, sentKopecks: number, foundKopecks: number): void {
  if (sentKopecks === foundKopecks) return;
  const sums = `${formatKopecks(sentKopecks)} was sent, ${formatKopecks(foundKopecks)} found`;
  throw new Failure("receipt-sums-differ", "fault", `${what}: ${sums}`);
}
