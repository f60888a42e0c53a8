import { describe, expect, it } from "vitest";
import type { Clock } from "../../src/kernel/clock.ts";
import { EmulatorRegister } from "../../src/registers/emulator/register.ts";
import { VirtualDevice } from "../../src/registers/virtual/device.ts";
import { MemoryDrive } from "../../src/registers/virtual/drive.ts";
import { type Bench, once, sameChance, Trial, ZONE } from "../support/registers.ts";
import { SHIFT, saleOperation, shiftOperation, Till, textOf } from "../support/till.ts";

const NEXT_SHIFT = { id: "shift-2", idType: "native" as const };

/** A register with the first of these names. After each restart the next name takes its place. */
async function bench(clock: Clock, [name = "", ...others]: readonly string[]): Promise<Bench> {
  const { device } = await VirtualDevice.open({ name, storage: new MemoryDrive(), clock, chance: sameChance, zone: ZONE });
  const register = new EmulatorRegister(clock, () => Promise.resolve({ device, close: () => device.close() }));
  return { register, device, seconds: true, restart: () => bench(clock, others) };
}

async function tillWithTwo(): Promise<Till> {
  const till = await Till.open({ trial: await Trial.on((clock) => bench(clock, ["first", "second"])) });
  await till.openShift();
  expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toMatch(/^receipt 3/);
  return till;
}

describe("another register or drive behind the same address", () => {
  it("goes on with its own numbers, and old documents are answered as before", async () => {
    const till = await tillWithTwo();
    await till.trial.restart();
    expect(textOf(await till.submitAndWait(saleOperation("sale-2")))).toBe("shift-closed");
    const opening = shiftOperation("open-shift", { shift: NEXT_SHIFT, document: NEXT_SHIFT, name: "00002" });
    expect(textOf(await till.submitAndWait(opening))).toMatch(/^open-shift 2/);
    expect(textOf(await till.submitAndWait(saleOperation("sale-2", { shift: NEXT_SHIFT })))).toMatch(/^receipt 3/);
    expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toMatch(/^receipt 3 receipt 2/);
    const drives = (await till.journal.list({ limit: 9 })).map(({ facts }) => facts?.identity.driveNumber);
    expect(new Set(drives).size).toBe(2);
  });

  it("that comes in the middle of a doubt cannot end it: the lane waits for a person, who is told of both drives", async () => {
    const till = await tillWithTwo();
    till.trial.inject({ after: once("receipt", { kind: "power-cut" }) });
    expect(textOf(await till.submitAndWait(saleOperation("sale-2")))).toBe("in-doubt");
    await till.trial.restart();
    expect(textOf(await till.submitAndWait(saleOperation("sale-2")))).toBe("in-doubt");
    expect(textOf(await till.submitAndWait(saleOperation("sale-3", { shift: SHIFT })))).toBe("lane-stopped");
    const [entry] = await till.journal.unfinished();
    expect(entry?.doubt).toEqual({
      code: "drive-changed",
      before: expect.stringMatching(/^\d{16}$/),
      now: expect.stringMatching(/^\d{16}$/),
    });
    if (entry === undefined) throw new Error("nothing is in doubt");
    await till.journal.finish(entry, { kind: "refused", refusal: { code: "not-registered" } }, "person");
    expect(textOf(await till.submitAndWait(saleOperation("sale-2")))).toBe("shift-closed");
  });
});
