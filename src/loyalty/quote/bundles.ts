import { ONE_MILLIONTHS } from "../../kernel/quantity.ts";
import type { Rule } from "../programme/programme.ts";
import type { Scene } from "./matching.ts";
import { largestRemainder } from "./spread.ts";

/** Pieces of a line that belong to sets. */
interface Taken {
  line: number;
  pieces: number;
}

/** What a set price takes off each of its lines. `incomplete`: no whole set is there. `no-gain`: the goods cost no more without it. */
type BundleResult = { kind: "incomplete" } | { kind: "no-gain" } | { kind: "cheaper"; reductionKopecks: Map<number, number> };

/**
 * As many sets as the receipt holds, of whole pieces: of any `leastQuantity` pieces the rule's goods, the dearest first, or else of one
 * piece of each product that the rule names. What a set saves is shared out over its pieces by their prices.
 */
export function bundled(rule: Rule, priceKopecks: number, lines: readonly number[], scene: Scene): BundleResult {
  const { sets, taken } = setsIn(rule, lines, scene);
  if (sets === 0) return { kind: "incomplete" };
  const weights = taken.map(({ line, pieces }) => (scene.positions[line]?.priceKopecks ?? 0) * pieces);
  const saved = weights.reduce((sum, weight) => sum + weight, 0) - priceKopecks * sets;
  if (saved <= 0) return { kind: "no-gain" };
  const shares = largestRemainder(saved, weights);
  const reductionKopecks = new Map<number, number>();
  for (const [nth, { line }] of taken.entries()) reductionKopecks.set(line, (reductionKopecks.get(line) ?? 0) + (shares[nth] ?? 0));
  return { kind: "cheaper", reductionKopecks };
}

function setsIn({ when }: Rule, lines: readonly number[], scene: Scene): { sets: number; taken: Taken[] } {
  if (when.leastQuantityMillionths !== undefined) {
    const size = Math.floor(when.leastQuantityMillionths / ONE_MILLIONTHS);
    const priceOf = (line: number) => scene.positions[line]?.priceKopecks ?? 0;
    const dearestFirst = [...lines].sort((a, b) => priceOf(b) - priceOf(a) || a - b);
    const sets = Math.floor(piecesOf(lines, scene) / size);
    return { sets, taken: takePieces(dearestFirst, sets * size, scene) };
  }
  const products = new Set(when.products);
  const linesOf = (product: string) => scene.byProduct.get(product) ?? [];
  const sets = Math.min(...[...products].map((product) => piecesOf(linesOf(product), scene)));
  return { sets, taken: [...products].flatMap((product) => takePieces(linesOf(product), sets, scene)) };
}

function takePieces(lines: readonly number[], wanted: number, scene: Scene): Taken[] {
  const taken: Taken[] = [];
  let left = wanted;
  for (const line of lines) {
    const pieces = Math.min(left, piecesOf([line], scene));
    if (pieces > 0) taken.push({ line, pieces });
    left -= pieces;
  }
  return taken;
}

/** Whole pieces; what is sold by weight makes no set. */
function piecesOf(lines: readonly number[], scene: Scene): number {
  return lines.reduce((sum, line) => sum + Math.floor((scene.positions[line]?.quantityMillionths ?? 0) / ONE_MILLIONTHS), 0);
}
