import { describe, expect, it } from "vitest";
import { planClawBack } from "../../../../src/loyalty/points/claw-back.ts";
import { type Consumption, type GiveBack, planGiveBack } from "../../../../src/loyalty/points/give-back.ts";
import { endOfDayAfterMs } from "../../../../src/loyalty/points/lot-dates.ts";
import { type Allocation, balanceAt, type Lot, planDebit, planRepayment } from "../../../../src/loyalty/points/lots.ts";
import type { ReturnedLine, SoldLine } from "../../../../src/loyalty/points/matching.ts";
import { type ReturnedSale, type ReturnShares, sharesOf } from "../../../../src/loyalty/points/shares.ts";
import { at, lot, position, programme, quoted, ZONE } from "../builders.ts";

/** The example of loyalty-model 15: lots L1 150 (ends 31 March) and L2 100 (ends 30 June), a sale of 1,000.00 with 200 points. */
const SALE_MS = at("2026-03-20 12:00:00");
const L1 = lot(1, 150, { expiresAtMs: at("2026-04-01 00:00:00") });
const L2 = lot(2, 100, { expiresAtMs: at("2026-07-01 00:00:00") });
const POLICY = programme().returns;

/** Takes the points of a plan out of the lots, and gives negative ones back. */
function moved(lots: readonly Lot[], allocations: readonly Allocation[], sign: 1 | -1 = -1): Lot[] {
  return lots.map((each) => {
    const points = allocations.filter(({ lotNumber }) => lotNumber === each.number).reduce((sum, one) => sum + one.points, 0);
    return { ...each, remaining: each.remaining + sign * points };
  });
}

function remaining(lots: readonly Lot[]): number[] {
  return lots.map((each) => each.remaining);
}

function soldLine(kopecks: number, pointsKopecks: number, over: Partial<SoldLine> = {}): SoldLine {
  const paidKopecks = kopecks - pointsKopecks;
  return {
    productId: "goods",
    quantityMillionths: 10_000_000,
    unitKopecks: paidKopecks / 10,
    paidKopecks,
    grossKopecks: kopecks,
    pointsKopecks,
    earningKopecks: paidKopecks,
    ...over,
  };
}

function sale(over: Partial<ReturnedSale> = {}): ReturnedSale {
  const lines = [soldLine(100_000, 20_000)];
  return { spentPoints: 200, earnedPoints: 40, givenBackPoints: 0, clawedBackPoints: 0, lines, returnedBefore: [], ...over };
}

function pieces(line: SoldLine, count: number): ReturnedLine {
  const { productId, unitKopecks } = line;
  return {
    productId,
    unitKopecks,
    quantityMillionths: count * 1_000_000,
    paidKopecks: unitKopecks * count,
    grossKopecks: (line.grossKopecks / 10) * count,
  };
}

function shared(shares: ReturnShares) {
  if (shares.kind !== "shared") throw new Error(shares.kind);
  return shares;
}

function givenBack(
  lots: readonly Lot[],
  consumed: readonly Consumption[],
  points: number,
  nowMs: number,
  expired = POLICY.expired,
): GiveBack {
  const graceEndsMs = endOfDayAfterMs(nowMs, POLICY.graceDays, ZONE);
  return planGiveBack({ consumed, points, lots, debtPoints: 0, nowMs, policy: { expired }, graceEndsMs, fullLifeEndsMs: null });
}

function clawedBack(lots: readonly Lot[], points: number, nowMs: number) {
  return planClawBack({ points, lots, ownLotNumbers: [3], ownExpiredPoints: 0, forgivenBeforePoints: 0, nowMs, policy: POLICY });
}

const CONSUMED: Consumption[] = [
  { lotNumber: 1, points: 150, givenBackPoints: 0 },
  { lotNumber: 2, points: 50, givenBackPoints: 0 },
];
const AFTER_SALE = [{ ...L1, remaining: 0 }, { ...L2, remaining: 50 }, lot(3, 40)];

describe("the worked example of a sale and its returns", () => {
  it("spends 200 of 250 points, L1 first, and earns 40", () => {
    const asked = {
      member: { status: "active", lots: [L1, L2], debtPoints: 0, tier: null, hasBought: true },
      nowMs: SALE_MS,
      positions: [position(100_000, 1)],
      transactionType: "SPENDING",
      preferredPoints: 200,
    } as const;
    expect(quoted(asked)).toMatchObject({
      balancePoints: 250,
      spendPoints: 200,
      earnPoints: 40,
      balanceAfterPoints: 90,
      paidByPointsKopecks: 20_000,
      positions: [{ discountedPriceKopecks: 80_000 }],
    });
    expect(planDebit([L2, L1], 200, SALE_MS)).toEqual({
      allocations: [
        { lotNumber: 1, points: 150 },
        { lotNumber: 2, points: 50 },
      ],
      shortPoints: 0,
    });
  });

  it("gives 60 back and takes 12 back, then 140 and 28, and ends as before the sale", () => {
    const nowMs = at("2026-03-25 12:00:00");
    const [line] = sale().lines as [SoldLine];
    const first = shared(sharesOf(sale(), [pieces(line, 3)], POLICY));
    expect(first).toEqual({ kind: "shared", by: "lines", giveBackPoints: 60, clawBackPoints: 12, lines: [pieces(line, 3)] });
    const back = givenBack(AFTER_SALE, CONSUMED, 60, nowMs);
    expect(back.allocations).toEqual([
      { lotNumber: 2, points: 50 },
      { lotNumber: 1, points: 10 },
    ]);
    const restored = moved(AFTER_SALE, back.allocations, 1);
    const between = moved(restored, clawedBack(restored, 12, nowMs).allocations);
    expect(remaining(between)).toEqual([10, 100, 28]);
    expect(balanceAt(between, 0, nowMs).availablePoints).toBe(138);

    const rest = sale({ givenBackPoints: 60, clawedBackPoints: 12, returnedBefore: [pieces(line, 3)] });
    const second = shared(sharesOf(rest, [pieces(line, 7)], POLICY));
    expect(second).toMatchObject({ giveBackPoints: 140, clawBackPoints: 28, lines: [pieces(line, 7)] });
    const consumed = CONSUMED.map((each, nth) => ({ ...each, givenBackPoints: back.perConsumption[nth] ?? 0 }));
    const last = moved(between, givenBack(between, consumed, 140, nowMs).allocations, 1);
    expect(remaining(moved(last, clawedBack(last, 28, nowMs).allocations))).toEqual([150, 100, 0]);
  });

  it("gives 33, 34 and 33 for three equal returns of 100 points", () => {
    const lines = [soldLine(90_000, 10_000, { quantityMillionths: 3_000_000, unitKopecks: 26_667 })];
    const one = { productId: "goods", unitKopecks: 26_667, quantityMillionths: 1_000_000, paidKopecks: 26_667, grossKopecks: 30_000 };
    let returning = sale({ spentPoints: 100, earnedPoints: 0, lines });
    const given = [1, 2, 3].map(() => {
      const { giveBackPoints } = shared(sharesOf(returning, [one], POLICY));
      returning = {
        ...returning,
        givenBackPoints: returning.givenBackPoints + giveBackPoints,
        returnedBefore: [...returning.returnedBefore, one],
      };
      return giveBackPoints;
    });
    expect(given).toEqual([33, 34, 33]);
    expect(sharesOf(returning, [one], POLICY)).toEqual({ kind: "more-than-sold", productId: "goods" });
  });

  it("takes from other lots by the spend order once L3 was spent, and from nobody without lots", () => {
    const nowMs = at("2026-03-25 12:00:00");
    const lots = [{ ...L1, remaining: 10 }, { ...L2, remaining: 100 }, lot(3, 40, { remaining: 0 })];
    expect(clawedBack(lots, 12, nowMs)).toEqual({
      allocations: [
        { lotNumber: 1, points: 10 },
        { lotNumber: 2, points: 2 },
      ],
      debtPoints: 0,
      forgivenPoints: 0,
    });
    expect(clawedBack([], 12, nowMs)).toEqual({ allocations: [], debtPoints: 12, forgivenPoints: 0 });
    expect(planRepayment([lot(9, 40)], 12, nowMs)).toEqual([{ lotNumber: 9, points: 12 }]);
  });

  it("brings expired points of L1 back on 5 April as a lot that ends on 19 April", () => {
    const nowMs = at("2026-04-05 15:00:00");
    const back = givenBack(AFTER_SALE, CONSUMED, 60, nowMs);
    expect(back.allocations).toEqual([{ lotNumber: 2, points: 50 }]);
    expect(back.newLots).toEqual([{ points: 10, activeFromMs: nowMs, expiresAtMs: at("2026-04-20 00:00:00") }]);
    expect(givenBack(AFTER_SALE, CONSUMED, 60, nowMs, "forfeit")).toMatchObject({ newLots: [], forfeitedPoints: 10 });
    expect(givenBack(AFTER_SALE, CONSUMED, 60, nowMs, "full").newLots).toEqual([{ points: 10, activeFromMs: nowMs, expiresAtMs: null }]);
  });
});
