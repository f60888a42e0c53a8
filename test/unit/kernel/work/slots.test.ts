import { describe, expect, it } from "vitest";
import { nextTurn } from "../../../../src/kernel/clock.ts";
import { Slots } from "../../../../src/kernel/work/slots.ts";

describe("slots for work", () => {
  it("let further work wait in its order, and pass a slot on after work that failed", async () => {
    const slots = new Slots(2);
    const begun: number[] = [];
    const ends = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
    const works = ends.map(({ promise }, number) =>
      slots.run(() => {
        begun.push(number);
        return promise;
      }),
    );
    await nextTurn();
    expect(begun).toEqual([0, 1]);
    ends[1]?.reject(new Error("failed"));
    await expect(works[1]).rejects.toThrow("failed");
    await nextTurn();
    expect(begun).toEqual([0, 1, 2]);
    for (const { resolve } of ends) resolve();
    await Promise.all([works[0], works[2], works[3]]);
    expect(begun).toEqual([0, 1, 2, 3]);
  });
});
