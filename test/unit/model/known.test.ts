import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { paidKopecks } from "../../../src/model/draft/payments.ts";
import { scaleEvidence } from "../../../src/model/known.ts";
import { isNative } from "../../../src/model/operation.ts";
import { NOTHING_PAID, trade } from "./builders.ts";

describe("what a document's sum says of the amounts that an operation was sent with", () => {
  it.each([
    [25_920, 25_920],
    [25_920, 25_911],
    [25_920, 25_929],
    [100, 100],
    // Nine kopecks less than a rouble were paid.
    [91, 100],
  ])("agrees when %i kopecks were paid for a document of %i: less than ten kopecks may be between them", (paid, document) => {
    expect(scaleEvidence(paid, document)).toBe("agrees");
  });

  it.each([
    // The operation's amounts were in kopecks and were read as roubles.
    [2_592_000, 25_920],
    [2_592_000, 25_911],
    [2_592_000, 25_929],
    [10_000, 100],
    // The operation's amounts were in roubles and were read as kopecks.
    [259, 25_900],
    [259, 25_909],
    [259, 25_891],
    [1, 100],
  ])("differs by 100 when %i kopecks were paid for a document of %i", (paid, document) => {
    expect(scaleEvidence(paid, document)).toBe("differs-by-100");
  });

  it.each([
    [25_920, 25_910],
    [25_920, 25_930],
    [25_920, 26_920],
    [2_592_000, 25_910],
    [2_592_000, 25_930],
    [259, 25_910],
    [259, 25_890],
    // The document was changed after the operation was sent. A factor that is not 100 must not refuse a sale.
    [100, 10_900],
    [5, 1_400],
    [1_400, 5],
    // Below a rouble the tolerance is a large part of the sum, and a sum of zero proves nothing.
    [99, 99],
    [9_900, 99],
    [0, 0],
    [0, 100],
    [100, 0],
    [100, -100],
  ])("is none when %i kopecks were paid for a document of %i", (paid, document) => {
    expect(scaleEvidence(paid, document)).toBe("none");
  });

  it("is the same whatever was sold: the right scale agrees, the wrong one differs, both ways and within the tolerance", () => {
    fc.assert(
      fc.property(fc.integer({ min: 110, max: 100_000_000 }), fc.integer({ min: -9, max: 9 }), (kopecks, off) => {
        expect(scaleEvidence(kopecks, kopecks + off)).toBe("agrees");
        expect(scaleEvidence(kopecks * 100, kopecks + off)).toBe("differs-by-100");
        const roubles = Math.ceil(kopecks / 100);
        expect(scaleEvidence(roubles, roubles * 100 + off)).toBe("differs-by-100");
      }),
    );
  });

  it("is never a difference for sums that are less than 90 or more than 110 times apart", () => {
    const sum = fc.integer({ min: 1, max: 10_000_000 });
    fc.assert(
      fc.property(sum, sum, (paid, document) => {
        const ratio = Math.max(paid, document) / Math.min(paid, document);
        fc.pre(ratio < 90 || ratio > 110);
        expect(scaleEvidence(paid, document)).not.toBe("differs-by-100");
      }),
    );
  });
});

describe("what a buyer paid", () => {
  it("is every way of paying together, what was paid before included", () => {
    const payments = {
      cashKopecks: 1,
      cardKopecks: 20,
      qrKopecks: 300,
      prepaymentCashKopecks: 4_000,
      prepaymentCardKopecks: 50_000,
      prepaymentQrKopecks: 600_000,
      advanceKopecks: 7_000_000,
    };
    expect(paidKopecks(trade({ payments }))).toBe(7_654_321);
    expect(paidKopecks(trade({ payments: NOTHING_PAID }))).toBe(0);
  });
});

describe("an id", () => {
  it("leads to an object of the API only when the platform has made it", () => {
    expect(isNative({ id: "a1", idType: "native" })).toBe(true);
    expect(isNative({ id: "a1", idType: "sync" })).toBe(false);
  });
});
