import { describe, expect, it } from "vitest";
import type { SoldLoyaltyLine } from "../../../../../src/tools/sandbox/caller/loyalty/bodies.ts";
import { takeBack } from "../../../../../src/tools/sandbox/solution/loyalty-returned.ts";

function line(assortmentId: string, serials: readonly string[]): SoldLoyaltyLine {
  const prices = { priceKopecks: 100, discountedKopecks: 100, percentHundredths: 0 };
  return { assortmentId, quantityThousandths: serials.length * 1_000, serials, ...prices };
}

describe("the serial numbers of a sale", () => {
  it("are given back once each, in their order, when the goods come back one by one", () => {
    const lines = [line("a", ["A1", "A2"]), line("b", ["B1"]), line("a", ["A3"])];
    let returned: readonly number[] = [0, 0, 0];
    const given = [1, 1, 1].map(() => {
      const back = takeBack({ lines, returned }, [{ assortmentId: "a", quantityThousandths: 1_000 }]);
      returned = back.returned;
      return back.lines.flatMap(({ serials }) => serials ?? []);
    });
    expect(given).toEqual([["A1"], ["A2"], ["A3"]]);
    expect(takeBack({ lines, returned }, undefined).lines.map(({ serials }) => serials)).toEqual([["B1"]]);
  });

  it("that are left come back with everything that is left", () => {
    const lines = [line("a", ["A1", "A2", "A3"])];
    expect(takeBack({ lines, returned: [1_000] }, undefined).lines[0]?.serials).toEqual(["A2", "A3"]);
    expect(takeBack({ lines, returned: [] }, undefined).lines[0]?.serials).toEqual(["A1", "A2", "A3"]);
  });
});
