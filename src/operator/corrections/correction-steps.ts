import { isDeepStrictEqual } from "node:util";
import type { Entry, EntryKey } from "../../journal/entry.ts";
import { present } from "../../kernel/present.ts";
import { type CorrectedSettlement, type CorrectionStep, mayCorrect, settledAgain, undone } from "../../model/correction.ts";
import { type DayProblem, dayProblem } from "../../model/correction-limits.ts";
import { type CorrectionBasis, isTrade, type SettlementSign, type TradeDocument } from "../../model/document.ts";
import type { CorrectionOperation } from "../../model/operation.ts";
import { type RateProblem, ratesProblem } from "../../model/settlement-problem.ts";
import { correctionId, correctionKey, isCorrectable } from "../../operations/corrections.ts";

/** A person's request to correct an entry. */
export interface StepsRequest {
  /** Day of the corrected settlement. Absent: the entry's day. */
  settledOn?: string;
  /** Number of the tax office's order. Absent: no order. */
  orderNumber?: string;
  /** The basis of the undoing correction that an earlier run has made, so that the person need not repeat it. */
  knownBasis?: CorrectionBasis;
  /** Tag 1077 of the receipt to correct, if it is a second copy unknown to the journal. */
  fiscalSign?: string;
  /** The right data, which should have been registered. */
  right?: TradeDocument;
  /** Settlement sign of the right data, if the person states that it differs from the wrong sign. */
  settles?: SettlementSign;
  /** Last possible day of the settlement. */
  today: string;
}

export interface PlannedCorrection {
  key: EntryKey;
  operation: CorrectionOperation;
}

type CorrectionSteps = { kind: "plan"; corrections: PlannedCorrection[] } | { kind: "refused"; because: StepsObstacle };

/** Why no correction can repair the entry as requested. */
export type StepsObstacle =
  /** Reports and slips for cash are never corrected. */
  | { code: "no-receipt" }
  | { code: "day-impossible"; settledOn: string; today: string; problem: DayProblem }
  | { code: "not-ended" }
  | { code: "no-fiscal-document" }
  /** Format 1.05 has no correction of returns. */
  | { code: "returns-uncorrectable" }
  /** The entry was never registered, but the person gave right data, or a receipt to undo. */
  | { code: "nothing-to-undo" }
  | { code: "settled-nothing" }
  /** The entry is an unregistered correction. The corrected document `of` must be corrected again. */
  | { code: "is-correction"; of: string }
  | RightObstacle;

/** Why the right data cannot correct this receipt. */
export type RightObstacle =
  | { code: "right-of-other-document" }
  | { code: "field-fixed"; field: FixedField }
  /** Day and order of a correction are options, not parts of the right data. */
  | { code: "basis-changed" }
  /** The sign differs, but the person has not stated that the money went the opposite way. */
  | { code: "sign-differs"; right: SettlementSign; wrong: SettlementSign }
  | { code: "sign-not-as-said"; right: SettlementSign; said: SettlementSign }
  | { code: "nothing-new" }
  | { code: "rate-impossible"; problem: RateProblem };

/** Returns the corrections that repair an entry, in their order of registration (fiscal-receipts 1.7). Pure. */
export function planCorrections(entry: Entry, request: StepsRequest): CorrectionSteps {
  const { document, state } = entry;
  if (!isTrade(document) || !isCorrectable(entry.key.operation)) return refused({ code: "no-receipt" });
  const basis = basisOf(entry, document, request);
  const { settledOn } = basis;
  const { today } = request;
  const problem = dayProblem(settledOn, today);
  if (problem !== undefined && (state === "done" || state === "refused")) {
    return refused({ code: "day-impossible", settledOn, today, problem });
  }
  switch (state) {
    case "done":
      return repairOf(entry, document, basis, request);
    case "refused":
      // A correction of a refused correction would have a new key. A repeat of the first command would then make the same document twice.
      if (entry.operation.kind === "correction") return refused({ code: "is-correction", of: entry.operation.of.document.id });
      return missedOf(entry, document, basis, request);
    default:
      return refused({ code: "not-ended" });
  }
}

/** Returns one or two corrections: the wrong data with the opposite sign, then the right data if given. */
function repairOf(entry: Entry, document: TradeDocument, basis: CorrectionBasis, request: StepsRequest): CorrectionSteps {
  const { facts } = entry;
  if (facts?.kind !== "fiscal") return refused({ code: "no-fiscal-document" });
  const { right } = request;
  const obstacle = right === undefined ? undefined : rightObstacle(document, { ...request, right }, basis);
  if (obstacle !== undefined) return refused(obstacle);
  const fiscalSign = request.fiscalSign ?? facts.fiscalSign;
  const undo = undone(document, basis, fiscalSign);
  const redo = right === undefined ? undefined : settledAgain(right, basis, fiscalSign);
  const unknown = [undo, ...(redo === undefined ? [] : [redo])].find(({ sign }) => !mayCorrect(sign, facts.identity.ffd));
  if (unknown !== undefined) return refused({ code: "returns-uncorrectable" });
  const steps: [CorrectionStep, CorrectedSettlement][] = [
    ["undo", undo],
    ...(redo === undefined ? [] : [["redo", redo] satisfies [CorrectionStep, CorrectedSettlement]]),
  ];
  return { kind: "plan", corrections: steps.map(([step, settlement]) => plannedOf(entry, step, settlement, fiscalSign)) };
}

function rightObstacle(
  wrong: TradeDocument,
  { right, settles }: StepsRequest & { right: TradeDocument },
  basis: CorrectionBasis,
): RightObstacle | undefined {
  if (right.reference !== wrong.reference) return { code: "right-of-other-document" };
  const field = FIXED_FIELDS.find((fixed) => !isDeepStrictEqual(right[fixed], wrong[fixed]));
  if (field !== undefined) return { code: "field-fixed", field };
  if (right.kind === "correction" && wrong.kind === "correction" && !isDeepStrictEqual(right.basis, wrong.basis)) {
    return { code: "basis-changed" };
  }
  const meant = settles ?? wrong.sign;
  if (right.sign !== meant) {
    return meant === wrong.sign
      ? { code: "sign-differs", right: right.sign, wrong: wrong.sign }
      : { code: "sign-not-as-said", right: right.sign, said: meant };
  }
  if (isDeepStrictEqual(settledAgain(right, basis, undefined), settledAgain(wrong, basis, undefined))) return { code: "nothing-new" };
  const problem = ratesProblem(right, basis.settledOn);
  return problem === undefined ? undefined : { code: "rate-impossible", problem };
}

/**
 * Fields that a correction does not take from the right data. Right data that change such a field are refused, because the change would be
 * lost unnoticed.
 */
const FIXED_FIELDS = ["kind", "cashierName", "address", "place", "originalSign", "markPolicy"] as const;

type FixedField = (typeof FIXED_FIELDS)[number];

/** Returns the correction of a receipt that was settled with the buyer but never registered. */
function missedOf(entry: Entry, document: TradeDocument, basis: CorrectionBasis, request: StepsRequest): CorrectionSteps {
  if (request.right !== undefined || request.fiscalSign !== undefined) return refused({ code: "nothing-to-undo" });
  if (document.totalKopecks === 0) return refused({ code: "settled-nothing" });
  const settlement = settledAgain(document, basis, document.originalSign);
  return { kind: "plan", corrections: [plannedOf(entry, "missed", settlement, undefined)] };
}

function plannedOf(entry: Entry, step: CorrectionStep, settlement: CorrectedSettlement, fiscalSign: string | undefined): PlannedCorrection {
  const { key, operation, idType } = entry;
  const kind = key.operation;
  if (!isCorrectable(kind)) throw new RangeError(`${kind} cannot be corrected`);
  const corrected = { operation: kind, documentId: key.documentId, ...present({ fiscalSign }) };
  const id = correctionId(corrected, step);
  const { shift, storeId, name, moment } = operation;
  return {
    key: correctionKey(key, id),
    operation: {
      kind: "correction",
      document: { id, idType: "native" },
      shift,
      storeId,
      name,
      moment,
      step,
      of: { operation: kind, document: { id: key.documentId, idType } },
      settlement,
    },
  };
}

function basisOf({ facts, operation }: Entry, document: TradeDocument, request: StepsRequest): CorrectionBasis {
  const { settledOn, orderNumber, knownBasis } = request;
  if (knownBasis !== undefined && settledOn === undefined && orderNumber === undefined) return knownBasis;
  // A correction of a correction keeps the day of the settlement.
  const known = document.kind === "correction" ? document.basis.settledOn : (facts?.time ?? operation.moment).slice(0, "2026-11-28".length);
  const day = { settledOn: settledOn ?? known };
  return orderNumber === undefined ? { kind: "own", ...day } : { kind: "order", ...day, orderNumber };
}

function refused(because: StepsObstacle): CorrectionSteps {
  return { kind: "refused", because };
}
