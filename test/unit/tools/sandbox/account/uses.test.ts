import { describe, expect, it } from "vitest";
import { Account, FORGETFUL } from "../../../../../src/tools/sandbox/account/account.ts";
import { type Reference, referenceIn, type Value } from "../../../../../src/tools/sandbox/values/stored.ts";
import { SeededRandom } from "../../../../../src/tools/seeded-random.ts";
import { VirtualClock } from "../../../../support/virtual-clock.ts";

const TYPES = ["product", "uom", "store"];

describe("who points at whom", () => {
  it("is counted right whatever comes, changes, goes and is taken back", async () => {
    const random = new SeededRandom(7);
    const account = new Account({ clock: new VirtualClock(0), seed: 1, log: FORGETFUL });
    const any = (): Reference => ({ type: TYPES[random.below(3)] ?? "", id: String(random.below(5)) });
    const step = () => {
      const { type, id } = any();
      const stored = account.objects.get(type, id);
      if (stored !== undefined && random.below(3) === 0) return account.remove(stored);
      const pointer = (): Value => ({ ...any() });
      account.put({ type, id, values: { one: pointer(), many: [pointer(), { deep: { at: pointer() } }], text: "x" } });
    };
    for (let round = 0; round < 300; round += 1) {
      const fails = random.below(4) === 0;
      const work = () => {
        for (let each = 0; each < 3; each += 1) step();
        if (fails) throw new Error("taken back");
      };
      await account.commit(work).catch((error: unknown) => expect(String(error)).toContain("taken back"));
    }
    for (const type of TYPES) {
      for (let id = 0; id < 5; id += 1)
        expect(account.uses.of({ type, id: String(id) })).toEqual(countedAnew({ type, id: String(id) }, account));
    }
  });

  it("an object that points at itself does not count", async () => {
    const account = new Account({ clock: new VirtualClock(0), seed: 1, log: FORGETFUL });
    await account.commit(() => account.put({ type: "employee", id: "1", values: { owner: { type: "employee", id: "1" } } }));
    expect(account.uses.of({ type: "employee", id: "1" }).size).toBe(0);
  });
});

function countedAnew(target: Reference, { objects }: Account): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const walk = (value: Value | undefined, source: string): void => {
    const reference = referenceIn(value);
    if (reference?.type === target.type && reference.id === target.id) counts.set(source, (counts.get(source) ?? 0) + 1);
    else if (reference === undefined && typeof value === "object" && value !== null)
      for (const each of Object.values(value)) walk(each, source);
  };
  for (const type of TYPES) {
    for (const stored of objects.all(type).values()) {
      if (stored.type === target.type && stored.id === target.id) continue;
      for (const value of Object.values(stored.values)) walk(value, type);
    }
  }
  return counts;
}
