import { describe, expect, it } from "vitest";
import type { Register } from "../../src/registers/register.ts";
import { forgetfulTrial } from "../support/forgetful-drive.ts";
import { receiptDocument } from "../support/register-documents.ts";
import { copyOf, restore } from "../support/restored.ts";
import { saleOperation, Till, textOf } from "../support/till.ts";

async function sell(till: Till, id: string): Promise<string> {
  return textOf(await till.submitAndWait(saleOperation(id)))
    .split(" ")
    .slice(0, 2)
    .join(" ");
}

/** Makes the server read the drive, and registers nothing. */
async function readOnly(till: Till): Promise<string> {
  return textOf(await till.submitAndWait(saleOperation("strange", { shift: { id: "shift-9", idType: "native" } })));
}

describe("a document that was only read in a drive", () => {
  const restarts = [
    ["in the same process", false],
    ["after a start", true],
  ] as const;

  async function forgotten(restarted: boolean, lostOne: (till: Till) => Promise<unknown>): Promise<Till> {
    const { trial, drive } = await forgetfulTrial();
    const till = await Till.open({ trial });
    await till.openShift();
    await sell(till, "sale-0");
    const copy = await copyOf(till.store);
    await lostOne(till);
    await restore(till.store, copy);
    await till.killAndRestart();
    expect(await readOnly(till)).toBe("shift-conflict");
    drive.forget(1);
    await trial.restart();
    if (restarted) await till.killAndRestart();
    return till;
  }

  it.each(restarts)("is missed when the drive forgets it, %s: its number is not issued twice", async (_when, restarted) => {
    const till = await forgotten(restarted, (before) => sell(before, "sale-1"));
    expect(await sell(till, "sale-2")).toBe("register-went-back");
    expect(await sell(till, "sale-1")).toBe("register-went-back");
    expect(await till.documents()).toBe(3);
  });

  it.each(restarts)("is missed also where somebody made it at the register itself, %s", async (_when, restarted) => {
    const till = await forgotten(restarted, (before) => before.trial.perform(receiptDocument({ reference: "by hand" })));
    expect(await sell(till, "sale-2")).toBe("register-went-back");
    expect(await till.documents()).toBe(3);
  });

  it("is missed also where an older one was found in the drive since", async () => {
    const { trial, drive } = await forgetfulTrial();
    const till = await Till.open({ trial });
    await till.openShift();
    const copy = await copyOf(till.store);
    for (const id of ["sale-1", "sale-2"]) await sell(till, id);
    await restore(till.store, copy);
    await till.killAndRestart();
    expect(await sell(till, "sale-1")).toBe("receipt 3");
    drive.forget(1);
    await trial.restart();
    expect(await sell(till, "sale-3")).toBe("register-went-back");
    expect(await till.documents()).toBe(3);
  });

  it("is missed also by a process that had the register before another process read the document", async () => {
    const { trial, drive } = await forgetfulTrial();
    const one = await Till.open({ trial });
    const other = await Till.open({ trial, store: one.store });
    await one.openShift();
    await sell(one, "sale-0");
    await trial.perform(receiptDocument({ reference: "by hand" }));
    expect(await readOnly(other)).toBe("shift-conflict");
    drive.forget(1);
    await trial.restart();
    expect(await sell(one, "sale-1")).toBe("register-went-back");
    expect(await one.documents()).toBe(3);
  });

  it("is not missed while only the status is older than the drive", async () => {
    let stale = 0;
    const line = (register: Register): Register => ({
      identity: (deadline) => register.identity(deadline),
      async inspect(deadline) {
        const seen = await register.inspect(deadline);
        if (seen.kind !== "reached") return seen;
        return { ...seen, value: { ...seen.value, lastDocumentNumber: seen.value.lastDocumentNumber - stale } };
      },
      perform: (document, deadline) => register.perform(document, deadline),
      lookUp: (number, deadline) => register.lookUp(number, deadline),
      abandon: (deadline) => register.abandon(deadline),
      close: () => register.close(),
    });
    const till = await Till.open({ line });
    await till.openShift();
    await sell(till, "sale-0");
    await till.trial.perform(receiptDocument({ reference: "by hand" }));
    expect(await readOnly(till)).toBe("shift-conflict");
    stale = 1;
    expect(await sell(till, "sale-1")).toBe("receipt 5");
    expect(await till.documents()).toBe(5);
  });
});
