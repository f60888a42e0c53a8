import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Account, FORGETFUL } from "../../../../../src/tools/sandbox/account/account.ts";
import { VirtualClock } from "../../../../support/virtual-clock.ts";

const NAMES = ["00001", "00002", "17", "A-1", "999", ""] as const;

/** A write of one of four documents, or its removal (`name` is null). With `takenBack` the change is undone, as after a refused request. */
const happening = fc.record({
  id: fc.constantFrom("a", "b", "c", "d"),
  name: fc.option(fc.constantFrom(...NAMES)),
  takenBack: fc.boolean(),
});

async function live(account: Account, { id, name, takenBack }: { id: string; name: string | null; takenBack: boolean }): Promise<void> {
  const work = () => {
    const stored = account.objects.get("order", id);
    if (name !== null) account.put({ type: "order", id, values: { name } });
    else if (stored !== undefined) account.remove(stored);
    if (takenBack) throw new Error("taken back");
  };
  await account.commit(work).catch((error: unknown) => expect(String(error)).toContain("taken back"));
}

function scanned(account: Account) {
  const all = [...account.objects.all("order").values()];
  return {
    holders: NAMES.map((name) =>
      all
        .filter(({ values }) => values.name === name)
        .map(({ id }) => id)
        .sort(),
    ),
    last: all.map(({ values }) => String(values.name)).findLast((name) => /\d$/.test(name)),
  };
}

describe("what uniqueness and the next number are asked of", () => {
  it("is what a look through all documents gives, whatever happened to them and was taken back", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(happening, { maxLength: 12 }), fc.array(happening, { maxLength: 20 }), async (before, after) => {
        const account = new Account({ clock: new VirtualClock(0), seed: 1, log: FORGETFUL });
        for (const each of before) await live(account, each);
        // The first call of `asked` makes the indexes. Every later change must keep them right.
        const asked = () => ({
          holders: NAMES.map((name) => [...account.holders.of("order", "name", name)].sort()),
          last: account.numbers.last("order"),
        });
        expect(asked()).toEqual(scanned(account));
        for (const each of after) {
          await live(account, each);
          expect(asked()).toEqual(scanned(account));
        }
      }),
      { numRuns: 300 },
    );
  });
});
