import { describe, expect, it } from "vitest";
import { doneInSteps } from "../../../../src/kernel/work/in-steps.ts";

describe("work in steps", () => {
  it("returns the results in the order of the items", async () => {
    expect(await doneInSteps([1, 2, 3, 4, 5], 2, async (item) => item * 10)).toEqual([10, 20, 30, 40, 50]);
    expect(await doneInSteps([], 2, async (item) => item)).toEqual([]);
  });

  it("begins no further step after a failure", async () => {
    const begun: number[] = [];
    const work = async (item: number) => {
      begun.push(item);
      if (item === 2) throw new Error("no");
    };
    await expect(doneInSteps([1, 2, 3, 4], 2, work)).rejects.toThrow("no");
    expect(begun).toEqual([1, 2]);
  });
});
