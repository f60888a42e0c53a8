import { ONE_MILLIONTHS } from "../../kernel/quantity.ts";
import type { Rule } from "../programme/programme.ts";
import type { RuleContext } from "./matching.ts";
import { largestRemainder } from "./spread.ts";

interface Taken {
  line: number;
  pieces: number;
}

/** `incomplete`: the receipt contains no whole set. `no-gain`: the set is not cheaper than its goods. */
type BundleResult = { kind: "incomplete" } | { kind: "no-gain" } | { kind: "cheaper"; reductionKopecks: Map<number, number> };

/**
 * Applies a set price to all whole sets of pieces on the receipt. With `leastQuantity` a set is that many pieces of the rule's goods, the
 * most expensive pieces first. Otherwise a set is one piece of each product that the rule names. The saved amount is divided over the
 * pieces by their prices.
 */
export function bundled(rule: Rule, priceKopecks: number, lines: readonly number[], context: RuleContext): BundleResult {
  const { sets, taken } = setsIn(rule, lines, context);
  if (sets === 0) return { kind: "incomplete" };
  const weights = taken.map(({ line, pieces }) => (context.positions[line]?.priceKopecks ?? 0) * pieces);
  const saved = weights.reduce((sum, weight) => sum + weight, 0) - priceKopecks * sets;
  if (saved <= 0) return { kind: "no-gain" };
  const shares = largestRemainder(saved, weights);
  const reductionKopecks = new Map<number, number>();
  for (const [nth, { line }] of taken.entries()) reductionKopecks.set(line, (reductionKopecks.get(line) ?? 0) + (shares[nth] ?? 0));
  return { kind: "cheaper", reductionKopecks };
}

function setsIn({ when }: Rule, lines: readonly number[], context: RuleContext): { sets: number; taken: Taken[] } {
  if (when.leastQuantityMillionths !== undefined) {
    const size = Math.floor(when.leastQuantityMillionths / ONE_MILLIONTHS);
    const priceOf = (line: number) => context.positions[line]?.priceKopecks ?? 0;
    // Free goods do not count in a set with a number of pieces. A set of named products may contain free goods.
    const dearestFirst = lines.filter((line) => priceOf(line) > 0).sort((a, b) => priceOf(b) - priceOf(a) || a - b);
    const sets = Math.floor(piecesOf(dearestFirst, context) / size);
    return { sets, taken: takePieces(dearestFirst, sets * size, context) };
  }
  const products = new Set(when.products);
  const linesOf = (product: string) => context.byProduct.get(product) ?? [];
  const sets = Math.min(...[...products].map((product) => piecesOf(linesOf(product), context)));
  return { sets, taken: [...products].flatMap((product) => takePieces(linesOf(product), sets, context)) };
}

function takePieces(lines: readonly number[], wanted: number, context: RuleContext): Taken[] {
  const taken: Taken[] = [];
  let left = wanted;
  for (const line of lines) {
    const pieces = Math.min(left, piecesOf([line], context));
    if (pieces > 0) taken.push({ line, pieces });
    left -= pieces;
  }
  return taken;
}

/**
 * Counts pieces. A line with a fraction counts as 0, because such goods are sold by measure. The till's call has no unit of measure
 * (platform-contracts 6), so only the quantity shows how the goods are sold.
 */
function piecesOf(lines: readonly number[], context: RuleContext): number {
  return lines.reduce((sum, line) => sum + wholePieces(context.positions[line]?.quantityMillionths ?? 0), 0);
}

function wholePieces(quantityMillionths: number): number {
  return quantityMillionths % ONE_MILLIONTHS === 0 ? quantityMillionths / ONE_MILLIONTHS : 0;
}
