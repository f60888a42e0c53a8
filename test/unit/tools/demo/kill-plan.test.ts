import { describe, expect, it } from "vitest";
import { KillPlan } from "../../../../src/tools/demo/kill-plan.ts";
import { SeededRandom } from "../../../../src/tools/seeded-random.ts";

function kills(seed: number, count: number) {
  const plan = new KillPlan(new SeededRandom(seed), count, 5);
  return Array.from({ length: 5 }, (_, operation) => plan.during(operation));
}

describe("the plan of deaths", () => {
  it("exactly as many deaths are planned as were asked for", () => {
    expect(kills(1, 40).flat()).toHaveLength(40);
    expect(kills(1, 0).flat()).toEqual([]);
  });

  it("the same seed plans the same deaths and another seed others", () => {
    expect(kills(1, 10)).toEqual(kills(1, 10));
    expect(kills(1, 10)).not.toEqual(kills(2, 10));
  });

  it("the first death of an operation strikes the request, not a start", () => {
    for (const [first] of kills(3, 60)) expect(["time", "write"]).toContain(first?.at);
  });
});
