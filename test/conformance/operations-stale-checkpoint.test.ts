import { expect, it } from "vitest";
import type { Register } from "../../src/registers/register.ts";
import { receiptDocument } from "../support/register-documents.ts";
import { once } from "../support/registers.ts";
import { saleOperation, Till, textOf } from "../support/till.ts";

const SALE = saleOperation("sale-1");

/** A register whose status is so many documents older than its drive, while `stale.by` is more than 0. */
function late(stale: { by: number }): (register: Register) => Register {
  return (register) => ({
    identity: (deadline) => register.identity(deadline),
    perform: (document, deadline) => register.perform(document, deadline),
    lookUp: (number, deadline) => register.lookUp(number, deadline),
    abandon: (deadline) => register.abandon(deadline),
    close: () => register.close(),
    async inspect(deadline) {
      const seen = await register.inspect(deadline);
      if (seen.kind !== "reached") return seen;
      return { ...seen, value: { ...seen.value, lastDocumentNumber: seen.value.lastDocumentNumber - stale.by } };
    },
  });
}

it("a sale whose answer was lost is found though the status was a document old when it was sent: the drive had been read to its end", async () => {
  const stale = { by: 0 };
  const till = await Till.open({ line: late(stale) });
  await till.openShift();
  expect(textOf(await till.submitAndWait(saleOperation("sale-0")))).toMatch(/^receipt 3/);
  await till.trial.perform(receiptDocument({ reference: "by hand" }));
  await till.killAndRestart();
  stale.by = 1;
  till.trial.inject({ after: once("receipt", { kind: "power-cut" }) });
  await till.submitAndWait(SALE);
  till.trial.device.powerOn();
  stale.by = 0;
  await till.killAndRestart();
  await till.settled();
  expect(await till.documents()).toBe(5);
  expect((await till.journal.unfinished()).map(({ doubt }) => doubt)).toEqual([]);
  expect(textOf(await till.submitAndWait(SALE))).toMatch(/^receipt 5/);
});
