import type { SettlementSign, TradeDocument } from "./document.ts";
import type { Ffd } from "./facts.ts";

/** The settlement sign that undoes another (fiscal-receipts 1.7). */
export const OPPOSITE_SIGN: Record<SettlementSign, SettlementSign> = { 1: 2, 2: 1, 3: 4, 4: 3 };

/** Before format 1.1 a correction has its sums and no positions (fiscal-receipts 1.7): registers have no field for those. */
export function isSumsOnly({ kind }: Pick<TradeDocument, "kind">, ffd: Ffd): boolean {
  return kind === "correction" && ffd === "1.05";
}

/** Format 1.05 corrects income and outcome; what was given back is no settlement that it could correct. */
export function mayCorrect(sign: SettlementSign, ffd: Ffd): boolean {
  return ffd !== "1.05" || sign === 1 || sign === 3;
}
