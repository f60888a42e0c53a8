import { ONE_MILLIONTHS } from "../../kernel/quantity.ts";
import type { Rule } from "../programme/programme.ts";
import type { RuleContext } from "./conditions.ts";
import { largestRemainder } from "./spread.ts";

interface Taken {
  line: number;
  pieces: number;
}

/** `kopecks` has the reduction of each line in `lines`, in the same order. No line is named twice. */
export interface BundleReductions {
  lines: number[];
  kopecks: number[];
}

/** `incomplete`: the receipt contains no whole set. `no-gain`: the set is not cheaper than its goods. */
type BundleResult = { kind: "incomplete" } | { kind: "no-gain" } | ({ kind: "cheaper" } & BundleReductions);

/**
 * Applies a set price to all whole sets of pieces on the receipt. With a least quantity a set is that many pieces of the rule's goods, the
 * most expensive first. Otherwise a set is one piece of each product that the rule names. The pieces share the saved amount by their
 * prices. `dearestFirst`: the result of the function `dearestFirst` for the receipt.
 */
export function bundled(
  { rule, lines }: { rule: Rule; lines: readonly number[] },
  priceKopecks: number,
  dearestFirst: readonly number[],
  context: RuleContext,
): BundleResult {
  const { sets, taken } = setsIn(rule, lines, dearestFirst, context);
  if (sets === 0) return { kind: "incomplete" };
  const weights = taken.map(({ line, pieces }) => (context.positions[line]?.priceKopecks ?? 0) * pieces);
  const saved = weights.reduce((sum, weight) => sum + weight, 0) - priceKopecks * sets;
  if (saved <= 0) return { kind: "no-gain" };
  return { kind: "cheaper", lines: taken.map(({ line }) => line), kopecks: largestRemainder(saved, weights) };
}

/** Returns the lines that have a price, the most expensive first. Sort once for a receipt: it may have two hundred set prices. */
export function dearestFirst({ positions }: Pick<RuleContext, "positions">): number[] {
  const priceOf = (line: number) => positions[line]?.priceKopecks ?? 0;
  // Free goods do not count towards a number of pieces. A set of named products may contain them.
  return [...positions.keys()].filter((line) => priceOf(line) > 0).sort((a, b) => priceOf(b) - priceOf(a) || a - b);
}

function setsIn(
  { when }: Rule,
  lines: readonly number[],
  dearest: readonly number[],
  context: RuleContext,
): { sets: number; taken: Taken[] } {
  if (when.leastQuantityMillionths !== undefined) {
    const size = Math.floor(when.leastQuantityMillionths / ONE_MILLIONTHS);
    const own = new Uint8Array(context.positions.length);
    for (const line of lines) own[line] = 1;
    const dearestOwn = lines === context.allLines ? dearest : dearest.filter((line) => own[line] === 1);
    const sets = Math.floor(piecesOf(dearestOwn, context) / size);
    return { sets, taken: takePieces(dearestOwn, sets * size, context) };
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
    const pieces = Math.min(left, piecesOn(line, context));
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
  return lines.reduce((sum, line) => sum + piecesOn(line, context), 0);
}

function piecesOn(line: number, { positions }: RuleContext): number {
  const quantityMillionths = positions[line]?.quantityMillionths ?? 0;
  return quantityMillionths % ONE_MILLIONTHS === 0 ? quantityMillionths / ONE_MILLIONTHS : 0;
}
