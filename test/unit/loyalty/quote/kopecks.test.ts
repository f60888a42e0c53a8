import { describe, expect, it } from "vitest";
import { lineKopecks, type QuotePosition } from "../../../../src/loyalty/quote/line.ts";
import type { Quote } from "../../../../src/loyalty/quote/quote.ts";
import { sample } from "../../../support/extent.ts";
import { member, position, programme, quoted } from "../builders.ts";

/**
 * Every receipt of one to five lines from a grid of prices and quantities, with every number of points of a grid. The sum taken off the
 * lines must be exactly the sum paid with points and the sum that the rules take off.
 */
const PRICES = [1, 99, 9_999, 33_333];
const QUANTITIES = [1, 3, 7, 1.7];
const POINTS = [1, 2, 33, 1_000_000];
const MAX_LINES = 5;
/** The time limit of the long run: 80,000 quotes on a busy machine. */
const TIMEOUT_MS = 240_000;
/** The number of receipts in the short run. */
const SAMPLE = 600;

const GOODS = PRICES.flatMap((priceKopecks) => QUANTITIES.map((quantity) => ({ priceKopecks, quantity })));

/** The numbers of the goods of every receipt. Receipts that differ only in the order of their lines are made once. */
function* receipts(lines: number, from = 0): Generator<number[]> {
  if (lines === 0) yield [];
  else
    for (let first = from; first < GOODS.length; first++) {
      for (const rest of receipts(lines - 1, first)) yield [first, ...rest];
    }
}

/** Every second receipt has its lines in reverse order, so that expensive goods come before cheap ones too. */
function positionsOf(receipt: readonly number[], nth: number): QuotePosition[] {
  const goods = nth % 2 === 0 ? receipt : receipt.toReversed();
  return goods.map((number, line) => {
    const { priceKopecks, quantity } = GOODS[number] ?? { priceKopecks: 1, quantity: 1 };
    const serials = Number.isInteger(quantity) ? Array.from({ length: quantity }, (_, piece) => `${line}/${piece}`) : undefined;
    return position(priceKopecks, quantity, { productId: `${line}`, ...(serials === undefined ? {} : { serials }) });
  });
}

/** The fault of an answer. Undefined: there is none. It uses plain comparisons, because there are many answers. */
function faultOf(positions: readonly QuotePosition[], answer: Quote<QuotePosition>, pointValueKopecks: number): string | undefined {
  const total = positions.reduce((sum, each) => sum + lineKopecks(each.priceKopecks, each.quantityMillionths), 0);
  const left = answer.positions.reduce((sum, each) => sum + lineKopecks(each.discountedPriceKopecks, each.quantityMillionths), 0);
  if (left + answer.spendPoints * pointValueKopecks !== total - answer.discountKopecks) return "the sums differ";
  if (answer.paidByPointsKopecks !== answer.spendPoints * pointValueKopecks) return "points are not worth what they pay";
  for (const each of answer.positions) {
    if (each.discountedPriceKopecks < 0 || each.discountedPriceKopecks > each.priceKopecks) return "a price is out of range";
    if (each.discountPercentHundredths < 0 || each.discountPercentHundredths > 10_000) return "a percent is out of range";
    if (each.serials !== undefined && each.serials.length * 1_000_000 !== each.quantityMillionths) return "serial numbers do not fit";
  }
  return faultOfOrder(positions, answer);
}

function faultOfOrder(positions: readonly QuotePosition[], answer: Quote<QuotePosition>): string | undefined {
  let next = 0;
  for (const [line, asked] of positions.entries()) {
    let quantity = 0;
    const serials: unknown[] = [];
    while (answer.positions[next]?.productId === `${line}`) {
      quantity += answer.positions[next]?.quantityMillionths ?? 0;
      serials.push(...(answer.positions[next]?.serials ?? []));
      next += 1;
    }
    if (quantity !== asked.quantityMillionths) return "a quantity is lost";
    if (serials.join() !== (asked.serials ?? []).join()) return "a serial number is lost or out of order";
  }
  return next === answer.positions.length ? undefined : "a line is out of order";
}

describe("every receipt of up to five lines", () => {
  const programmes = [
    programme({ spend: { sharePercent: 100 }, pointValueKopecks: 1 }),
    programme({ spend: { sharePercent: 50 }, pointValueKopecks: 7, rules: [{ id: "r", effect: "percent", value: 33.33 }] }),
    programme({
      spend: { sharePercent: 99.99 },
      pointValueKopecks: 100,
      rules: [{ id: "set", effect: "bundle", value: 5, when: { leastQuantity: 3 } }],
    }),
  ];
  const all = Array.from({ length: MAX_LINES }, (_, nth) => [...receipts(nth + 1)]).flat();

  it(
    "odoo/odoo PR 275961, 288853, 237624, 156897: adds up to the kopeck with its points, in its order, with all its serial numbers",
    () => {
      expect(all).toHaveLength(20_348);
      for (const [nth, receipt] of sample(all, SAMPLE).entries()) {
        const positions = positionsOf(receipt, nth);
        const of = programmes[nth % programmes.length] ?? programme();
        for (const preferredPoints of POINTS) {
          const answer = quoted({ programme: of, member: member(10_000_000), positions, transactionType: "SPENDING", preferredPoints });
          const fault = faultOf(positions, answer, of.pointValueKopecks);
          if (fault !== undefined) expect.fail(`${fault}: ${JSON.stringify({ positions, preferredPoints, nth })}`);
        }
      }
    },
    TIMEOUT_MS,
  );
});
