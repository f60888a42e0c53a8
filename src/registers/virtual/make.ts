import { present } from "../../kernel/present.ts";
import { isSumsOnly } from "../../model/correction.ts";
import type {
  CashDocument,
  RegisterDocument,
  ShiftDocument,
  StateReportDocument,
  TradeDocument,
  XReportDocument,
} from "../../model/document.ts";
import type { CashFacts, DocumentFacts, FiscalFacts, InterimFacts, RegisterIdentity, ShiftReport } from "../../model/facts.ts";
import { isMeasured } from "../../model/units.ts";
import { receiptCount } from "./counters.ts";
import {
  type Composed,
  composeCloseReport,
  composeOpenReport,
  composeReceipt,
  composeStateReport,
  type DocumentHeader,
  type SentRequisites,
} from "./documents.ts";
import { checksMarks, identityOfMark } from "./mark-checks.ts";
import type { DeviceMemory } from "./memory.ts";
import type { CashRecord, FiscalRecord, StateReportRecord } from "./records.ts";
import { type Conditions, settledSums } from "./rules.ts";
import { warningsOf } from "./warnings.ts";

type TooLarge = { kind: "too-large" };

export interface Making {
  /** Whether the data operator confirms the document, and all before it, as soon as the document is made. */
  confirmed: boolean;
  sent?: SentRequisites;
}

/** A document's record. In a real device the register stores cash records, and the drive stores all others. */
type MadeRecord = FiscalRecord | StateReportRecord | CashRecord;

/**
 * Returns the record of a document that `refusalOf` allows, with the device's time. A fiscal document gets the next number, its TLV and its
 * sign. Changes nothing: the caller stores the record first, so a crash before that leaves no gap in the numbers.
 */
export function recordOf(
  document: Exclude<RegisterDocument, XReportDocument>,
  memory: DeviceMemory,
  conditions: Conditions,
  making: Making,
): MadeRecord | TooLarge {
  switch (document.kind) {
    case "open-shift":
      return openRecord(document, memory, conditions, making);
    case "close-shift":
      return closeRecord(document, memory, conditions, making);
    case "receipt":
    case "correction":
      return receiptRecord(document, memory, conditions, making);
    case "state-report":
      return stateReportRecord(document, memory, conditions, making);
    case "cash-in":
    case "cash-out":
      return cashRecord(document, memory, conditions);
  }
}

/** Returns the record of a report on the state of the settlements. The shift may be open or closed, and no sum changes. */
function stateReportRecord(
  document: StateReportDocument,
  memory: DeviceMemory,
  conditions: Conditions,
  { confirmed, sent }: Making,
): StateReportRecord | TooLarge {
  const { shift, unsent, driveTotals, secret } = memory;
  const header = headerOf(document, memory, conditions, shift.open ? shift.cashierName : undefined);
  const composed = composeStateReport(header, secret, document, { shiftNumber: shift.number, unsent, driveTotals, sent });
  if (composed.kind === "too-large") return composed;
  const { documentNumber, time, cashierName } = header;
  const { fiscalSign, tlv } = composed;
  return {
    kind: "state-report",
    facts: {
      documentNumber,
      fiscalSign,
      time,
      shiftNumber: shift.number,
      ...present({ cashierName }),
      unsent: unsent.count,
      ...present({ unsentSince: unsent.since }),
    },
    driveTotals,
    reference: document.reference,
    confirmed,
    tlv: tlv.toString("base64"),
  };
}

/** Returns the device's answer for a record. `memory`: the memory that already contains the record. */
export function factsOf(record: MadeRecord, memory: DeviceMemory): DocumentFacts {
  const { identity, drawerKopecks } = memory;
  if (record.kind !== "cash") return fiscalFactsOf(record, identity);
  const { reference: _, ...slip } = record;
  return { ...slip, identity, drawerKopecks } satisfies CashFacts;
}

/** Returns the facts of a document that the drive stores. */
export function fiscalFactsOf(record: FiscalRecord | StateReportRecord, identity: RegisterIdentity): FiscalFacts {
  if (record.kind === "fiscal") return { kind: "fiscal", identity, ...record.facts };
  const { unsent, unsentSince, ...facts } = record.facts;
  const stateReport = {
    unsent,
    ...(unsentSince === undefined ? {} : { unsentSince, firstUnsent: facts.documentNumber - unsent }),
    ...present({ driveTotals: record.driveTotals }),
  };
  return { kind: "fiscal", document: "state-report", identity, ...facts, stateReport };
}

/** Returns the facts of an X report, which leaves no record. */
export function interimFactsOf(document: XReportDocument, memory: DeviceMemory, { now }: Conditions): InterimFacts {
  const { identity, shift, drawerKopecks, unsent } = memory;
  const cashierName = document.cashierName ?? (shift.open ? shift.cashierName : undefined);
  return {
    kind: "interim",
    document: "x-report",
    identity,
    time: now,
    shiftNumber: shift.number,
    ...present({ cashierName }),
    xReport: {
      shiftOpen: shift.open,
      receipts: shift.open ? receiptCount(shift.totals) : 0,
      signs: shift.open ? shift.totals.signs.map(({ vatTotals: _, ...totals }) => totals) : [],
      drawer: {
        inKopecks: shift.open ? shift.cashInKopecks : 0,
        outKopecks: shift.open ? shift.cashOutKopecks : 0,
        balanceKopecks: drawerKopecks,
      },
      unsent: unsent.count,
    },
  };
}

function openRecord(document: ShiftDocument, memory: DeviceMemory, conditions: Conditions, making: Making): FiscalRecord | TooLarge {
  const header = headerOf(document, memory, conditions, undefined);
  const shiftNumber = memory.shift.number + 1;
  const warnings = warningsOf(memory, conditions);
  const composed = composeOpenReport(header, memory.secret, document, { shiftNumber, warnings, sent: making.sent });
  return fiscalRecord(document, composed, header, making, { document: "open-shift", shiftNumber, warnings });
}

function closeRecord(document: ShiftDocument, memory: DeviceMemory, conditions: Conditions, making: Making): FiscalRecord | TooLarge {
  const header = headerOf(document, memory, conditions, memory.shift.cashierName);
  const shiftNumber = memory.shift.number;
  const warnings = warningsOf(memory, conditions);
  const shiftReport = shiftReportOf(memory, conditions);
  const composed = composeCloseReport(header, memory.secret, document, { shiftNumber, warnings, sent: making.sent }, shiftReport);
  return fiscalRecord(document, composed, header, making, { document: "close-shift", shiftNumber, shiftReport, warnings });
}

function receiptRecord(document: TradeDocument, memory: DeviceMemory, conditions: Conditions, making: Making): FiscalRecord | TooLarge {
  const header = headerOf(document, memory, conditions, memory.shift.cashierName);
  const shiftNumber = memory.shift.number;
  const receiptNumber = receiptCount(memory.shift.totals) + 1;
  const { changeKopecks, ...sums } = settledSums(document);
  const { markChecks, soldMarks } = markedOf(document, memory, conditions);
  const checked = markChecks === undefined ? {} : { markChecks };
  const numbers = { shiftNumber, receiptNumber, ...checked, sent: making.sent, readMark: conditions.readMark };
  const composed = composeReceipt(header, memory.secret, document, numbers, sums);
  const record = fiscalRecord(document, composed, header, making, {
    document: document.kind,
    shiftNumber,
    receipt: { number: receiptNumber, sign: document.sign, totalKopecks: document.totalKopecks },
    ...(changeKopecks === 0 ? {} : { change: { receivedKopecks: document.tenders.cashKopecks, changeKopecks } }),
    ...checked,
  });
  return record.kind === "fiscal" ? { ...record, sums, ...(soldMarks.length === 0 ? {} : { marks: soldMarks }) } : record;
}

/** Returns the results of a document's mark checks by line (null: no mark), and the identities of the sold or returned whole pieces. */
function markedOf(
  document: TradeDocument,
  { identity: { ffd } }: DeviceMemory,
  { checkMark, readMark }: Conditions,
): { markChecks?: (number | null)[]; soldMarks: string[] } {
  const marked = document.lines.flatMap(({ mark }) => mark ?? []);
  if (marked.length === 0 || isSumsOnly(document, ffd)) return { soldMarks: [] };
  // The mark of a whole piece leaves circulation with the sale and comes back with the return. Other marks stay in circulation
  // (fiscal-receipts 4.7).
  const soldMarks = document.lines.flatMap((line) =>
    line.mark === undefined || isMeasured(line) ? [] : [identityOfMark(line.mark, readMark)],
  );
  if (!checksMarks(ffd)) return { soldMarks };
  return { markChecks: document.lines.map(({ mark }) => (mark === undefined ? null : checkMark(mark, readMark))), soldMarks };
}

function cashRecord(document: CashDocument, memory: DeviceMemory, conditions: Conditions): CashRecord {
  const cashierName = document.cashierName ?? memory.shift.cashierName;
  return {
    kind: "cash",
    document: document.kind,
    time: conditions.now,
    shiftNumber: memory.shift.number,
    ...present({ cashierName }),
    sumKopecks: document.sumKopecks,
    reference: document.reference,
  };
}

function shiftReportOf({ shift, unsent, driveTotals, drawerKopecks }: DeviceMemory, { keyDays }: Conditions): ShiftReport {
  return {
    receipts: receiptCount(shift.totals),
    documents: shift.documents + 1,
    unsent: unsent.count,
    ...present({ unsentSince: unsent.since }),
    keyDays,
    shiftTotals: shift.totals,
    driveTotals,
    drawer: { inKopecks: shift.cashInKopecks, outKopecks: shift.cashOutKopecks, balanceKopecks: drawerKopecks },
  };
}

function headerOf(
  document: Pick<RegisterDocument, "cashierName">,
  memory: DeviceMemory,
  { now }: Conditions,
  openedBy: string | undefined,
): DocumentHeader {
  const cashierName = document.cashierName ?? openedBy;
  const header = { identity: memory.identity, documentNumber: memory.lastDocumentNumber + 1, time: now };
  return cashierName === undefined ? header : { ...header, cashierName };
}

function fiscalRecord(
  document: ShiftDocument | TradeDocument,
  composed: Composed,
  header: DocumentHeader,
  { confirmed }: Making,
  own: Omit<FiscalFacts, "kind" | "identity" | "documentNumber" | "fiscalSign" | "time" | "cashierName">,
): FiscalRecord | TooLarge {
  if (composed.kind === "too-large") return composed;
  const { documentNumber, time, cashierName } = header;
  const { fiscalSign, tlv } = composed;
  const facts = { ...own, documentNumber, fiscalSign, time, ...present({ cashierName }) };
  return { kind: "fiscal", facts, reference: document.reference, confirmed, tlv: tlv.toString("base64") };
}
