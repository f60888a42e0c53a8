import { describe, expect, it } from "vitest";
import { SlowLoyalty } from "../../support/slow-loyalty.ts";
import type { SlowLine } from "../../support/slow-shares.ts";

const DAY_MS = 86_400_000;
const NOW_MS = Date.parse("2026-11-29T09:00:00Z");
const TEN: SlowLine = { productId: "a", quantityMillionths: 10_000_000, priceKopecks: 10_000, discountedKopecks: 10_000 };
const EIGHT: SlowLine = { ...TEN, quantityMillionths: 8_000_000 };

function two(waitDays: number): SlowLoyalty {
  const model = new SlowLoyalty({ lifeDays: 30, waitDays, graceDays: 14 });
  for (const id of ["kept", "gone"]) model.enrol(id);
  return model;
}

/** A merge that is undone at once, so many times. */
function mergeAndUndo(model: SlowLoyalty, times: number): void {
  for (let nth = 0; nth < times; nth += 1) {
    expect(model.merge("kept", "gone", NOW_MS)).toBe(true);
    expect(model.undoMerge("kept", "gone", NOW_MS)).toBe(true);
  }
}

describe("the slow model of loyalty takes the points of a sale back", () => {
  it.each([0, 1, 2])("from its pending lot, and not as a debt, after %d undone merges", (times) => {
    const model = two(3);
    model.sale("s1", "gone", NOW_MS, { lines: [TEN], spent: 0, earned: 50 });
    mergeAndUndo(model, times);
    expect(model.giveBack("s1", [EIGHT], NOW_MS)).toBe(true);
    expect(model.standing("gone", NOW_MS)).toMatchObject({ available: 0, debt: 0 });
    expect(model.standing("gone", NOW_MS + 4 * DAY_MS)).toMatchObject({ available: 10, debt: 0 });
  });

  it("from both lots that hold them, after an undone merge and points that came back", () => {
    const model = two(0);
    model.grant("gone", 500, NOW_MS - 20 * DAY_MS);
    model.sale("s1", "gone", NOW_MS, { lines: [TEN], spent: 0, earned: 50 });
    model.sale("s2", "gone", NOW_MS, { lines: [{ ...TEN, discountedKopecks: 4_700 }], spent: 530, earned: 0 });
    mergeAndUndo(model, 1);
    expect(model.giveBack("s2", [{ ...TEN, discountedKopecks: 4_700 }], NOW_MS)).toBe(true);
    expect(model.giveBack("s1", [TEN], NOW_MS)).toBe(true);
    expect(model.standing("gone", NOW_MS)).toMatchObject({ available: 500, debt: 0 });
    expect(model.standing("gone", NOW_MS + 15 * DAY_MS)).toMatchObject({ available: 0, debt: 0 });
  });
});
