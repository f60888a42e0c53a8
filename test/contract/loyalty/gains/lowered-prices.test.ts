import { expect, it } from "vitest";
import { SeededChance } from "../../../simulation/seeded-chance.ts";
import { recalc } from "../../../support/loyalty-contract.ts";
import { asked, goods, LoyaltyTill, productId } from "../../../support/loyalty-till.ts";

const SEEDS = [4, 7, 11];
const SALES = 4;
const THOUSAND = 1_000;

/** A line of a quote. Prices are in roubles; `sold`: what the till takes in the end. */
interface Line {
  nth: number;
  quantity: number;
  price: number;
  quoted: number;
  sold: number;
}

it.each(SEEDS)("a price that is lowered by hand after the quote moves no points of other goods: seed %i", async (seed) => {
  const chance = new SeededChance(seed);
  const spend = { sharePercent: chance.pick([30, 50, 99]) };
  const till = await LoyaltyTill.open({ pointValueKopecks: chance.pick([1, 100, 700]), earnPercent: chance.pick([0, 5, 33.33]), spend });
  await till.grant(1_000_000);
  const before = await till.balance();
  for (let sale = 0; sale < SALES; sale++) {
    const { lines, points } = await quoted(till, chance);
    const lowered = chance.pick(lines);
    lowered.sold = Math.floor(lowered.sold * chance.below(100)) / 100;
    await till.sell(`s${sale}`, lines.map(soldLine), { spend: points, earn: 90_000_000 });
    await expectFairReturns(till, `s${sale}`, lines, points);
    expect(await till.balance()).toBe(before);
  }
});

/** A receipt of one to four goods that spends what it can. A moment passes after its quote. */
async function quoted(till: LoyaltyTill, chance: SeededChance): Promise<{ lines: Line[]; points: number }> {
  const positions = Array.from({ length: 1 + chance.below(4) }, (_, nth) =>
    asked(nth, chance.pick([0.001, 0.333, 1, 2, 3, 7]), chance.pick([0.01, 0.99, 33.33, 100, 999.99])),
  );
  const { body } = await till.contract.post("/retaildemand/recalc", recalc({ positions, bonusProgram: { transactionType: "SPENDING" } }));
  await till.bench.clock.advance(THOUSAND);
  const answered: { assortment: { meta: { id: string } }; quantity: number; price: number; discountedPrice: number }[] = body.positions;
  const lines = answered.map(({ assortment, quantity, price, discountedPrice }): Line => {
    const nth = positions.findIndex((_position, index) => productId(index) === assortment.meta.id);
    return { nth, quantity, price, quoted: discountedPrice, sold: discountedPrice };
  });
  return { lines, points: body.bonusProgram.bonusValueToSpend };
}

/**
 * Brings the goods back one after the other: each with the points that the quote has taken for it, within one point and one more for each
 * line.
 */
async function expectFairReturns(till: LoyaltyTill, saleId: string, lines: readonly Line[], points: number): Promise<void> {
  const whole = paidByPoints(lines);
  let back: Line[] = [];
  for (const nth of new Set(lines.map((line) => line.nth))) {
    const own = lines.filter((line) => line.nth === nth);
    await till.bringBack(`${saleId}-${nth}`, saleId, own.map(soldLine));
    back = [...back, ...own];
    const { given_back: given } = await till.bench.store.read((db) =>
      db
        .selectFrom("loyalty_orders")
        .select("given_back")
        .where("type", "=", "sale")
        .where("document_key", "=", saleId)
        .executeTakeFirstOrThrow(),
    );
    const fair = whole === 0 ? 0 : (points * paidByPoints(back)) / whole;
    expect(Math.abs(given - fair), `${given} and not ${fair} of ${points} points`).toBeLessThanOrEqual(1 + lines.length);
  }
}

function soldLine({ nth, quantity, price, sold }: Line): object {
  return goods(nth, quantity, price, sold);
}

function paidByPoints(lines: readonly Line[]): number {
  return lines.reduce((sum, { quantity, price, quoted }) => sum + kopecks(price, quantity) - kopecks(quoted, quantity), 0);
}

function kopecks(price: number, quantity: number): number {
  return Math.floor((Math.round(price * 100) * Math.round(quantity * THOUSAND)) / THOUSAND + 0.5);
}
