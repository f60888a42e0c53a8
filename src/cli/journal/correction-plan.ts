import type { Entry, EntryKey } from "../../journal/entry.ts";
import { type CorrectedSettlement, type CorrectionStep, mayCorrect, settledAgain, undone } from "../../model/correction.ts";
import type { CorrectionBasis, TradeDocument } from "../../model/document.ts";
import type { CorrectionOperation } from "../../model/operation.ts";
import { correctionId, correctionKey, isCorrectable } from "../../operations/corrections.ts";
import { isTrade } from "./comparison.ts";

/** What a person wants corrected, beside the entry. */
export interface CorrectionWish {
  /** Day of the settlement that is corrected; absent: as the entry has it. */
  settledOn?: string;
  /** Number of the tax office's order; absent: on one's own account. */
  orderNumber?: string;
  /** Tag 1077 of the receipt, where it is not the one that the journal knows: a second copy of it. */
  fiscalSign?: string;
  /** What should have been registered. */
  right?: TradeDocument;
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
  switch (state) {
    case "done":
      return repairOf(entry, document, wish);
    case "refused":
      return missedOf(entry, document, wish);
    default:
      return impossible(`Entry ${id} is ${state}: what became of it must be known first; see \`journal explain ${id}\``);
  }
}

/** The wrong data with the opposite sign, then the right data. */
function repairOf(entry: Entry, document: TradeDocument, wish: CorrectionWish): CorrectionPlan {
  const { facts } = entry;
  if (facts?.kind !== "fiscal") return impossible(`Entry ${entry.id} has no fiscal document`);
  const fiscalSign = wish.fiscalSign ?? facts.fiscalSign;
  const basis = basisOf(entry, document, wish);
  const undo = undone(document, basis, fiscalSign);
  const redo = wish.right === undefined ? undefined : settledAgain(wish.right, basis, fiscalSign);
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

/** Settled with the buyer, and never registered. */
function missedOf(entry: Entry, document: TradeDocument, wish: CorrectionWish): CorrectionPlan {
  if (wish.right !== undefined || wish.fiscalSign !== undefined) {
    return impossible(`Entry ${entry.id} was never registered: there is no receipt to undo, so --right and --sign have no place`);
  }
  const settlement = settledAgain(document, basisOf(entry, document, wish), document.originalSign);
  return { kind: "plan", corrections: [plannedOf(entry, "missed", settlement, undefined)] };
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

function basisOf({ facts, operation }: Entry, document: TradeDocument, { settledOn, orderNumber }: CorrectionWish): CorrectionBasis {
  // The correction of a correction is about the same settlement.
  const known = document.kind === "correction" ? document.basis.settledOn : (facts?.time ?? operation.moment).slice(0, "2026-11-28".length);
  const day = { settledOn: settledOn ?? known };
  return orderNumber === undefined ? { kind: "own", ...day } : { kind: "order", ...day, orderNumber };
}

function impossible(problem: string): CorrectionPlan {
  return { kind: "impossible", problem };
}
