import { describe, expect, it } from "vitest";
import { cashDocument, receiptDocument } from "../support/register-documents.ts";
import { once } from "../support/registers.ts";
import { cashOperation, SHIFT, saleOperation, shiftOperation, Till, textOf } from "../support/till.ts";

const OTHER_SHIFT = { id: "shift-2", idType: "native" as const };
const SYNC_SHIFT = { id: "shift-1-of-the-till", idType: "sync" as const };

describe("an operation", () => {
  it("is registered once and answered with the same bytes for ever", async () => {
    const till = await Till.open();
    await till.openShift();
    const first = await till.submitAndWait(saleOperation("sale-1"));
    const again = await till.submitAndWait(saleOperation("sale-1"));
    await till.killAndRestart();
    const afterRestart = await till.submitAndWait(saleOperation("sale-1"));
    expect([first, again, afterRestart].map(textOf)).toEqual(Array(3).fill("receipt 3 receipt 2"));
    expect(first).toMatchObject({ replayed: false });
    expect(again).toMatchObject({ replayed: true });
    expect(await till.documents()).toBe(3);
  });

  it("is worked on once when it comes several times at once", async () => {
    const till = await Till.open();
    await till.openShift();
    const several = [1, 2, 3, 4].map(() => till.submit(saleOperation("sale-1")));
    await till.settled();
    expect(new Set((await Promise.all(several)).map(textOf))).toEqual(new Set(["receipt 3 receipt 2"]));
    expect(await till.documents()).toBe(3);
  });

  it("with other content under the same key is refused while it runs and when it is done", async () => {
    const till = await Till.open();
    await till.openShift();
    const running = till.submit(saleOperation("sale-1"));
    expect(textOf(await till.submit(saleOperation("sale-1"), "other"))).toBe("content-differs");
    await till.settled();
    expect(textOf(await running)).toBe("receipt 3 receipt 2");
    expect(textOf(await till.submitAndWait(saleOperation("sale-1"), "other"))).toBe("content-differs");
    expect(await till.documents()).toBe(3);
  });

  it("gets its answer also while a call with other content looks for the same key", async () => {
    const till = await Till.open();
    await till.openShift();
    await till.submitAndWait(saleOperation("sale-1"));
    const calls = [till.submit(saleOperation("sale-1"), "other"), ...[1, 2].map(() => till.submit(saleOperation("sale-1")))];
    await till.settled();
    const texts = (await Promise.all(calls)).map(textOf);
    expect(texts).toEqual(["content-differs", "receipt 3 receipt 2", "receipt 3 receipt 2"]);
    expect(await till.documents()).toBe(3);
  });

  it("ends its doubt also while a call with other content looks for the same key", async () => {
    const till = await Till.open();
    await till.openShift();
    till.trial.inject({ after: once("receipt", { kind: "power-cut" }) });
    expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toBe("in-doubt");
    till.trial.device.powerOn();
    const calls = [till.submit(saleOperation("sale-1"), "other"), till.submit(saleOperation("sale-1"))];
    await till.settled();
    expect((await Promise.all(calls)).map(textOf)).toEqual(["content-differs", "receipt 3 receipt 2"]);
    expect(await till.documents()).toBe(3);
  });

  it("is a new attempt after a refusal, also with other content", async () => {
    const till = await Till.open();
    expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toBe("shift-closed");
    await till.openShift();
    expect(textOf(await till.submitAndWait(saleOperation("sale-1"), "other"))).toMatch(/^receipt 3/);
    expect(await till.states()).toEqual(["sale done", "open-shift done"]);
    const [sale] = (await till.journal.list({ limit: 9 })).filter(({ key }) => key.operation === "sale");
    expect(sale?.attempt).toBe(2);
  });

  it("under the other id type is a twin and not registered again", async () => {
    const till = await Till.open();
    await till.openShift();
    const sale = saleOperation("sale-1");
    await till.submitAndWait(sale);
    const twin = { ...sale, document: { id: "sale-1-of-the-till", idType: "sync" as const } };
    expect(textOf(await till.submitAndWait(twin))).toBe("other-id-type");
    expect(textOf(await till.submitAndWait({ ...sale, document: { id: "sale-2", idType: "native" } }))).toMatch(/^receipt 4/);
  });

  it("answers without a receipt that cannot be drawn, and completes the answer on repeat", async () => {
    const till = await Till.open();
    await till.openShift();
    till.drawingFails = true;
    expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toBe("receipt 3 no receipt");
    till.drawingFails = false;
    expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toBe("receipt 3 receipt 2");
    expect(await till.documents()).toBe(3);
  });

  it("is answered in time when its register is slow, and the repeat gets the result", async () => {
    const till = await Till.open();
    await till.openShift();
    till.trial.inject({ before: once("receipt", { kind: "wait", forMs: 30_000 }) });
    const slow = till.submit(saleOperation("sale-1"));
    await till.trial.later(9_000);
    expect(textOf(await slow)).toBe("running");
    const repeat = till.submit(saleOperation("sale-1"));
    await till.trial.later(9_000);
    expect(textOf(await repeat)).toBe("running");
    await till.settled();
    expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toMatch(/^receipt 3/);
    expect(await till.documents()).toBe(3);
  });
});

describe("doubt", () => {
  it("of a sale whose reply was lost ends by asking the register, and nothing is printed again", async () => {
    const till = await Till.open();
    await till.openShift();
    till.trial.inject({ after: once("receipt", { kind: "lose-reply" }) });
    expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toMatch(/^receipt 3/);
    expect(await till.documents()).toBe(3);
  });

  it("of cash whose reply was lost ends by the drawer", async () => {
    const till = await Till.open();
    await till.openShift();
    till.trial.inject({ after: once("cash-in", { kind: "lose-reply" }) });
    expect(textOf(await till.submitAndWait(cashOperation("cash-in", "in-1", 50_000)))).toMatch(/^cash-in 0/);
    expect((await till.trial.state()).drawerKopecks).toBe(50_000);
  });

  it("of a power cut stops the lane, and ends by itself when the device is back", async () => {
    const till = await Till.open();
    await till.openShift();
    till.trial.inject({ after: once("receipt", { kind: "power-cut" }) });
    expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toBe("in-doubt");
    expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toBe("in-doubt");
    expect(textOf(await till.submitAndWait(saleOperation("sale-2")))).toBe("lane-stopped");
    till.trial.device.powerOn();
    expect(textOf(await till.submitAndWait(saleOperation("sale-2")))).toMatch(/^receipt 4/);
    expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toMatch(/^receipt 3/);
    expect(await till.documents()).toBe(4);
  });

  it("of a power cut before registration ends as not registered, and the repeat is a new attempt", async () => {
    const till = await Till.open();
    await till.openShift();
    till.trial.inject({ before: once("receipt", { kind: "power-cut" }) });
    expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toBe("in-doubt");
    till.trial.device.powerOn();
    expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toMatch(/^receipt 3/);
    expect(await till.documents()).toBe(3);
  });

  it("stays when somebody else used the register meanwhile, until a person settles it", async () => {
    const till = await Till.open();
    await till.openShift();
    till.trial.inject({ after: once("receipt", { kind: "power-cut" }) });
    await till.submitAndWait(saleOperation("sale-1"));
    const [silent] = await till.journal.unfinished();
    till.trial.device.powerOn();
    await till.trial.perform(receiptDocument());
    expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toBe("in-doubt");
    // The person reads the present reason of the doubt, not the first one.
    expect((await till.journal.unfinished())[0]?.doubt).toEqual({ code: "documents-ambiguous", count: 2 });
    expect(silent?.doubt?.code).not.toBe("documents-ambiguous");
    expect(textOf(await till.submitAndWait(saleOperation("sale-2")))).toBe("lane-stopped");
    const [entry] = await till.journal.unfinished();
    if (entry === undefined) throw new Error("nothing is unfinished");
    const found = await till.trial.register.lookUp(3, till.trial.deadline);
    if (found.kind !== "found") throw new Error("the sale is not in the drive");
    await till.journal.finish(entry, { kind: "done", facts: found.facts }, "person");
    expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toMatch(/^receipt 3/);
    expect(textOf(await till.submitAndWait(saleOperation("sale-2")))).toMatch(/^receipt 5/);
  });

  it("left by a killed process ends at the next start", async () => {
    const till = await Till.open();
    await till.openShift();
    till.trial.inject({ after: once("receipt", { kind: "wait", forMs: 15_000 }) });
    const killed = till.submit(saleOperation("sale-1"));
    await till.trial.later(9_000);
    expect(textOf(await killed)).toBe("running");
    expect(await till.states()).toEqual(["open-shift done", "sale sending"]);
    await till.killAndRestart();
    expect(await till.states()).toEqual(["open-shift done", "sale done"]);
    expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toMatch(/^receipt 3/);
    expect(await till.documents()).toBe(3);
  });

  it("does not touch an operation that waited: the next start registers it", async () => {
    const till = await Till.open();
    await till.openShift();
    till.trial.inject({ after: once("receipt", { kind: "wait", forMs: 15_000 }) });
    const first = till.submit(saleOperation("sale-1"));
    await till.trial.later(100);
    const second = till.submit(saleOperation("sale-2"));
    await till.trial.later(9_000);
    expect([textOf(await first), textOf(await second)]).toEqual(["running", "running"]);
    expect(await till.states()).toEqual(["open-shift done", "sale sending", "sale queued"]);
    await till.killAndRestart();
    expect(await till.states()).toEqual(["open-shift done", "sale done", "sale done"]);
    expect(await till.documents()).toBe(4);
  });
});

describe("shifts", () => {
  it("are opened once, and traded in by the platform's id", async () => {
    const till = await Till.open();
    expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toBe("shift-closed");
    expect(textOf(await till.openShift())).toMatch(/^open-shift 2/);
    expect(textOf(await till.openShift({ document: OTHER_SHIFT, shift: OTHER_SHIFT, name: "00002" }))).toBe("shift-already-open");
    expect(textOf(await till.submitAndWait(saleOperation("sale-2", { shift: OTHER_SHIFT })))).toBe("shift-conflict");
    expect(textOf(await till.submitAndWait(saleOperation("sale-3", { shift: SYNC_SHIFT })))).toMatch(/^receipt 3/);
    expect(textOf(await till.submitAndWait(saleOperation("sale-4", { shift: { id: "another", idType: "sync" } })))).toBe("shift-conflict");
    expect(textOf(await till.submitAndWait(shiftOperation("close-shift")))).toMatch(/^close-shift 4/);
    expect(textOf(await till.submitAndWait(shiftOperation("close-shift", { shift: OTHER_SHIFT, document: OTHER_SHIFT })))).toBe(
      "shift-closed",
    );
  });

  it("opened at the device are adopted with their own report, and closed by the platform", async () => {
    const till = await Till.open();
    await till.trial.openShift();
    expect(textOf(await till.openShift())).toMatch(/^open-shift 2/);
    expect(await till.documents()).toBe(2);
    expect(textOf(await till.submitAndWait(saleOperation("sale-1", { shift: OTHER_SHIFT })))).toBe("shift-conflict");
    expect(textOf(await till.submitAndWait(shiftOperation("close-shift")))).toMatch(/^close-shift 3/);
  });

  it("older than 24 hours refuse everything but closing", async () => {
    const till = await Till.open();
    await till.openShift();
    await till.trial.later(24 * 3_600_000);
    expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toBe("shift-expired");
    expect(textOf(await till.submitAndWait(cashOperation("cash-in", "in-1", 100)))).toBe("shift-expired");
    expect(textOf(await till.submitAndWait(shiftOperation("close-shift")))).toMatch(/^close-shift/);
  });

  it("are opened and renewed by the server where the point of sale says so", async () => {
    const till = await Till.open({ rules: { shiftOpening: "automatic" } });
    expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toMatch(/^receipt 3/);
    expect(await till.states()).toEqual(["auto-open-shift done", "sale done"]);
    await till.trial.later(24 * 3_600_000);
    expect(textOf(await till.submitAndWait(saleOperation("sale-2")))).toMatch(/^receipt 6/);
    expect(textOf(await till.submitAndWait(saleOperation("sale-3", { shift: OTHER_SHIFT })))).toMatch(/^receipt 9/);
    expect(textOf(await till.openShift({ document: OTHER_SHIFT, shift: OTHER_SHIFT }))).toMatch(/^open-shift 8/);
    expect(textOf(await till.submitAndWait(saleOperation("sale-4", { shift: SHIFT })))).toBe("shift-conflict");
  });
});

describe("a database that fails", () => {
  it("while several sales are in flight fails them alone: each repeat gets its answer", async () => {
    const till = await Till.open();
    await till.openShift();
    till.failCommits(4);
    const sales = [1, 2, 3, 4].map((number) => till.submit(saleOperation(`sale-${number}`)).catch((error: unknown) => String(error)));
    await till.settled();
    for (const ended of await Promise.all(sales))
      expect(typeof ended === "string" ? ended : textOf(ended)).toMatch(/disk is full|in-doubt|receipt/);
    for (const number of [1, 2, 3, 4]) expect(textOf(await till.submitAndWait(saleOperation(`sale-${number}`)))).toMatch(/^receipt/);
    expect(await till.documents()).toBe(6);
  });
});

describe("the guards before anything is sent", () => {
  it("refuse a return and a payout above the drawer's cash, and register nothing", async () => {
    const till = await Till.open();
    await till.openShift();
    expect(textOf(await till.submitAndWait({ ...saleOperation("return-1"), kind: "sales-return" }))).toBe("cash-short");
    expect(textOf(await till.submitAndWait(cashOperation("cash-out", "out-1", 1)))).toBe("cash-short");
    expect(await till.documents()).toBe(2);
  });

  it("refuse to mix a live installation with a debug drive, unless the register's address says so", async () => {
    const till = await Till.open({ drives: "live" });
    expect(textOf(await till.openShift())).toBe("drive-kind-mixed");
    expect(await till.documents()).toBe(1);
    const mixed = await Till.open({ drives: "live", rules: { register: "emulator:bench?drive=any" } });
    expect(textOf(await mixed.openShift())).toMatch(/^open-shift 2/);
  });

  it("refuse an address that leads nowhere, and an operation beyond what may wait", async () => {
    const till = await Till.open({ rules: { register: "nowhere:1" } });
    expect(textOf(await till.openShift())).toBe("register-missing");
    const busy = await Till.open();
    await busy.openShift();
    busy.trial.inject({ before: once("receipt", { kind: "wait", forMs: 3_600_000 }) });
    const all = Array.from({ length: 34 }, (_, i) => busy.submit(saleOperation(`sale-${i}`)));
    await busy.trial.later(9_000);
    const answers = (await Promise.all(all)).map(textOf);
    expect(answers.filter((text) => text === "lane-full")).toHaveLength(1);
    expect(answers.filter((text) => text === "running")).toHaveLength(33);
  });

  it("refuse to sell on a register whose memory went back behind the journal", async () => {
    const till = await Till.open();
    await till.openShift();
    await till.submitAndWait(saleOperation("sale-1"));
    const [sale] = await till.journal.list({ limit: 1 });
    if (sale?.facts?.kind !== "fiscal" || sale.checkpoint === undefined) throw new Error("the sale is not done");
    const lost = await till.journal.begin({ ...sale, key: { ...sale.key, documentId: "sale-lost" } }, sale.checkpoint);
    await till.journal.finish(lost, { kind: "done", facts: { ...sale.facts, documentNumber: 4 } }, "register");
    expect(textOf(await till.submitAndWait(saleOperation("sale-2")))).toBe("register-went-back");
    expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toMatch(/^receipt 3/);
    expect(await till.documents()).toBe(3);
  });

  it("do not take money moved by somebody else at the device for an answer", async () => {
    const till = await Till.open();
    await till.openShift();
    till.trial.inject({ before: once("cash-in", { kind: "power-cut" }) });
    await till.submitAndWait(cashOperation("cash-in", "in-1", 100));
    till.trial.device.powerOn();
    await till.trial.perform(cashDocument("cash-in", 700));
    expect(textOf(await till.submitAndWait(cashOperation("cash-in", "in-1", 100)))).toBe("in-doubt");
  });
});
