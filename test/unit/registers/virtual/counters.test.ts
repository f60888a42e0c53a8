import { describe, expect, it } from "vitest";
import {
  countReceipt,
  drawerChangeKopecks,
  isExact,
  NO_COUNTERS,
  type ReceiptSums,
  receiptCount,
} from "../../../../src/registers/virtual/counters.ts";

const tenders = { cashKopecks: 100, nonCashKopecks: 200, prepaidKopecks: 1, creditKopecks: 2, otherKopecks: 3 };
const sale: ReceiptSums = { sign: 1, totalKopecks: 306, tenders, vatTotals: [{ vat: 11, sumKopecks: 55 }] };

describe("counters", () => {
  it("add up each kind of payment and each rate, and keep signs and rates in order", () => {
    const back: ReceiptSums = { ...sale, sign: 2, vatTotals: [{ vat: 6, sumKopecks: 306 }] };
    const more: ReceiptSums = {
      ...sale,
      vatTotals: [
        { vat: 2, sumKopecks: 28 },
        { vat: 11, sumKopecks: 1 },
      ],
    };
    const counters = [back, sale, more].reduce(countReceipt, NO_COUNTERS);
    expect(counters).toEqual({
      signs: [
        {
          sign: 1,
          count: 2,
          totalKopecks: 612,
          tenders: { cashKopecks: 200, nonCashKopecks: 400, prepaidKopecks: 2, creditKopecks: 4, otherKopecks: 6 },
          vatTotals: [
            { vat: 2, sumKopecks: 28 },
            { vat: 11, sumKopecks: 56 },
          ],
        },
        { sign: 2, count: 1, totalKopecks: 306, tenders, vatTotals: [{ vat: 6, sumKopecks: 306 }] },
      ],
      corrections: 0,
    });
    expect(receiptCount(counters)).toBe(3);
    expect(NO_COUNTERS.signs).toEqual([]);
  });

  it.each([
    [1, 100],
    [2, -100],
    [3, -100],
    [4, 100],
  ] as const)("move the drawer of settlement sign %i by %i kopecks", (sign, change) => {
    expect(drawerChangeKopecks({ ...sale, sign })).toBe(change);
  });

  it("know when a total is no longer exact", () => {
    const huge = countReceipt(NO_COUNTERS, { ...sale, totalKopecks: Number.MAX_SAFE_INTEGER });
    expect(isExact(huge)).toBe(true);
    expect(isExact(countReceipt(huge, sale))).toBe(false);
  });
});
