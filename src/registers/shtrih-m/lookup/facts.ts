import type { WallTime } from "../../../kernel/moment.ts";
import { present } from "../../../kernel/present.ts";
import type { SettlementSign } from "../../../model/document.ts";
import type { DriveWarnings, FiscalFacts, RegisterIdentity, ShiftReport, StateReport } from "../../../model/facts.ts";
import { REFERENCE_NAME } from "../../tags/settlement.ts";
import type { RawTlv } from "../../tags/tlv.ts";
import type { FoundBody } from "../commands/documents.ts";
import { countersOf, NO_COUNTERS } from "./counters.ts";
import { Requisites } from "./requisites.ts";

/** A document in the answer of FF0A. */
export interface Found {
  document: FiscalFacts["document"];
  documentNumber: number;
  fiscalSign: number;
  /** The time to the minute: drives store no seconds. */
  time: WallTime;
  body: FoundBody;
}

/** Printed signs have ten digits (fiscal-receipts 3.1). */
const SIGN_DIGITS = 10;

/** Returns tag 1077 in its printed form. */
export function printedSign(fiscalSign: number): string {
  return String(fiscalSign).padStart(SIGN_DIGITS, "0");
}

/**
 * Returns a document's facts. Without requisites only the answer of FF0A is known, which is enough for the opening or the closing of a
 * shift. Undefined: the shift is unknown, or a receipt or correction lacks its number, sign or total.
 */
export function factsOf(found: Found, all: readonly RawTlv[] | undefined, identity: RegisterIdentity): FiscalFacts | undefined {
  const { document, documentNumber, body } = found;
  const requisites = new Requisites(all ?? []);
  const shiftNumber = requisites.number(1038) ?? (body.kind === "shift" ? body.shift : undefined);
  if (shiftNumber === undefined) return undefined;
  const cashierName = requisites.text(1021);
  const facts: FiscalFacts = {
    kind: "fiscal",
    document,
    identity,
    documentNumber,
    fiscalSign: printedSign(found.fiscalSign),
    time: found.time,
    shiftNumber,
    ...present({ cashierName }),
  };
  if (document === "receipt" || document === "correction") return receiptFacts(facts, requisites);
  if (document === "state-report") return { ...facts, stateReport: stateReportOf(requisites) };
  if (all === undefined) return facts;
  const warnings = warningsIn(requisites);
  return document === "open-shift" ? { ...facts, warnings } : { ...facts, shiftReport: reportOf(requisites), warnings };
}

/**
 * Returns the server's reference of a receipt: tag 1084, otherwise 1192. In returns and corrections tag 1192 is a different receipt's
 * fiscal sign, and is ignored.
 */
export function referenceOf(document: Found["document"], all: readonly RawTlv[]): string | undefined {
  if (document !== "receipt" && document !== "correction") return undefined;
  const requisites = new Requisites(all);
  const own = requisites
    .lists(1084)
    .find((list) => list.text(1085) === REFERENCE_NAME)
    ?.text(1086);
  if (own !== undefined) return own;
  const sign = requisites.number(1054);
  return document === "receipt" && (sign === 1 || sign === 3) ? requisites.text(1192) : undefined;
}

function receiptFacts(facts: FiscalFacts, requisites: Requisites): FiscalFacts | undefined {
  const number = requisites.number(1042);
  const sign = signOf(requisites.number(1054));
  const totalKopecks = requisites.number(1020);
  if (number === undefined || sign === undefined || totalKopecks === undefined) return undefined;
  const receipt = { number, sign, totalKopecks };
  const checks = requisites.lists(1059).map((position) => position.number(2106) ?? null);
  return checks.every((check) => check === null) ? { ...facts, receipt } : { ...facts, receipt, markChecks: checks };
}

function signOf(value: number | undefined): SettlementSign | undefined {
  return value === 1 || value === 2 || value === 3 || value === 4 ? value : undefined;
}

/** Returns the shift report. The drawer is zero, because no requisite contains it. */
function reportOf(requisites: Requisites): ShiftReport {
  const since = requisites.text(1098);
  const unsent = requisites.number(1097) ?? 0;
  return {
    receipts: requisites.number(1118) ?? 0,
    documents: requisites.number(1111) ?? 0,
    unsent,
    ...(since === undefined || unsent === 0 ? {} : { unsentSince: since }),
    keyDays: requisites.number(1213) ?? 0,
    shiftTotals: countersOf(requisites.list(1194)) ?? NO_COUNTERS,
    driveTotals: countersOf(requisites.list(1157)) ?? NO_COUNTERS,
    drawer: { inKopecks: 0, outKopecks: 0, balanceKopecks: 0 },
  };
}

/** Returns the state report. Tags 1098 and 1116 are valid only with unsent documents. */
function stateReportOf(requisites: Requisites): StateReport {
  const unsent = requisites.number(1097) ?? 0;
  const since = requisites.text(1098);
  const first = requisites.number(1116);
  const totals = countersOf(requisites.list(1157));
  return {
    unsent,
    ...(since === undefined || unsent === 0 ? {} : { unsentSince: since }),
    ...(first === undefined || unsent === 0 ? {} : { firstUnsent: first }),
    ...present({ driveTotals: totals }),
  };
}

function warningsIn(requisites: Requisites): DriveWarnings {
  const isUp = (tag: number) => requisites.number(tag) === 1;
  return {
    keysExpireSoon: isUp(1050),
    keysExpireNow: isUp(1051),
    memoryFull: isUp(1052),
    operatorTimeout: isUp(1053),
    operatorMessage: requisites.number(1206) ?? 0,
  };
}
