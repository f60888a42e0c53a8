import { describe, expect, it } from "vitest";
import type { Entry } from "../../src/journal/entry.ts";
import { Journal } from "../../src/journal/journal.ts";
import { receiptDocument } from "../support/register-documents.ts";
import { once } from "../support/registers.ts";
import { paperOf, settled } from "../support/settle-command.ts";
import { cashOperation, saleOperation, Till, textOf } from "../support/till.ts";

/** Runs the command beside the running server, which has the register. So only the person's statement counts. */
function command(till: Till, ...args: string[]): Promise<string> {
  return settled(till, "runs", ...args, ...(args[0] === "settle" ? ["--unconfirmed"] : []));
}

/** A sale whose answer was lost, after which somebody else has used the register. Only a person can end the doubt. */
async function doubtfulSale(till: Till, fate: "registered" | "not registered" = "registered"): Promise<Entry> {
  await till.openShift();
  const cut = once("receipt", { kind: "power-cut" as const });
  till.trial.inject(fate === "registered" ? { after: cut } : { before: cut });
  expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toBe("in-doubt");
  till.trial.device.powerOn();
  await till.trial.perform(receiptDocument());
  expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toBe("in-doubt");
  expect(textOf(await till.submitAndWait(saleOperation("sale-2")))).toBe("lane-stopped");
  const [entry] = await till.journal.unfinished();
  if (entry === undefined) throw new Error("nothing is in doubt");
  return entry;
}

describe("a doubt that a person settles", () => {
  it("as done answers the platform's repeat with the document and its receipt, and frees the lane", async () => {
    const till = await Till.open();
    const { id } = await doubtfulSale(till);
    await command(till, "settle", `${id}`, "--done", ...(await paperOf(till, 3)));
    const drawnBefore = till.drawn;
    const first = await till.submitAndWait(saleOperation("sale-1"));
    expect(textOf(first)).toBe(`receipt 3 receipt ${drawnBefore + 1}`);
    expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toBe(textOf(first));
    await till.killAndRestart();
    expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toBe(textOf(first));
    expect(textOf(await till.submitAndWait(saleOperation("sale-1"), "other"))).toBe("content-differs");
    expect(textOf(await till.submitAndWait(saleOperation("sale-2")))).toMatch(/^receipt 5/);
    expect(await till.documents()).toBe(5);
  });

  it("frees the lane also for a sale that asks the register about the doubt at that moment", async () => {
    const till = await Till.open();
    await till.openShift();
    till.trial.inject({ after: once("receipt", { kind: "power-cut" }) });
    expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toBe("in-doubt");
    till.trial.device.powerOn();
    const release = till.stallCommits();
    const next = till.submit(saleOperation("sale-2"));
    while (!till.isStalled) await till.trial.later(100);
    const [entry] = await till.journal.unfinished();
    if (entry === undefined) throw new Error("nothing is in doubt");
    const command = new Journal({ store: till.store, clock: till.trial.clock });
    await command.finish(entry, { kind: "refused", refusal: { code: "not-registered" } }, "person");
    release();
    await till.settled();
    expect(textOf(await next)).toMatch(/^receipt 4/);
    expect(await till.documents()).toBe(4);
  });

  it("as refused makes the platform's repeat a new attempt, also with other content, and frees the lane", async () => {
    const till = await Till.open();
    const { id } = await doubtfulSale(till, "not registered");
    await command(till, "settle", `${id}`, "--refused", "--why", "the paper has no such receipt");
    expect(textOf(await till.submitAndWait(saleOperation("sale-1"), "other"))).toMatch(/^receipt 4/);
    expect((await till.journal.get(id))?.attempt).toBe(2);
    expect(textOf(await till.submitAndWait(saleOperation("sale-2")))).toMatch(/^receipt 5/);
  });

  it("as refused by mistake prints nothing twice: the repeat gets the document that stands in the drive", async () => {
    const till = await Till.open();
    const { id } = await doubtfulSale(till);
    await command(till, "settle", `${id}`, "--refused", "--why", "the wrong paper was looked at");
    expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toMatch(/^receipt 3/);
    expect((await till.journal.moves(id)).at(-1)).toMatchObject({ to: "done", by: "look-up" });
    expect(textOf(await till.submitAndWait(saleOperation("sale-2")))).toMatch(/^receipt 5/);
    expect(await till.documents()).toBe(5);
  });

  it("as refused by mistake stops the lane again when the repeat has another sum than the document in the drive", async () => {
    const till = await Till.open();
    const { id } = await doubtfulSale(till);
    await command(till, "settle", `${id}`, "--refused", "--why", "the wrong paper was looked at");
    const sale = saleOperation("sale-1");
    const other = { ...sale, payments: { ...sale.payments, cashKopecks: 10_981 } };
    expect(textOf(await till.submitAndWait(other, "other"))).toBe("in-doubt");
    expect(textOf(await till.submitAndWait(saleOperation("sale-2")))).toBe("lane-stopped");
    expect(await till.documents()).toBe(4);
  });

  it("stays settled when the server asks the register at the same moment: one of both is heard", async () => {
    const till = await Till.open();
    const { id } = await doubtfulSale(till);
    const repeat = till.submit(saleOperation("sale-1"));
    await command(till, "settle", `${id}`, "--done", ...(await paperOf(till, 3)));
    await till.settled();
    expect(textOf(await repeat)).toMatch(/^(receipt 3|in-doubt)/);
    expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toMatch(/^receipt 3/);
    expect(await till.documents()).toBe(4);
  });

  it("about cash is done with the drawer that it leads to", async () => {
    const till = await Till.open();
    await till.openShift();
    till.trial.inject({ after: once("cash-in", { kind: "power-cut" }) });
    expect(textOf(await till.submitAndWait(cashOperation("cash-in", "in-1", 50_000)))).toBe("in-doubt");
    const [entry] = await till.journal.unfinished();
    expect(await command(till, "explain", `${entry?.id}`)).toContain("drawer    0.00 before; 500.00 if it was made");
    const time = entry?.checkpoint?.deviceTime ?? "";
    await command(till, "settle", "in-1", "--done", "--time", time, "--shift", "1");
    till.trial.device.powerOn();
    expect(textOf(await till.submitAndWait(cashOperation("cash-in", "in-1", 50_000)))).toMatch(/^cash-in 0/);
    expect((await till.trial.state()).drawerKopecks).toBe(50_000);
  });
});
