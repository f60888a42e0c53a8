import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planClawBack } from "../../../../src/loyalty/points/claw-back.ts";
import { type Consumption, planGiveBack } from "../../../../src/loyalty/points/give-back.ts";
import { balanceAt, type Debit, type Lot, planDebit, planExpiry, planRepayment } from "../../../../src/loyalty/points/lots.ts";
import { lot } from "../builders.ts";

const NOW_MS = 1_000_000;

const anyLots = fc
  .array(
    fc.record({
      original: fc.integer({ min: 1, max: 300 }),
      used: fc.nat(300),
      activeFromMs: fc.constantFrom(0, NOW_MS - 1, NOW_MS, NOW_MS + 1),
      expiresAtMs: fc.constantFrom(null, NOW_MS - 1, NOW_MS, NOW_MS + 1, NOW_MS + 2),
    }),
    { maxLength: 8 },
  )
  .map((lots) =>
    lots.map(({ original, used, ...dates }, nth) => lot(nth + 1, original, { ...dates, remaining: Math.max(0, original - used) })),
  );

function numbers({ allocations }: Debit): number[] {
  return allocations.map(({ lotNumber }) => lotNumber);
}

describe("a debit", () => {
  it("takes the earliest end first, then the earliest beginning, then the lowest number, and lots without an end last", () => {
    const lots = [
      lot(1, 5),
      lot(2, 5, { activeFromMs: 7, expiresAtMs: NOW_MS + 9 }),
      lot(5, 5, { activeFromMs: 3, expiresAtMs: NOW_MS + 9 }),
      lot(4, 5, { activeFromMs: 3, expiresAtMs: NOW_MS + 9 }),
      lot(6, 5, { activeFromMs: 9, expiresAtMs: NOW_MS + 8 }),
      lot(7, 5, { expiresAtMs: NOW_MS }),
      lot(8, 5, { activeFromMs: NOW_MS + 1 }),
    ];
    expect(planDebit(lots, 100, NOW_MS)).toMatchObject({ shortPoints: 75 });
    expect(numbers(planDebit(lots, 100, NOW_MS))).toEqual([6, 4, 5, 2, 1]);
    expect(planDebit(lots, 7, NOW_MS)).toEqual({
      allocations: [
        { lotNumber: 6, points: 5 },
        { lotNumber: 4, points: 2 },
      ],
      shortPoints: 0,
    });
  });

  it("FreeOpenSourcePOS/FloCafe#78: names the lots that it consumes, so expiry takes no more than what is left of them", () => {
    const lots = [lot(1, 100, { expiresAtMs: NOW_MS + 10 }), lot(2, 50, { expiresAtMs: NOW_MS + 20 })];
    const { allocations } = planDebit(lots, 80, NOW_MS);
    const after = lots.map((each) => ({
      ...each,
      remaining: each.remaining - (allocations.find((one) => one.lotNumber === each.number)?.points ?? 0),
    }));
    expect(planExpiry(after, NOW_MS + 10)).toEqual([{ lotNumber: 1, points: 20 }]);
    expect(balanceAt(after, 0, NOW_MS + 10)).toMatchObject({ availablePoints: 50 });
  });

  it("never takes more than a lot holds, and is what it takes and what is missing", () => {
    fc.assert(
      fc.property(anyLots, fc.nat(2_000), (lots, points) => {
        const { allocations, shortPoints } = planDebit(lots, points, NOW_MS);
        for (const { lotNumber, points: taken } of allocations) {
          const of = lots[lotNumber - 1] as Lot;
          expect(taken > 0 && taken <= of.remaining && of.activeFromMs <= NOW_MS && (of.expiresAtMs ?? NOW_MS + 1) > NOW_MS).toBe(true);
        }
        expect(allocations.reduce((sum, each) => sum + each.points, shortPoints)).toBe(points);
        expect(shortPoints).toBe(Math.max(0, points - balanceAt(lots, 0, NOW_MS).activePoints));
      }),
    );
  });
});

describe("expiry", () => {
  it("liberusoftware/ecommerce-laravel PR 1056, odoo/odoo#206048: follows from the dates alone, and a job that is late or runs twice changes no balance", () => {
    fc.assert(
      fc.property(anyLots, fc.nat(3), (lots, laterMs) => {
        const nowMs = NOW_MS + laterMs;
        const before = balanceAt(lots, 0, nowMs);
        const plan = planExpiry(lots, nowMs);
        const after = lots.map((each) => (plan.some(({ lotNumber }) => lotNumber === each.number) ? { ...each, remaining: 0 } : each));
        expect(balanceAt(after, 0, nowMs)).toEqual(before);
        expect(planExpiry(after, nowMs)).toEqual([]);
      }),
    );
  });
});

describe("a debt", () => {
  it("is repaid by active lots in spend order, and never by pending ones", () => {
    const lots = [lot(1, 10, { activeFromMs: NOW_MS + 1 }), lot(2, 10), lot(3, 10, { expiresAtMs: NOW_MS + 1 })];
    expect(planRepayment(lots, 12, NOW_MS)).toEqual([
      { lotNumber: 3, points: 10 },
      { lotNumber: 2, points: 2 },
    ]);
    expect(planRepayment(lots, 0, NOW_MS)).toEqual([]);
  });
});

describe("what a sale has consumed", () => {
  const back = (consumed: Consumption[], points: number, lots: Lot[], debtPoints = 0) =>
    planGiveBack({
      consumed,
      points,
      lots,
      debtPoints,
      nowMs: NOW_MS,
      policy: { expired: "grace" },
      graceEndsMs: NOW_MS + 14,
      fullLifeEndsMs: NOW_MS + 365,
    });

  it("lowers the debt first, because it became debt last, and is a new lot where the debt was repaid", () => {
    const consumed = [
      { lotNumber: 1, points: 30, givenBackPoints: 0 },
      { lotNumber: null, points: 20, givenBackPoints: 0 },
    ];
    const lots = [lot(1, 30, { remaining: 0 })];
    expect(back(consumed, 25, lots, 20)).toMatchObject({ debtReliefPoints: 20, allocations: [{ lotNumber: 1, points: 5 }], newLots: [] });
    expect(back(consumed, 25, lots, 4)).toMatchObject({
      debtReliefPoints: 4,
      newLots: [{ points: 16, activeFromMs: NOW_MS, expiresAtMs: NOW_MS + 365 }],
      perConsumption: [5, 20],
    });
  });

  it("comes back with the later one of the old date and the grace", () => {
    const consumed = [{ lotNumber: 1, points: 30, givenBackPoints: 0 }];
    expect(back(consumed, 30, [lot(1, 30, { remaining: 0, expiresAtMs: NOW_MS })]).newLots).toEqual([
      { points: 30, activeFromMs: NOW_MS, expiresAtMs: NOW_MS + 14 },
    ]);
  });

  it("comes back whole, in any split, and never more than it", () => {
    fc.assert(
      fc.property(anyLots, fc.nat(2_000), fc.array(fc.nat(400), { maxLength: 6 }), (lots, points, parts) => {
        const { allocations, shortPoints } = planDebit(lots, points, NOW_MS);
        const spent = [
          ...allocations.map((each) => ({ ...each, givenBackPoints: 0 })),
          { lotNumber: null, points: shortPoints, givenBackPoints: 0 },
        ];
        let consumed: Consumption[] = spent;
        let debtPoints = shortPoints;
        const remaining = new Map(lots.map((each) => [each.number, each.remaining]));
        const move = (lotNumber: number, by: number) => remaining.set(lotNumber, (remaining.get(lotNumber) ?? 0) + by);
        for (const each of allocations) move(each.lotNumber, -each.points);
        for (const part of [...parts, 5_000]) {
          const plan = back(consumed, part, lots, debtPoints);
          for (const each of plan.allocations) move(each.lotNumber, each.points);
          debtPoints -= plan.debtReliefPoints;
          expect(plan.newLots).toEqual([]);
          consumed = consumed.map((each, nth) => ({ ...each, givenBackPoints: each.givenBackPoints + (plan.perConsumption[nth] ?? 0) }));
        }
        expect(debtPoints).toBe(0);
        expect([...remaining.values()]).toEqual(lots.map((each) => each.remaining));
      }),
    );
  });
});

describe("what a sale has earned", () => {
  const taken = (lots: Lot[], points: number, over: Partial<Parameters<typeof planClawBack>[0]> = {}) =>
    planClawBack({
      points,
      lots,
      ownLotNumbers: [9],
      ownExpiredPoints: 0,
      forgivenBeforePoints: 0,
      nowMs: NOW_MS,
      policy: { debt: "remember" },
      ...over,
    });

  it("is taken from its own lot first, though that is pending or ends last", () => {
    const lots = [lot(1, 50, { expiresAtMs: NOW_MS + 1 }), lot(9, 40, { activeFromMs: NOW_MS + 5 })];
    expect(taken(lots, 45).allocations).toEqual([
      { lotNumber: 9, points: 40 },
      { lotNumber: 1, points: 5 },
    ]);
  });

  it("is taken from every lot that undone merges have made of its own, before any other", () => {
    const lots = [lot(1, 50, { expiresAtMs: NOW_MS + 1 }), lot(9, 30), lot(12, 5, { expiresAtMs: NOW_MS }), lot(13, 20)];
    expect(taken(lots, 60, { ownLotNumbers: [9, 12, 13] })).toEqual({
      allocations: [
        { lotNumber: 9, points: 30 },
        { lotNumber: 13, points: 20 },
        { lotNumber: 1, points: 5 },
      ],
      debtPoints: 0,
      forgivenPoints: 5,
    });
  });

  it("is not taken where it has expired, once for all returns, whether or not the job has written it", () => {
    const over = [lot(9, 40, { expiresAtMs: NOW_MS }), lot(1, 50)];
    expect(taken(over, 12)).toEqual({ allocations: [], debtPoints: 0, forgivenPoints: 12 });
    const written = [lot(9, 40, { remaining: 0, expiresAtMs: NOW_MS }), lot(1, 50)];
    expect(taken(written, 12, { ownExpiredPoints: 40 })).toEqual({ allocations: [], debtPoints: 0, forgivenPoints: 12 });
    expect(taken(written, 28, { ownExpiredPoints: 30, forgivenBeforePoints: 12 })).toEqual({
      allocations: [{ lotNumber: 1, points: 10 }],
      debtPoints: 0,
      forgivenPoints: 18,
    });
  });

  it("odoo/odoo PR 257854: is owed where it was spent meanwhile, unless the programme forgets debts", () => {
    const lots = [lot(9, 40, { remaining: 10 }), lot(1, 5), lot(2, 70, { activeFromMs: NOW_MS + 1 })];
    expect(taken(lots, 40)).toMatchObject({ debtPoints: 25, forgivenPoints: 0 });
    expect(taken(lots, 40, { policy: { debt: "forget" } })).toMatchObject({ debtPoints: 0, forgivenPoints: 25 });
  });

  it("odoo/odoo#212922, #221928: is never added by a return, and each part has its sign", () => {
    fc.assert(
      fc.property(anyLots, fc.nat(500), fc.array(fc.nat(9), { maxLength: 3 }), (lots, points, own) => {
        const { allocations, debtPoints, forgivenPoints } = taken(lots, points, { ownLotNumbers: own });
        for (const each of allocations) expect(each.points > 0 && each.points <= (lots[each.lotNumber - 1] as Lot).remaining).toBe(true);
        expect(Math.min(debtPoints, forgivenPoints)).toBeGreaterThanOrEqual(0);
        expect(allocations.reduce((sum, each) => sum + each.points, debtPoints + forgivenPoints)).toBe(points);
      }),
    );
  });
});
