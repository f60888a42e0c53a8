import { describe, expect, it } from "vitest";
import type { Log } from "../../src/kernel/log.ts";
import { silentLog } from "../../src/kernel/log.ts";
import { sample } from "../support/extent.ts";
import { receiptDocument } from "../support/register-documents.ts";
import { once, SCHEMES, Trial } from "../support/registers.ts";
import { journal, paperOf, settled } from "../support/settle-command.ts";
import { cashOperation, saleOperation, Till, textOf } from "../support/till.ts";

const SALE = saleOperation("sale-1");
const LOST = "the drive has documents of this server that the journal does not have";

interface Line {
  fields: unknown;
  text: string;
}

/**
 * Two tills at one register. The returned till has the database of just after the opening, like a restored copy, and the other till has
 * sold since.
 */
async function restored(scheme: string, sell: (till: Till) => Promise<void>): Promise<{ till: Till; lines: Line[] }> {
  const trial = await Trial.begin(scheme);
  const lines: Line[] = [];
  const log: Log = { ...silentLog, error: (fields: unknown, text: string) => lines.push({ fields, text }) } as Log;
  const till = await Till.open({ trial, log });
  await till.openShift();
  const before = await Till.open({ trial });
  const [opening] = await till.journal.list({ limit: 1 });
  if (opening?.checkpoint === undefined || opening.facts === undefined) throw new Error("no shift was opened");
  const { checkpoint, facts } = opening;
  await before.journal.finish(await before.journal.begin(opening, checkpoint), { kind: "done", facts }, "register");
  await sell(before);
  return { till, lines };
}

describe.each(sample(SCHEMES, 2))("after an older copy of the database was restored, %s", (scheme) => {
  it("prints nothing twice: a repeat of what the copy does not have gets the document that stands in the drive", async () => {
    const { till, lines } = await restored(scheme, async (before) => {
      for (const id of ["sale-1", "sale-2"]) expect(textOf(await before.submitAndWait(saleOperation(id)))).toMatch(/^receipt/);
    });
    expect(textOf(await till.submitAndWait(saleOperation("sale-3")))).toMatch(/^receipt 5/);
    expect(lines.filter(({ text }) => text === LOST)).toMatchObject([{ fields: { documents: [3, 4] } }]);
    expect(textOf(await till.submitAndWait(saleOperation("sale-2")))).toMatch(/^receipt 4/);
    await till.killAndRestart();
    expect(textOf(await till.submitAndWait(SALE))).toMatch(/^receipt 3/);
    expect(textOf(await till.submitAndWait(saleOperation("sale-4")))).toMatch(/^receipt 6/);
    expect(await till.documents()).toBe(6);
  });

  it("stops for a person where the repeat has another sum than the document", async () => {
    const { till } = await restored(scheme, async (before) => {
      await before.submitAndWait(SALE);
      await before.submitAndWait(saleOperation("sale-2"));
    });
    const other = { ...SALE, payments: { ...SALE.payments, cashKopecks: 10_981 } };
    expect(textOf(await till.submitAndWait(other, "other"))).toBe("in-doubt");
    await till.killAndRestart();
    const [entry] = await till.journal.unfinished();
    expect(entry?.doubt).toEqual({ code: "registered-with-other-sum", number: 3 });
    expect(await till.documents()).toBe(4);
  });

  it("tells a person of cash by the receipts around it, and can do no more: a slip stands in no drive", async () => {
    const cash = cashOperation("cash-in", "in-1", 50_000);
    const { till, lines } = await restored(scheme, async (before) => {
      await before.submitAndWait(cash);
      await before.submitAndWait(SALE);
    });
    expect(textOf(await till.submitAndWait(cash))).toMatch(/^cash-in/);
    expect((await till.trial.state()).drawerKopecks).toBe(110_980);
    expect(lines.filter(({ text }) => text === LOST)).toMatchObject([{ fields: { documents: [3] } }]);
  });
});

describe("documents that somebody made at the register itself", () => {
  it("are read once, cost no refusal and are not taken for the server's", async () => {
    const lines: Line[] = [];
    const log: Log = { ...silentLog, error: (fields: unknown, text: string) => lines.push({ fields, text }) } as Log;
    const till = await Till.open({ log });
    await till.openShift();
    for (let i = 0; i < 3; i += 1) await till.trial.perform(receiptDocument({ reference: "by hand" }));
    expect(textOf(await till.submitAndWait(SALE))).toMatch(/^receipt 6/);
    expect(lines).toEqual([]);
  });
});

describe("a document with our id and another sum", () => {
  /** The sale is document 3 (ФД) in the drive, was settled as refused by mistake, and is sent with another sum. */
  async function otherSum(): Promise<{ till: Till; id: number; paper: string[] }> {
    const till = await Till.open();
    await till.openShift();
    till.trial.inject({ after: once("receipt", { kind: "power-cut" }) });
    await till.submitAndWait(SALE);
    await till.settled();
    const [entry] = await till.journal.unfinished();
    const id = entry?.id ?? 0;
    await settled(till, "runs", "settle", `${id}`, "--refused", "--why", "the wrong paper", "--unconfirmed");
    till.trial.device.powerOn();
    const twice = { positions: [...SALE.positions, ...SALE.positions], payments: { ...SALE.payments, cashKopecks: 21_960 } };
    expect(textOf(await till.submitAndWait({ ...SALE, ...twice }, "other"))).toBe("in-doubt");
    return { till, id, paper: await paperOf(till, 3) };
  }

  it("never counts as nothing registered, and is settled with its own figures", async () => {
    const { till, id, paper } = await otherSum();
    expect(textOf(await till.submitAndWait(saleOperation("sale-2")))).toBe("lane-stopped");
    const nothing = ["settle", `${id}`, "--refused", "--why", "that was not made"];
    const said = await journal(till, "stopped", ...nothing, "--unconfirmed");
    expect(said).toMatchObject({ code: 1, text: expect.stringContaining("carries this operation's id, with another sum, 109.80") });
    expect((await journal(till, "stopped", "explain", `${id}`)).text).toContain("уже пробита с другой суммой: ФД № 3");
    const without = await journal(till, "stopped", "settle", `${id}`, "--done", ...paper);
    expect(without).toMatchObject({ code: 1, text: expect.stringContaining("and --sum 109.80") });
    const taken = await settled(till, "stopped", "settle", `${id}`, "--done", ...paper, "--sum", "109.80");
    expect(taken).toContain("For the wrong one: a correction receipt");
    expect((await till.journal.moves(id)).at(-1)?.reasons).toContainEqual({ code: "other-sum", totalKopecks: 10_980 });
    expect(textOf(await till.submitAndWait(saleOperation("sale-2")))).toMatch(/^receipt 4/);
    expect(await till.documents()).toBe(4);
  });

  it("is not settled on a person's word alone, this way or that: the register has spoken", async () => {
    const { till, id, paper } = await otherSum();
    for (const args of [
      ["--refused", "--why", "no"],
      ["--done", ...paper],
    ]) {
      const said = await journal(till, "runs", "settle", `${id}`, ...args, "--unconfirmed");
      expect(said).toMatchObject({ code: 1, text: expect.stringContaining("has said otherwise already") });
    }
    expect((await till.journal.get(id))?.state).toBe("in-doubt");
  });
});

it.each([
  ["ahead of its drive", { lastDocumentNumber: 103 }],
  ["of another drive", { driveNumber: "9999078900009999" }],
])("a checkpoint %s does not outweigh the document that carries our id", async (_what, lie) => {
  const till = await Till.open();
  await till.openShift();
  till.trial.inject({ after: once("receipt", { kind: "power-cut" }) });
  await till.submitAndWait(SALE);
  await till.settled();
  const [entry] = await till.journal.unfinished();
  if (entry?.checkpoint === undefined) throw new Error("nothing is in doubt");
  const checkpoint = JSON.stringify({ ...entry.checkpoint, ...lie });
  await till.store.commit((tx) => tx.updateTable("entries").set({ checkpoint }).where("id", "=", entry.id).execute());
  till.trial.device.powerOn();
  await settled(till, "stopped", "settle", `${entry.id}`, "--done", ...(await paperOf(till, 3)));
  expect(textOf(await till.submitAndWait(SALE))).toMatch(/^receipt 3/);
  expect(textOf(await till.submitAndWait(saleOperation("sale-2")))).toMatch(/^receipt 4/);
});
