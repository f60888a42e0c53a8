import { describe, expect, it } from "vitest";
import type { PlatformId } from "../../src/model/operation.ts";
import { EmulatorRegister } from "../../src/registers/emulator/register.ts";
import { VirtualDevice } from "../../src/registers/virtual/device.ts";
import { MemoryDrive } from "../../src/registers/virtual/drive.ts";
import { encodeRecord } from "../../src/registers/virtual/records.ts";
import { register, SAMPLE_SELLER } from "../../src/registers/virtual/registration.ts";
import { once, sameChance, Trial, ZONE } from "../support/registers.ts";
import { cashOperation, SHIFT, saleOperation, shiftOperation, Till, textOf } from "../support/till.ts";

const SHIFT_OF_THE_TILL: PlatformId = { id: "shift-1-of-the-till", idType: "sync" };

/** A register with a drive that has the number of a live drive. */
function liveTrial(): Promise<Trial> {
  return Trial.on(async (clock) => {
    const storage = new MemoryDrive();
    const record = register("bench", sameChance.bytes(32), SAMPLE_SELLER, "2026-11-13 08:00:00");
    const identity = { ...record.identity, driveNumber: "7380440700123456" };
    await storage.append(encodeRecord({ ...record, identity }));
    const { device } = await VirtualDevice.open({ name: "bench", storage, clock, chance: sameChance, zone: ZONE });
    const front = new EmulatorRegister(clock, () => Promise.resolve({ device, close: () => device.close() }));
    return { register: front, device, seconds: true, restart: () => Promise.reject(new Error("this bench stays on")) };
  });
}

describe("before the command", () => {
  it("a test installation is kept off a live drive, unless the register's address says so", async () => {
    const till = await Till.open({ trial: await liveTrial() });
    expect(await till.openShift()).toMatchObject({
      kind: "refused",
      refusal: { code: "drive-kind-mixed", details: { drive: "7380440700123456" } },
    });
    expect([await till.documents(), await till.states()]).toEqual([1, ["open-shift refused"]]);
    const mixed = await Till.open({ trial: await liveTrial(), rules: { register: "emulator:bench?drive=any" } });
    expect(textOf(await mixed.openShift())).toMatch(/^open-shift 2/);
    const live = await Till.open({ trial: await liveTrial(), drives: "live" });
    expect(textOf(await live.openShift())).toMatch(/^open-shift 2/);
  });

  it("a register without paper refuses whatever comes, and takes it once there is paper", async () => {
    const till = await Till.open();
    await till.openShift();
    till.trial.device.setPaper(false);
    const operations = [saleOperation("sale-1"), cashOperation("cash-in", "in-1", 100), shiftOperation("close-shift")];
    for (const operation of operations) expect(textOf(await till.submitAndWait(operation))).toBe("no-paper");
    expect([await till.documents(), (await till.trial.state()).drawerKopecks]).toEqual([2, 0]);
    expect(await till.states()).toEqual(["open-shift done", "sale refused", "cash-in refused", "close-shift refused"]);
    till.trial.device.setPaper(true);
    const texts: string[] = [];
    for (const operation of operations) texts.push(textOf(await till.submitAndWait(operation)));
    expect(texts).toEqual([
      expect.stringMatching(/^receipt 3/),
      expect.stringMatching(/^cash-in 0/),
      expect.stringMatching(/^close-shift 4/),
    ]);
  });

  it("a point of sale that opens its shifts by itself opens none on a register without paper", async () => {
    const till = await Till.open({ rules: { shiftOpening: "automatic" } });
    till.trial.device.setPaper(false);
    expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toBe("no-paper");
    expect([await till.documents(), await till.states()]).toEqual([1, ["sale refused"]]);
  });

  it("paper that runs out before the receipt leaves nothing behind but a refusal", async () => {
    const till = await Till.open();
    await till.openShift();
    till.trial.inject({ before: once("receipt", { kind: "paper-out" }) });
    expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toBe("no-paper");
    expect([await till.documents(), await till.states()]).toEqual([2, ["open-shift done", "sale refused"]]);
  });

  it("paper that runs out behind the receipt changes nothing about it; the next waits for paper", async () => {
    const till = await Till.open();
    await till.openShift();
    till.trial.inject({ after: once("receipt", { kind: "paper-out" }) });
    expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toMatch(/^receipt 3/);
    expect(textOf(await till.submitAndWait(saleOperation("sale-2")))).toBe("no-paper");
    expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toMatch(/^receipt 3/);
    expect(await till.documents()).toBe(3);
  });
});

describe("a twin", () => {
  it("of an opening and of a closing is found: a shift has one report of each", async () => {
    const till = await Till.open();
    await till.openShift();
    const twin = { document: SHIFT_OF_THE_TILL, shift: SHIFT_OF_THE_TILL };
    expect(textOf(await till.openShift(twin))).toBe("other-id-type");
    expect(textOf(await till.submitAndWait(shiftOperation("close-shift")))).toMatch(/^close-shift 3/);
    expect(textOf(await till.submitAndWait(shiftOperation("close-shift", twin)))).toBe("other-id-type");
    expect(await till.documents()).toBe(3);
    expect((await till.states()).toSorted()).toEqual(["close-shift done", "close-shift refused", "open-shift done", "open-shift refused"]);
  });

  it("of cash in and cash out is found, and the drawer moves once", async () => {
    const till = await Till.open();
    await till.openShift();
    for (const [kind, sumKopecks] of [
      ["cash-in", 50_000],
      ["cash-out", 20_000],
    ] as const) {
      const first = cashOperation(kind, `${kind}-1`, sumKopecks);
      expect(textOf(await till.submitAndWait(first))).toMatch(new RegExp(`^${kind} 0`));
      const twin = { ...first, document: { id: `${kind}-of-the-till`, idType: "sync" as const } };
      expect(textOf(await till.submitAndWait(twin))).toBe("other-id-type");
    }
    expect((await till.trial.state()).drawerKopecks).toBe(30_000);
  });

  it("stays one on every repeat, and when it comes first after a restart", async () => {
    const till = await Till.open();
    await till.openShift();
    const sale = saleOperation("sale-1");
    await till.submitAndWait(sale);
    const twin = { ...sale, document: { id: "sale-of-the-till", idType: "sync" as const } };
    for (let time = 1; time <= 3; time += 1) {
      expect(textOf(await till.submitAndWait(twin))).toBe("other-id-type");
      await till.killAndRestart();
    }
    expect(await till.documents()).toBe(3);
  });

  it("comes at the same moment as its first: one of both is registered", async () => {
    const till = await Till.open();
    await till.openShift();
    const sale = saleOperation("sale-1");
    const twin = { ...sale, document: { id: "sale-of-the-till", idType: "sync" as const } };
    const both = [till.submit(sale), till.submit(twin)];
    await till.settled();
    expect((await Promise.all(both)).map(textOf).toSorted()).toEqual(["other-id-type", expect.stringMatching(/^receipt 3/)]);
    expect(await till.documents()).toBe(3);
  });

  it("of an operation in doubt is one all the same, also at another register", async () => {
    const rules = { register: "emulator:one" };
    const till = await Till.open({ rules });
    await till.openShift();
    till.trial.inject({ after: once("receipt", { kind: "power-cut" }) });
    const sale = saleOperation("sale-1");
    expect(textOf(await till.submitAndWait(sale))).toBe("in-doubt");
    const twin = { ...sale, document: { id: "sale-of-the-till", idType: "sync" as const } };
    expect(textOf(await till.submitAndWait(twin))).toBe("lane-stopped");
    rules.register = "emulator:two";
    expect(textOf(await till.submitAndWait(twin))).toBe("other-id-type");
    rules.register = "emulator:one";
    till.trial.device.powerOn();
    expect(textOf(await till.submitAndWait(twin))).toBe("other-id-type");
    expect(textOf(await till.submitAndWait(sale))).toMatch(/^receipt 3/);
    expect(await till.documents()).toBe(3);
  });

  it("of an operation that was refused is no twin: it is registered", async () => {
    const till = await Till.open();
    const sale = saleOperation("sale-1");
    expect(textOf(await till.submitAndWait(sale))).toBe("shift-closed");
    await till.openShift();
    const other = { ...sale, document: { id: "sale-of-the-till", idType: "sync" as const } };
    expect(textOf(await till.submitAndWait(other))).toMatch(/^receipt 3/);
    expect(textOf(await till.submitAndWait(sale))).toBe("other-id-type");
    expect(await till.documents()).toBe(3);
  });

  it("of an operation whose doubt ended as not registered is registered", async () => {
    const till = await Till.open();
    await till.openShift();
    till.trial.inject({ before: once("receipt", { kind: "power-cut" }) });
    const sale = saleOperation("sale-1");
    expect(textOf(await till.submitAndWait(sale))).toBe("in-doubt");
    till.trial.device.powerOn();
    const other = { ...sale, document: { id: "sale-of-the-till", idType: "sync" as const } };
    expect(textOf(await till.submitAndWait(other))).toMatch(/^receipt 3/);
    expect(textOf(await till.submitAndWait(sale))).toBe("other-id-type");
    expect(await till.documents()).toBe(3);
  });
});

describe("a shift that was opened at the device", () => {
  it("is closed by the platform without having been adopted, whatever its id", async () => {
    const till = await Till.open();
    await till.trial.openShift();
    expect(
      textOf(await till.submitAndWait(shiftOperation("close-shift", { shift: SHIFT_OF_THE_TILL, document: SHIFT_OF_THE_TILL }))),
    ).toMatch(/^close-shift 3/);
    expect((await till.trial.state()).shift).toEqual({ kind: "closed", lastNumber: 1 });
    expect(textOf(await till.openShift())).toMatch(/^open-shift 4/);
  });

  it("is closed also when it is older than 24 hours, and not adopted then", async () => {
    const till = await Till.open();
    await till.trial.openShift();
    await till.trial.later(24 * 3_600_000);
    // The till opens its own shift now. The report of the day before must not count as this opening.
    const opening = shiftOperation("open-shift", { moment: "2026-11-14 09:00:00" });
    expect(textOf(await till.submitAndWait(opening))).toBe("shift-expired");
    expect(textOf(await till.submitAndWait(shiftOperation("close-shift", { moment: "2026-11-14 09:01:00" })))).toMatch(/^close-shift 3/);
    expect(textOf(await till.submitAndWait(opening))).toMatch(/^open-shift 4/);
  });
});

describe("other content under a key in doubt", () => {
  it("is not the same operation, before and after the register is back", async () => {
    const till = await Till.open();
    await till.openShift();
    till.trial.inject({ after: once("receipt", { kind: "power-cut" }) });
    expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toBe("in-doubt");
    expect(textOf(await till.submitAndWait(saleOperation("sale-1"), "other"))).toBe("content-differs");
    till.trial.device.powerOn();
    expect(textOf(await till.submitAndWait(saleOperation("sale-1"), "other"))).toBe("content-differs");
    expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toMatch(/^receipt 3/);
    expect(textOf(await till.submitAndWait(saleOperation("sale-1"), "other"))).toBe("content-differs");
    expect(await till.documents()).toBe(3);
  });
});

describe("an outcome that cannot be committed", () => {
  it("is in doubt, and the repeat gets the document that was made, not a second one", async () => {
    const till = await Till.open();
    await till.openShift();
    till.failCommits(1, 1);
    expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toBe("in-doubt");
    expect([await till.documents(), await till.states()]).toEqual([3, ["open-shift done", "sale sending"]]);
    expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toMatch(/^receipt 3/);
    expect([await till.documents(), await till.states()]).toEqual([3, ["open-shift done", "sale done"]]);
  });

  it("is settled before the next operation of the register", async () => {
    const till = await Till.open();
    await till.openShift();
    till.failCommits(1, 1);
    expect(textOf(await till.submitAndWait(cashOperation("cash-in", "in-1", 50_000)))).toBe("in-doubt");
    expect(textOf(await till.submitAndWait(cashOperation("cash-out", "out-1", 20_000)))).toMatch(/^cash-out 0/);
    expect(await till.states()).toEqual(["open-shift done", "cash-in done", "cash-out done"]);
    expect(textOf(await till.submitAndWait(cashOperation("cash-in", "in-1", 50_000)))).toMatch(/^cash-in 0/);
    expect((await till.trial.state()).drawerKopecks).toBe(30_000);
  });

  it("is settled by the next start when no repeat comes", async () => {
    const till = await Till.open();
    till.failCommits(1, 1);
    expect(textOf(await till.openShift())).toBe("in-doubt");
    await till.killAndRestart();
    expect(await till.states()).toEqual(["open-shift done"]);
    expect(textOf(await till.openShift())).toMatch(/^open-shift 2/);
    expect(textOf(await till.submitAndWait(saleOperation("sale-1", { shift: SHIFT })))).toMatch(/^receipt 3/);
  });

  it("is nothing to fear where the intention could not be: nothing was sent", async () => {
    const till = await Till.open();
    await till.openShift();
    till.failCommits(1);
    const failed = expect(till.submit(saleOperation("sale-1"))).rejects.toMatchObject({ code: "database-failed", retrySafe: true });
    await till.settled();
    await failed;
    expect([await till.documents(), await till.states()]).toEqual([2, ["open-shift done"]]);
    expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toMatch(/^receipt 3/);
  });

  it("stays in doubt for the caller when a repeat cannot commit it either, because an earlier call sent it", async () => {
    const till = await Till.open();
    await till.openShift();
    till.failCommits(2, 1);
    expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toBe("in-doubt");
    expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toBe("in-doubt");
    expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toMatch(/^receipt 3/);
    expect(await till.documents()).toBe(3);
  });

  it("is committed, and only its answer is not: the answer is given all the same and made again", async () => {
    const till = await Till.open();
    await till.openShift();
    till.failCommits(1, 2);
    expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toMatch(/^receipt 3/);
    expect(await till.states()).toEqual(["open-shift done", "sale done"]);
    expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toMatch(/^receipt 3/);
    expect(await till.documents()).toBe(3);
  });
});
