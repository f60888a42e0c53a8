import type { SeededChance } from "../../seeded-chance.ts";

export const GOODS = ["gum", "tobacco", "tea", "cake"];
const MOST_RULES = 5;

/** A programme with the rules that are best for a thief. Points never expire and debts are remembered, so that the sums show every gain. */
export function anyProgramme(chance: SeededChance): object {
  return {
    pointValueKopecks: chance.pick([1, 7, 100, 100]),
    earnPercent: chance.pick([0, 1, 5, 10]),
    rounding: chance.pick(["down", "half-up", "up"]),
    earnOnPoints: chance.happens(0.3),
    earnWhileSpending: chance.happens(0.7),
    spend: { sharePercent: chance.pick([30, 50, 100]), excluded: chance.happens(0.3) ? [chance.pick(GOODS)] : [] },
    tiers: chance.happens(0.3) ? [{ name: "gold", fromKopecks: 100_000, window: "lifetime", multiplier: 3 }] : [],
    activation: chance.happens(0.3) ? { kind: "days", days: 2 } : { kind: "at-once" },
    rules: Array.from({ length: chance.below(MOST_RULES) }, (_, nth) => anyRule(chance, nth)),
  };
}

function anyRule(chance: SeededChance, nth: number): object {
  const [effect, value] = chance.pick([
    ["percent", chance.pick([5, 33.33, 50, 99])],
    ["fixed-price", chance.below(20_000)],
    ["bundle", chance.below(30_000)],
    ["multiplier", chance.pick([0, 0, 0.5, 3, 10])],
    ["points", 1 + chance.below(600)],
  ] as const);
  const when = {
    ...(effect === "bundle" || chance.happens(0.2) ? { leastQuantity: 2 + chance.below(3) } : {}),
    ...(chance.happens(0.5) ? { products: [chance.pick(GOODS)] } : {}),
    ...(chance.happens(0.4) ? { leastTotalKopecks: chance.below(200_000) } : {}),
    ...(chance.happens(0.2) ? { firstPurchase: chance.happens(0.7) } : {}),
  };
  return { id: `rule ${nth}`, effect, value, when, group: chance.pick(["", "x", "y"]) };
}
