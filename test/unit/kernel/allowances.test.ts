import { describe, expect, it } from "vitest";
import { Allowances } from "../../../src/kernel/allowances.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

const MINUTE_MS = 60_000;

function allowances(names = 100) {
  const clock = new VirtualClock(0);
  return { clock, allowances: new Allowances(clock, { most: 3, refillMs: MINUTE_MS, names }) };
}

function taken(of: Allowances, name: string, times: number): boolean[] {
  return Array.from({ length: times }, () => of.take(name));
}

describe("an allowance", () => {
  it("ends after so many, and is each name's own", () => {
    const { allowances: of } = allowances();
    expect(taken(of, "a", 5)).toEqual([true, true, true, false, false]);
    expect([of.has("a"), of.has("b"), of.take("b")]).toEqual([false, true, true]);
  });

  it("grows by one in its time, and never beyond the most, however long nobody takes any", async () => {
    const { clock, allowances: of } = allowances();
    taken(of, "a", 3);
    await clock.advance(MINUTE_MS - 1);
    expect(of.has("a")).toBe(false);
    await clock.advance(1);
    expect(taken(of, "a", 2)).toEqual([true, false]);
    await clock.advance(100 * MINUTE_MS);
    expect(taken(of, "a", 5)).toEqual([true, true, true, false, false]);
  });

  it("loses nothing of the time that has passed to those who ask in vain", async () => {
    const { clock, allowances: of } = allowances();
    taken(of, "a", 3);
    for (let second = 0; second < 60; second += 1) {
      expect(of.take("a")).toBe(false);
      await clock.advance(1_000);
    }
    expect(of.take("a")).toBe(true);
  });

  it("is given back one at a time, and never beyond the most", () => {
    const { allowances: of } = allowances();
    taken(of, "a", 3);
    of.giveBack("a");
    expect(taken(of, "a", 2)).toEqual([true, false]);
    for (let nth = 0; nth < 10; nth += 1) of.giveBack("a");
    expect(taken(of, "a", 5)).toEqual([true, true, true, false, false]);
  });

  it("is remembered of so many names, and forgotten of the one that has been quiet for longest", () => {
    const { allowances: of } = allowances(2);
    for (const name of ["a", "b", "c"]) taken(of, name, 3);
    expect([of.has("a"), of.has("b"), of.has("c")]).toEqual([true, false, false]);
  });

  it("is taken ahead in the order of the takers, up to the longest wait", async () => {
    const { clock, allowances: of } = allowances();
    taken(of, "a", 3);
    expect([of.takeAhead("a", 10 * MINUTE_MS), of.takeAhead("a", 10 * MINUTE_MS)]).toEqual([MINUTE_MS, 2 * MINUTE_MS]);
    expect(of.takeAhead("a", 2 * MINUTE_MS)).toBeUndefined();
    await clock.advance(3 * MINUTE_MS);
    expect(taken(of, "a", 2)).toEqual([true, false]);
    expect(of.takeAhead("b", 0)).toBe(0);
  });

  it("is charged although nothing is left, and the debt is bounded", async () => {
    const { clock, allowances: of } = allowances();
    for (let time = 0; time < 20; time += 1) of.charge("a");
    await clock.advance(3 * MINUTE_MS);
    expect(of.has("a")).toBe(false);
    await clock.advance(MINUTE_MS);
    expect(of.has("a")).toBe(true);
  });
});
