import { beforeEach, describe, expect, it } from "vitest";
import type { CorrectionOperation } from "../../src/model/operation.ts";
import { planCorrections } from "../../src/operator/corrections/correction-steps.ts";
import { sample } from "../support/extent.ts";
import { once, SCHEMES, Trial } from "../support/registers.ts";
import { copyOf, restore } from "../support/restored.ts";
import { saleOperation, Till, textOf } from "../support/till.ts";

const SALE = saleOperation("sale-1");

/** The correction that registers the refused entry, as it is sent after its rehearsal. */
async function missed(till: Till, id: number): Promise<CorrectionOperation> {
  const entry = await till.journal.get(id);
  if (entry === undefined) throw new Error(`no entry ${id}`);
  const planned = planCorrections(entry, { today: "2026-11-13" });
  const [first] = planned.kind === "plan" ? planned.corrections : [];
  if (first === undefined) throw new Error("nothing is planned");
  return first.operation;
}

describe.each(sample(SCHEMES, 2))("the correction of a sale that counts as not registered, in its own turn, %s", (scheme) => {
  let till: Till;

  beforeEach(async () => {
    till = await Till.open({ trial: await Trial.begin(scheme) });
    await till.openShift();
  });

  async function isRefusedFor(number: number): Promise<void> {
    const submitted = await till.submitAndWait(await missed(till, 2));
    const details = { problem: "stands-in-drive", number: `${number}` };
    expect(submitted).toMatchObject({ kind: "refused", refusal: { code: "not-correctable", details } });
    expect(await till.documents()).toBe(number);
    expect(textOf(await till.submitAndWait(SALE))).toMatch(new RegExp(`^receipt ${number} `));
    expect(await till.documents()).toBe(number);
  }

  it("is refused where a later attempt registered the sale, and the restored copy lacks that attempt", async () => {
    till.trial.device.setPaper(false);
    expect(textOf(await till.submitAndWait(SALE))).toBe("no-paper");
    till.trial.device.setPaper(true);
    const copy = await copyOf(till.store);
    expect(textOf(await till.submitAndWait(SALE))).toMatch(/^receipt 3/);
    await restore(till.store, copy);
    await till.killAndRestart();
    await isRefusedFor(3);
  });

  it("is refused where a person settled by the wrong paper, and the drive has the sale", async () => {
    till.trial.inject({ after: once("receipt", { kind: "power-cut" }) });
    await till.submitAndWait(SALE);
    await till.settled();
    const [doubt] = await till.journal.unfinished();
    if (doubt === undefined) throw new Error("nothing is in doubt");
    const refused = { kind: "refused", refusal: { code: "not-registered" } } as const;
    await till.journal.finish(doubt, refused, "person", [{ code: "said", words: "the wrong paper" }]);
    till.trial.device.powerOn();
    await isRefusedFor(3);
  });

  it("or the repeat of the sale is made, whichever comes first, when both come at the same moment", async () => {
    till.trial.device.setPaper(false);
    expect(textOf(await till.submitAndWait(SALE))).toBe("no-paper");
    till.trial.device.setPaper(true);
    const both = [till.submit(await missed(till, 2)), till.submit(SALE)];
    await till.settled();
    const answers = (await Promise.all(both)).map(textOf);
    expect(answers).toEqual([expect.stringMatching(/^correction 3/), "already-corrected"]);
    expect(await till.documents()).toBe(3);
  });

  it("is made where the drive does not have the sale", async () => {
    till.trial.device.setPaper(false);
    expect(textOf(await till.submitAndWait(SALE))).toBe("no-paper");
    till.trial.device.setPaper(true);
    expect(textOf(await till.submitAndWait(await missed(till, 2)))).toMatch(/^correction 3/);
    expect(textOf(await till.submitAndWait(SALE))).toBe("already-corrected");
  });
});
