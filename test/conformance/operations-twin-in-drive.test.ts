import { beforeEach, describe, expect, it } from "vitest";
import type { CorrectionOperation } from "../../src/model/operation.ts";
import { planCorrections } from "../../src/operator/corrections/correction-steps.ts";
import { sample } from "../support/extent.ts";
import { once, SCHEMES, Trial } from "../support/registers.ts";
import { copyOf, restore } from "../support/restored.ts";
import { journal } from "../support/settle-command.ts";
import { saleOperation, Till, textOf } from "../support/till.ts";

const SALE = saleOperation("sale-1");
const UNDER_OTHER_ID = saleOperation("sale-1", { document: { id: "of-the-till", idType: "sync" } });

async function withoutPaper(till: Till, operation: Parameters<Till["submit"]>[0]): Promise<void> {
  till.trial.device.setPaper(false);
  expect(textOf(await till.submitAndWait(operation))).toBe("no-paper");
  till.trial.device.setPaper(true);
}

/** A person settles the sale as not registered, and the drive has it as document 3. */
async function settledWrongly(till: Till): Promise<void> {
  till.trial.inject({ after: once("receipt", { kind: "power-cut" }) });
  await till.submitAndWait(SALE);
  await till.settled();
  till.trial.device.powerOn();
  const [doubt] = await till.journal.unfinished();
  await journal(till, "runs", "settle", `${doubt?.id}`, "--refused", "--why", "no receipt", "--unconfirmed");
}

/** The database is put back to a copy that has the sale as refused. The drive has it as document 3. */
async function restoredWithout(till: Till): Promise<void> {
  await withoutPaper(till, SALE);
  const copy = await copyOf(till.store);
  expect(textOf(await till.submitAndWait(SALE))).toMatch(/^receipt 3/);
  await restore(till.store, copy);
  await till.killAndRestart();
}

async function missed(till: Till, documentId: string): Promise<CorrectionOperation> {
  const entry = (await till.journal.list({ limit: 20 })).find(({ key }) => key.documentId === documentId);
  const planned = entry && planCorrections(entry, { today: "2026-11-13" });
  const [first] = planned?.kind === "plan" ? planned.corrections : [];
  if (first === undefined) throw new Error("nothing is planned");
  return first.operation;
}

describe.each([
  ["settled as not registered by mistake", settledWrongly],
  ["refused in a restored copy that lacks the attempt which registered it", restoredWithout],
] as const)("a sale that is %s, and comes under the other id type", (_what, before) => {
  let till: Till;

  beforeEach(async () => {
    till = await Till.open({ trial: await Trial.begin(sample(SCHEMES, 1)[0] ?? "") });
    await till.openShift();
    await before(till);
  });

  it("is not registered again, and its first id gets the document", async () => {
    expect(textOf(await till.submitAndWait(UNDER_OTHER_ID))).toBe("other-id-type");
    expect(textOf(await till.submitAndWait(SALE))).toMatch(/^receipt 3/);
    expect(textOf(await till.submitAndWait(UNDER_OTHER_ID))).toBe("other-id-type");
    expect(await till.documents()).toBe(3);
  });

  it("is not corrected as missed under that id", async () => {
    await withoutPaper(till, UNDER_OTHER_ID);
    expect(textOf(await till.submitAndWait(await missed(till, "of-the-till")))).toBe("not-correctable");
    expect(await till.documents()).toBe(3);
  });
});
