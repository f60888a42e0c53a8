import type { Entry } from "../../journal/entry.ts";
import { present } from "../../kernel/present.ts";
import type { CashDocument } from "../../model/document.ts";
import type { DocumentFacts } from "../../model/facts.ts";
import { figuresProblem, type Impossible, type KnownAtRegister, shapeProblem } from "./figure-bounds.ts";
import type { ReadOff } from "./read-off-schema.ts";

export type Settlement = { kind: "facts"; facts: DocumentFacts } | { kind: "impossible"; problem: Impossible };

/**
 * Returns the facts of a document in doubt, from figures that a person read off its paper. The facts have the sums that were sent, because
 * the person has compared these with the paper. Figures that contradict the known facts are refused.
 */
export function settledFacts(entry: Entry, readOff: ReadOff, known: KnownAtRegister): Settlement {
  const problem = shapeProblem(entry.document, readOff) ?? figuresProblem(entry, readOff, known);
  if (problem !== undefined) return { kind: "impossible", problem };
  const facts = factsOf(entry, readOff, known);
  return facts === undefined ? { kind: "impossible", problem: { code: "no-facts" } } : { kind: "facts", facts };
}

function factsOf({ document, checkpoint }: Entry, readOff: ReadOff, { identity }: KnownAtRegister): DocumentFacts | undefined {
  const { time, shiftNumber, documentNumber, fiscalSign, receiptNumber } = readOff;
  const head = { identity, time, shiftNumber, ...present({ cashierName: document.cashierName }) };
  if (document.kind === "cash-in" || document.kind === "cash-out") {
    const { sumKopecks } = document;
    const drawerKopecks = (checkpoint?.drawerKopecks ?? 0) + signedSum(document);
    return { kind: "cash", document: document.kind, ...head, sumKopecks, drawerKopecks };
  }
  if (document.kind === "x-report" || documentNumber === undefined || fiscalSign === undefined) return undefined;
  const fiscal = { kind: "fiscal" as const, document: document.kind, ...head, documentNumber, fiscalSign };
  if ((document.kind !== "receipt" && document.kind !== "correction") || receiptNumber === undefined) return fiscal;
  return { ...fiscal, receipt: { number: receiptNumber, sign: document.sign, totalKopecks: document.totalKopecks } };
}

function signedSum({ kind, sumKopecks }: CashDocument): number {
  return kind === "cash-in" ? sumKopecks : -sumKopecks;
}
