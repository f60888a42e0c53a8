import type { SlowTier } from "../../support/slow-tiers.ts";
import type { SeededChance } from "../seeded-chance.ts";

/** The settings in which the simulated programmes differ. */
export interface ProgrammeChoice {
  lifeDays: number;
  waitDays: number;
  graceDays: number;
  tiers: readonly SlowTier[];
}

/** The percents of the money that are earned as points, in hundredths of a percent. One of them is in force. */
export const PERCENTS = [500, 300, 1_000] as const;
/** Goods with a set price, goods with a percent off, and all other goods. */
const SET_PRICE = { productId: "set", kopecks: 5_000 };
const CHEAPER = { productId: "cheaper", percent: 10 };
export const PRODUCTS = ["a", "b", SET_PRICE.productId, CHEAPER.productId] as const;

export function programmeOf(chance: SeededChance): ProgrammeChoice {
  const waitDays = chance.pick([0, 0, 1, 3]);
  return {
    lifeDays: Math.max(3 + chance.below(20), waitDays + 1),
    waitDays,
    graceDays: chance.below(15),
    tiers: [
      { name: "silver", fromKopecks: 150_000, window: chance.pick(["year", "rolling"]), multiplierHundredths: 150 },
      { name: "gold", fromKopecks: 500_000, window: chance.pick(["year", "rolling", "lifetime"]), multiplierHundredths: 200 },
    ],
  };
}

/** The programme as an owner writes it. `returns` has its further rules of returns. */
export function programmeText(choice: ProgrammeChoice, percentHundredths: number, returns: object): string {
  const { lifeDays, waitDays, graceDays, tiers } = choice;
  return JSON.stringify({
    earnPercent: percentHundredths / 100,
    expiry: { kind: "days", days: lifeDays },
    activation: waitDays === 0 ? { kind: "at-once" } : { kind: "days", days: waitDays },
    returns: { graceDays, ...returns },
    tiers: tiers.map(({ multiplierHundredths, ...tier }) => ({ ...tier, multiplier: multiplierHundredths / 100 })),
    rules: [
      { id: "set", effect: "fixed-price", value: SET_PRICE.kopecks, when: { products: [SET_PRICE.productId] } },
      { id: "cheaper", effect: "percent", value: CHEAPER.percent, when: { products: [CHEAPER.productId] } },
    ],
  });
}

/** The price of one unit with the discounts of the rules, computed in the simplest way. */
export function discountedUnit(productId: string, priceKopecks: number): number {
  if (productId === SET_PRICE.productId) return Math.min(priceKopecks, SET_PRICE.kopecks);
  return productId === CHEAPER.productId ? Math.floor((priceKopecks * (100 - CHEAPER.percent) + 50) / 100) : priceKopecks;
}
