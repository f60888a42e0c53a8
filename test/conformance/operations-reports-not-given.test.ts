import { describe, expect, it } from "vitest";
import { pause } from "../../src/kernel/clock.ts";
import { waitUntil } from "../../src/kernel/deadline.ts";
import type { Register } from "../../src/registers/register.ts";
import { SCHEMES, Trial } from "../support/registers.ts";
import { copyOf, restore } from "../support/restored.ts";
import { Shop } from "../support/restored-shop.ts";
import { shiftOperation, Till, textOf } from "../support/till.ts";

const REFUSED = "register-unreachable";

/** Makes the operation again until it is no longer refused. Returns how many turns were refused. */
async function refusedTurns(shop: Shop, name: string): Promise<number> {
  let [answer] = await shop.make(name);
  let refused = 0;
  for (; answer === REFUSED && refused < 20; refused += 1) answer = await shop.repeat(name);
  expect(answer).not.toBe(REFUSED);
  return refused;
}

describe.each(["platform", "automatic"] as const)(
  "a report that was read in the drive, and that the register gives no more: %s",
  (shiftOpening) => {
    it("delays the next opening by five turns, and no later one", async () => {
      const shop = await Shop.open(SCHEMES[0] ?? "", { shiftOpening });
      await shop.make("open 1", "sale 1", "close 1");
      await shop.byHand("open-shift");
      await shop.byHand("close-shift");
      expect(await shop.make("open 2", "sale 2", "close 2")).toEqual(["open-shift 7", "receipt 8", "close-shift 9"]);
      shop.withheld.add(5).add(6);
      expect(await refusedTurns(shop, "open 3")).toBe(5);
      expect(await shop.make("sale 3", "close 3", "open 4")).toEqual(["receipt 11", "close-shift 12", "open-shift 13"]);
    });

    it("does not keep the shift that it opened from being closed", async () => {
      const shop = await Shop.open(SCHEMES[0] ?? "", { shiftOpening });
      await shop.make("open 1", "sale 1", "close 1");
      await shop.byHand("open-shift");
      expect(await shop.make("sale 2")).toEqual(["receipt 6"]);
      shop.withheld.add(5);
      expect(await refusedTurns(shop, "close 2")).toBe(shiftOpening === "automatic" ? 5 : 0);
      expect((await shop.till.trial.state()).shift.kind).toBe("closed");
    });
  },
);

it("a lost closing is found over a line that needs longer for a document than for a state", async () => {
  const trial = await Trial.begin(SCHEMES[0] ?? "");
  let takesMs = 0;
  const line = (register: Register): Register => ({
    identity: (deadline) => register.identity(deadline),
    inspect: (deadline) => register.inspect(deadline),
    perform: (document, deadline) => register.perform(document, deadline),
    async lookUp(number, deadline) {
      const waited = await waitUntil(trial.clock, deadline, pause(trial.clock, number <= 3 ? takesMs : 0));
      return waited.kind === "late" ? { kind: "unreachable", reason: "медленно" } : register.lookUp(number, deadline);
    },
    abandon: (deadline) => register.abandon(deadline),
    close: () => register.close(),
  });
  const till = await Till.open({ trial, line });
  await till.openShift();
  const copy = await copyOf(till.store);
  const closing = shiftOperation("close-shift", { moment: "2026-11-13 10:00:00" });
  expect(textOf(await till.submitAndWait(closing))).toMatch(/^close-shift 3/);
  await restore(till.store, copy);
  await till.killAndRestart({ recovers: false });
  takesMs = 16_000;
  for (let turn = 0; turn < 8; turn += 1) {
    void till.submit(closing);
    for (let part = 0; part < 9; part += 1) await till.settled();
  }
  expect(await till.states()).toEqual(["open-shift done", "close-shift done"]);
});
