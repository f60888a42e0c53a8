import { expect, it } from "vitest";
import { pause } from "../../src/kernel/clock.ts";
import { READ_IN_A_TURN_MS } from "../../src/operations/reading-bounds.ts";
import type { Register } from "../../src/registers/register.ts";
import { SCHEMES, Trial } from "../support/registers.ts";
import { copyOf, restore } from "../support/restored.ts";
import { cashOperation, saleOperation, Till, textOf } from "../support/till.ts";

/** How long one document takes over a slow line. */
const SLOW_MS = 1_000;
/** More documents than can be read in the time limit, and far fewer than the limit of their number. */
const LOST = 150;

it("documents that a restored copy lacks are read over a slow line in turns with a bound of time, and the lane goes on in between", async () => {
  const trial = await Trial.begin(SCHEMES[0] ?? "");
  let asked = 0;
  let slow = false;
  const line = (register: Register): Register => ({
    identity: (deadline) => register.identity(deadline),
    inspect: (deadline) => register.inspect(deadline),
    perform: (document, deadline) => register.perform(document, deadline),
    async lookUp(number, deadline) {
      asked += 1;
      if (slow) await pause(trial.clock, SLOW_MS);
      return register.lookUp(number, deadline);
    },
    abandon: (deadline) => register.abandon(deadline),
    close: () => register.close(),
  });
  const till = await Till.open({ trial, line });
  await till.openShift();
  const copy = await copyOf(till.store);
  for (let sale = 1; sale <= LOST; sale += 1) expect(textOf(await till.submitAndWait(saleOperation(`sale-${sale}`)))).toMatch(/^receipt/);
  const documents = await till.documents();
  await restore(till.store, copy);
  await till.killAndRestart();
  slow = true;

  const last = saleOperation(`sale-${LOST}`);
  for (let turn = 1; turn <= 2; turn += 1) {
    asked = 0;
    expect(textOf(await till.submitAndWait(last))).toBe("running");
    await trial.later(READ_IN_A_TURN_MS + SLOW_MS);
    expect(asked * SLOW_MS).toBeLessThanOrEqual(READ_IN_A_TURN_MS + SLOW_MS);
    expect((await till.journal.list({ limit: 1 }))[0]).toMatchObject({ state: "refused", refusal: { code: "register-unreachable" } });
  }
  void till.submit(last);
  await trial.later(READ_IN_A_TURN_MS);
  expect(textOf(await till.submitAndWait(last))).toMatch(new RegExp(`^receipt ${documents} `));
  expect(await till.documents()).toBe(documents);
  expect(textOf(await till.submitAndWait(cashOperation("cash-in", "in", 100)))).toMatch(/^cash-in/);
});
