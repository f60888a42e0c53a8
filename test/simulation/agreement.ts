import type { Entry } from "../../src/journal/entry.ts";
import type { RegisterDocument } from "../../src/model/document.ts";
import type { CashFacts, FiscalFacts, RegisterIdentity } from "../../src/model/facts.ts";
import type { CashRecord, FiscalRecord } from "../../src/registers/virtual/records.ts";
import type { Printed } from "./devices/laboratory.ts";

/** The first characters of `YYYY-MM-DD HH:MM:SS`, up to the minutes: drives and some protocols keep no seconds. */
const MINUTE_LENGTH = 16;

/**
 * Returns what in a done entry differs from the document in the drive. Undefined: nothing does. Some models do not send
 * the time with their answer. When such a model falls silent after the answer, the driver has only the clock that it
 * read within the last minute. So the time is compared only when nobody has moved the clock.
 */
export function disagreement({ facts, document }: Entry, { record, clockMoved }: Printed, identity: RegisterIdentity): string | undefined {
  if (facts === undefined) return "no facts";
  const told =
    facts.kind === "fiscal" && record.kind === "fiscal"
      ? (ofFiscal(facts, record, clockMoved) ?? ofDocument(document, record))
      : facts.kind === "cash" && record.kind === "cash"
        ? ofCash(facts, record)
        : `${facts.kind} instead of ${record.kind}`;
  return told ?? differing({ drive: [facts.identity.driveNumber, identity.driveNumber], inn: [facts.identity.inn, identity.inn] });
}

function ofFiscal(facts: FiscalFacts, { facts: made }: FiscalRecord, clockMoved: boolean): string | undefined {
  return differing({
    kind: [facts.document, made.document],
    number: [facts.documentNumber, made.documentNumber],
    sign: [facts.fiscalSign, made.fiscalSign],
    ...(clockMoved ? {} : { time: [minuteOf(facts.time), minuteOf(made.time)] }),
    shift: [facts.shiftNumber, made.shiftNumber],
    receipt: [facts.receipt, made.receipt],
    ...(facts.shiftReport === undefined
      ? {}
      : {
          receipts: [facts.shiftReport.receipts, made.shiftReport?.receipts],
          documents: [facts.shiftReport.documents, made.shiftReport?.documents],
          "totals of the shift": [facts.shiftReport.shiftTotals.signs, made.shiftReport?.shiftTotals.signs],
          "totals of the drive": [facts.shiftReport.driveTotals.signs, made.shiftReport?.driveTotals.signs],
        }),
  });
}

/** The receipt is drawn from the sums that were sent, so they must be the registered sums. */
function ofDocument(document: RegisterDocument, { sums }: FiscalRecord): string | undefined {
  if (document.kind !== "receipt") return undefined;
  return differing({
    "sign of the settlement": [document.sign, sums?.sign],
    total: [document.totalKopecks, sums?.totalKopecks],
    tenders: [document.tenders, sums?.tenders],
    VAT: [document.vatTotals, sums?.vatTotals],
  });
}

function ofCash(facts: CashFacts, made: CashRecord): string | undefined {
  return differing({
    kind: [facts.document, made.document],
    sum: [facts.sumKopecks, made.sumKopecks],
    shift: [facts.shiftNumber, made.shiftNumber],
  });
}

function differing(pairs: Record<string, [unknown, unknown]>): string | undefined {
  for (const [what, [told, made]] of Object.entries(pairs)) {
    const [a, b] = [JSON.stringify(told), JSON.stringify(made)];
    if (a !== b) return `${what} ${a} instead of ${b}`;
  }
  return undefined;
}

function minuteOf(time: string): string {
  return time.slice(0, MINUTE_LENGTH);
}

/** Returns by how much a done entry has changed the money in the drawer. */
export function drawerChange({ state, document }: Entry): number {
  if (state !== "done") return 0;
  switch (document.kind) {
    case "cash-in":
      return document.sumKopecks;
    case "cash-out":
      return -document.sumKopecks;
    case "receipt":
      return document.sign === 1 ? document.tenders.cashKopecks : -document.tenders.cashKopecks;
    default:
      return 0;
  }
}
