import { isDeepStrictEqual } from "node:util";
import type { Entry, EntryKey } from "../../journal/entry.ts";
import { type CorrectedSettlement, type CorrectionStep, mayCorrect, settledAgain, undone } from "../../model/correction.ts";
import { dayProblem } from "../../model/correction-limits.ts";
import { type CorrectionBasis, isTrade, SETTLEMENT_SIGNS, type SettlementSign, type TradeDocument } from "../../model/document.ts";
import type { CorrectionOperation } from "../../model/operation.ts";
import { ratesProblem } from "../../model/settlement-problem.ts";
import { correctionId, correctionKey, isCorrectable } from "../../operations/corrections.ts";
import { SIGN_WORDS } from "./correction-options.ts";

/** What a person wants corrected, beside the entry. */
export interface CorrectionWish {
  /** Day of the settlement that is corrected; absent: as the entry has it. */
  settledOn?: string;
  /** Number of the tax office's order; absent: on one's own account. */
  orderNumber?: string;
  /** Basis of the undoing that was registered before: nobody has to say it again. */
  knownBasis?: CorrectionBasis;
  /** Tag 1077 of the receipt, where it is not the one that the journal knows: a second copy of it. */
  fiscalSign?: string;
  /** What should have been registered. */
  right?: TradeDocument;
  /** Sign that a person knows the right data to have, where it is another than the wrong one's. */
  settles?: SettlementSign;
  /** Last day that the settlement may have been on. */
  today: string;
}

export interface PlannedCorrection {
  key: EntryKey;
  operation: CorrectionOperation;
}

export type CorrectionPlan = { kind: "plan"; corrections: PlannedCorrection[] } | { kind: "impossible"; problem: string };

/** The corrections that repair an entry, in the order in which they are registered (fiscal-receipts 1.7). Pure. */
export function planCorrections(entry: Entry, wish: CorrectionWish): CorrectionPlan {
  const { id, document, state } = entry;
  if (!isTrade(document) || !isCorrectable(entry.key.operation)) {
    return impossible(`Entry ${id} is no receipt: reports and slips for cash are never corrected`);
  }
  const basis = basisOf(entry, document, wish);
  const day = dayProblem(basis.settledOn, wish.today);
  if (day !== undefined && (state === "done" || state === "refused")) {
    return impossible(`The settlement cannot have been on ${basis.settledOn}: ${day}. Say by --date which day it was`);
  }
  switch (state) {
    case "done":
      return repairOf(entry, document, basis, wish);
    case "refused":
      if (entry.operation.kind === "correction") return impossible(notMissed(entry.operation));
      return missedOf(entry, document, basis, wish);
    default:
      return impossible(`Entry ${id} is ${state}: what became of it must be known first; see \`journal explain ${id}\``);
  }
}

/** The wrong data with the opposite sign, then the right data. */
function repairOf(entry: Entry, document: TradeDocument, basis: CorrectionBasis, wish: CorrectionWish): CorrectionPlan {
  const { facts } = entry;
  if (facts?.kind !== "fiscal") return impossible(`Entry ${entry.id} has no fiscal document`);
  const { right } = wish;
  const problem = right === undefined ? undefined : rightProblem(entry, document, { ...wish, right }, basis);
  if (problem !== undefined) return impossible(problem);
  const fiscalSign = wish.fiscalSign ?? facts.fiscalSign;
  const undo = undone(document, basis, fiscalSign);
  const redo = right === undefined ? undefined : settledAgain(right, basis, fiscalSign);
  const unknown = [undo, ...(redo === undefined ? [] : [redo])].find(({ sign }) => !mayCorrect(sign, facts.identity.ffd));
  if (unknown !== undefined) {
    return impossible(
      "This register works by format 1.05, which knows no correction of returns: undo the sale by an ordinary return at the till instead",
    );
  }
  const steps: [CorrectionStep, CorrectedSettlement][] = [
    ["undo", undo],
    ...(redo === undefined ? [] : [["redo", redo] satisfies [CorrectionStep, CorrectedSettlement]]),
  ];
  return { kind: "plan", corrections: steps.map(([step, settlement]) => plannedOf(entry, step, settlement, fiscalSign)) };
}

/** Why the right data cannot be those of this receipt, or settle nothing new. */
function rightProblem(
  { id }: Entry,
  wrong: TradeDocument,
  { right, settles }: CorrectionWish & { right: TradeDocument },
  basis: CorrectionBasis,
): string | undefined {
  if (right.reference !== wrong.reference) {
    return `The right data are those of another document, as document.reference says: begin with \`journal show ${id} --json\``;
  }
  const fixed = FIXED_FIELDS.find((field) => !isDeepStrictEqual(right[field], wrong[field]));
  if (fixed !== undefined) return `document.${fixed}: no correction changes that; put it back as \`journal show ${id} --json\` has it`;
  if (right.kind === "correction" && wrong.kind === "correction" && !isDeepStrictEqual(right.basis, wrong.basis)) {
    return "document.basis: say the day by --date and the order by --order, and put it back";
  }
  if (right.sign !== (settles ?? wrong.sign)) {
    const meant = settles ?? wrong.sign;
    const word = SIGN_WORDS[right.sign];
    return meant === wrong.sign
      ? `The right data are ${SETTLEMENT_SIGNS[right.sign]} and what was registered is ${SETTLEMENT_SIGNS[wrong.sign]}. If money went the other way, say --settles ${word}; else put document.sign right: ${wrong.sign}`
      : `--settles ${SIGN_WORDS[meant]} does not hold: the right data are ${SETTLEMENT_SIGNS[right.sign]}, document.sign ${right.sign}`;
  }
  if (isDeepStrictEqual(settledAgain(right, basis, undefined), settledAgain(wrong, basis, undefined))) {
    return "The right data are what was registered: there is nothing to put right. Leave --right out to undo it alone";
  }
  const rates = ratesProblem(right, basis.settledOn);
  return rates === undefined ? undefined : `document.${rates}`;
}

/** What a correction takes from elsewhere: changed in the file it would be passed over in silence. */
const FIXED_FIELDS = ["kind", "cashierName", "address", "place", "originalSign", "markPolicy"] as const;

/** Settled with the buyer, and never registered. */
function missedOf(entry: Entry, document: TradeDocument, basis: CorrectionBasis, wish: CorrectionWish): CorrectionPlan {
  if (wish.right !== undefined || wish.fiscalSign !== undefined) {
    return impossible(`Entry ${entry.id} was never registered: there is no receipt to undo, so --right and --sign have no place`);
  }
  if (document.totalKopecks === 0) return impossible(`Entry ${entry.id} settled nothing: there is nothing to register`);
  const settlement = settledAgain(document, basis, document.originalSign);
  return { kind: "plan", corrections: [plannedOf(entry, "missed", settlement, undefined)] };
}

/** Registered under a key of its own, it would be made twice once the command that asked for it is repeated. */
function notMissed({ of }: CorrectionOperation): string {
  return `This is a correction that was not registered: say \`journal correct ${of.document.id}\` again, as it was said then`;
}

function plannedOf(entry: Entry, step: CorrectionStep, settlement: CorrectedSettlement, fiscalSign: string | undefined): PlannedCorrection {
  const { key, operation, idType } = entry;
  const kind = key.operation;
  if (!isCorrectable(kind)) throw new RangeError(`${kind} cannot be corrected`);
  const corrected = { operation: kind, documentId: key.documentId, ...(fiscalSign === undefined ? {} : { fiscalSign }) };
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

function basisOf({ facts, operation }: Entry, document: TradeDocument, wish: CorrectionWish): CorrectionBasis {
  const { settledOn, orderNumber, knownBasis } = wish;
  if (knownBasis !== undefined && settledOn === undefined && orderNumber === undefined) return knownBasis;
  // The correction of a correction is about the same settlement.
  const known = document.kind === "correction" ? document.basis.settledOn : (facts?.time ?? operation.moment).slice(0, "2026-11-28".length);
  const day = { settledOn: settledOn ?? known };
  return orderNumber === undefined ? { kind: "own", ...day } : { kind: "order", ...day, orderNumber };
}

function impossible(problem: string): CorrectionPlan {
  return { kind: "impossible", problem };
}
