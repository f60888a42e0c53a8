import { describe, expect, it } from "vitest";
import { systemChance } from "../../../../src/kernel/clock.ts";
import { furtherSteps } from "../../../../src/tools/demo/further-steps.ts";
import { demoSteps, type Step, type StepSource } from "../../../../src/tools/demo/steps.ts";
import { CASHIER } from "../../../../src/tools/sandbox/caller/shop.ts";
import { SeededRandom } from "../../../../src/tools/seeded-random.ts";
import { VirtualClock } from "../../../support/virtual-clock.ts";

const TILL = { api: "https://api.platform.example", storeId: "s", shiftId: "h", shiftName: "1", cashierId: "c", cashier: CASHIER };

describe("steps of the demo", () => {
  it("every document of the contract occurs and the last cash out empties the drawer", () => {
    const steps = demoSteps(source(1), []);
    const operations = documents(steps).map(({ effect }) => effect.operation);
    expect(new Set(operations)).toEqual(
      new Set(["openshift", "retaildrawercashin", "retaildemand", "retaisalesreturn", "retaildrawercashout", "closeshift"]),
    );
    expect(drawerOf(steps)).toBe(0);
  });

  it("payments meet the sum of the lines in each sale", () => {
    for (const { effect, sumKopecks, body } of documents(demoSteps(source(1), []))) {
      if (effect.operation !== "retaildemand") continue;
      const { payments } = body(TILL) as { payments: { cashSum: string; cardSum: string } };
      expect(Math.round(100 * (Number(payments.cashSum) + Number(payments.cardSum)))).toBe(sumKopecks);
    }
  });

  it("further work changes what the drawer holds and still leaves it empty at the end", () => {
    const given = source(5);
    const further = furtherSteps(given, 60);
    expect(further).toHaveLength(60);
    expect(new Set(further.map(({ effect }) => effect.operation))).toEqual(
      new Set(["retaildrawercashin", "retaildemand", "retaisalesreturn"]),
    );
    expect(drawerOf(further)).toBeGreaterThan(0);
    expect(drawerOf(demoSteps(given, further))).toBe(0);
  });

  it("the same seed fills the same baskets", () => {
    const sums = (seed: number) => furtherSteps(source(seed), 20).map(({ sumKopecks }) => sumKopecks);
    expect(sums(3)).toEqual(sums(3));
    expect(sums(3)).not.toEqual(sums(4));
  });
});

function documents(steps: readonly Step[]) {
  return steps.filter((step) => step.kind === "document");
}

function drawerOf(steps: readonly Step[]): number {
  return documents(steps).reduce((sum, { effect }) => sum + effect.drawerKopecks, 0);
}

function source(seed: number): StepSource {
  return { clock: new VirtualClock(Date.parse("2026-11-12T15:00:00Z")), chance: systemChance, random: new SeededRandom(seed) };
}
