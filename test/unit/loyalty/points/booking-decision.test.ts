import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type BookingInput, decideBooking } from "../../../../src/loyalty/points/booking-decision.ts";

function booked(over: Partial<BookingInput> = {}) {
  return decideBooking({
    stated: { spendPoints: 0, earnPoints: 0 },
    availablePoints: 0,
    paidByPointsKopecks: 0,
    pointValueKopecks: 100,
    recomputedEarnPoints: 0,
    earnWhileSpending: true,
    needsCode: false,
    wasCodeRequested: false,
    ...over,
  });
}

describe("a sale", () => {
  it("is booked as it states, when the account holds the points and the programme gives them", () => {
    const over = { stated: { spendPoints: 50, earnPoints: 7 }, availablePoints: 120, paidByPointsKopecks: 5_000, recomputedEarnPoints: 7 };
    expect(booked(over)).toEqual({ spendPoints: 50, debtPoints: 0, earnPoints: 7, anomalies: [] });
  });

  it("leaves a debt of what the account does not hold, because the receipt is printed", () => {
    expect(booked({ stated: { spendPoints: 50, earnPoints: 0 }, availablePoints: 20, paidByPointsKopecks: 5_000 })).toEqual({
      spendPoints: 50,
      debtPoints: 30,
      earnPoints: 0,
      anomalies: [{ kind: "short-balance", shortPoints: 30 }],
    });
  });

  it("never books more points than its goods were lowered by", () => {
    expect(booked({ stated: { spendPoints: 2_000, earnPoints: 0 }, availablePoints: 5_000, paidByPointsKopecks: 10_050 })).toEqual({
      spendPoints: 100,
      debtPoints: 0,
      earnPoints: 0,
      anomalies: [{ kind: "spend-above-receipt", statedPoints: 2_000, bookedPoints: 100 }],
    });
  });

  it("books what was quoted, what is within the recount, and else the recount: not even a point more", () => {
    const earned = (earnPoints: number, quoted?: number) =>
      booked({
        stated: { spendPoints: 0, earnPoints },
        recomputedEarnPoints: 10,
        ...(quoted === undefined ? {} : { quoted: { earnPoints: quoted } }),
      });
    expect(earned(40, 40)).toMatchObject({ earnPoints: 40, anomalies: [] });
    expect(earned(3)).toMatchObject({ earnPoints: 3, anomalies: [] });
    expect(earned(10)).toMatchObject({ earnPoints: 10, anomalies: [] });
    for (const stated of [11, 12])
      expect(earned(stated, 40)).toMatchObject({
        earnPoints: 10,
        anomalies: [{ kind: "earn-above-programme", statedPoints: stated, bookedPoints: 10 }],
      });
  });

  it("tells of a spend that needed a code when none was asked for", () => {
    const over = {
      stated: { spendPoints: 5, earnPoints: 0 },
      availablePoints: 5,
      paidByPointsKopecks: 500,
      needsCode: true,
    };
    expect(booked(over).anomalies).toEqual([{ kind: "unverified-spend" }]);
    expect(booked({ ...over, wasCodeRequested: true }).anomalies).toEqual([]);
  });

  it("books whole points that are not negative, whatever is stated", () => {
    const anyNumber = fc.oneof(fc.integer({ min: -50, max: 500 }), fc.double(), fc.constantFrom(Number.NaN, 2 ** 60, -0.5));
    fc.assert(
      fc.property(anyNumber, anyNumber, fc.nat(300), fc.nat(50_000), fc.nat(100), (spend, earn, availablePoints, kopecks, recount) => {
        const { spendPoints, debtPoints, earnPoints, anomalies } = booked({
          stated: { spendPoints: spend, earnPoints: earn },
          availablePoints,
          paidByPointsKopecks: kopecks,
          recomputedEarnPoints: recount,
        });
        for (const points of [spendPoints, debtPoints, earnPoints]) expect(Number.isSafeInteger(points) && points >= 0).toBe(true);
        expect(spendPoints * 100).toBeLessThanOrEqual(kopecks);
        expect(spendPoints - debtPoints).toBeLessThanOrEqual(availablePoints);
        if (spendPoints !== spend || earnPoints !== earn) expect(anomalies.length).toBeGreaterThan(0);
      }),
    );
  });
});
