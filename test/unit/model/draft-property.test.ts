import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { draft, mark, NOTHING_PAID, position } from "./builders.ts";

describe("whatever is sold", () => {
  const anyPosition = fc
    .record({
      priceKopecks: fc.nat(5_000_000),
      quantityMillionths: fc.oneof(
        fc.integer({ min: 1, max: 20 }).map((n) => n * 1e6),
        fc.integer({ min: 1, max: 99_999 }).map((n) => n * 1000),
      ),
      discountPercent: fc.oneof(
        fc.constant("0"),
        fc.integer({ min: -5000, max: 10000 }).map((n) => String(n / 100)),
      ),
      vatPercent: fc.constantFrom("22", "10", "0"),
      vatEnabled: fc.boolean(),
      marked: fc.nat(3),
    })
    .map(({ marked, ...over }) =>
      position({ ...over, marks: [], ...(over.quantityMillionths % 1e6 === 0 ? { marks: marksOf(marked) } : {}) }),
    );
  it("lines less rounding are the total, the tenders are the total, and the tax per rate is that of its lines", () => {
    fc.assert(
      fc.property(
        fc.array(anyPosition, { minLength: 1, maxLength: 6 }),
        fc.boolean(),
        fc.integer({ min: -9, max: 9 }),
        (sold, included, off) => {
          let marked = 0;
          const positions = sold.map((one) => ({
            ...one,
            marks: one.marks.slice(0, one.quantityMillionths / 1e6).map(() => mark(`m${marked++}`)),
          }));
          const paid = Math.max(0, dueOf({ positions, vatIncluded: included, payments: NOTHING_PAID }) + off);
          const drafted = draft({ positions, vatIncluded: included, payments: { ...NOTHING_PAID, cardKopecks: paid } });
          if (drafted.kind === "refused") {
            expect(drafted.refusal.code).toBe("payments-differ");
            expect(off > 0 && positions.every((one) => one.marks.length * 1e6 === one.quantityMillionths)).toBe(true);
            return;
          }
          if (drafted.document.kind !== "receipt") throw new Error("no receipt");
          const { lines, totalKopecks, roundingKopecks, tenders, vatTotals } = drafted.document;
          expect(lines.reduce((sum, line) => sum + line.sumKopecks, 0) - roundingKopecks).toBe(paid);
          expect([totalKopecks, tenders.nonCashKopecks]).toEqual([paid, paid]);
          expect(lines.flatMap((line) => line.mark ?? [])).toHaveLength(marked);
          for (const { vat, sumKopecks } of vatTotals) {
            const own = lines.filter((line) => line.vat === vat);
            const amount = own.reduce((sum, line) => sum + (vat === 5 || vat === 6 ? line.sumKopecks : line.vatKopecks), 0);
            expect(sumKopecks).toBe(amount);
          }
        },
      ),
    );
  });
});

/** The sum of the lines, read from the refusal of a sale without payments. */
function dueOf(over: Parameters<typeof draft>[0]): number {
  const drafted = draft(over);
  return drafted.kind === "document" ? 0 : Math.round(Number(drafted.refusal.details?.due) * 100);
}

function marksOf(count: number): string[] {
  return Array.from({ length: count }, () => "");
}
