import { describe, expect, it } from "vitest";
import type { Clock } from "../../src/kernel/clock.ts";
import { EmulatorRegister } from "../../src/registers/emulator/register.ts";
import type { Register } from "../../src/registers/register.ts";
import { VirtualDevice } from "../../src/registers/virtual/device.ts";
import { MemoryDrive } from "../../src/registers/virtual/drive.ts";
import { receiptDocument } from "../support/register-documents.ts";
import { once, sameChance, Trial, ZONE } from "../support/registers.ts";
import { copyOf, restore } from "../support/restored.ts";
import { saleOperation, shiftOperation, Till, textOf } from "../support/till.ts";

/** A till whose register can get another drive, between two requests for documents too. */
async function twoDrives() {
  const drives: VirtualDevice[] = [];
  const line = { there: 0 as 0 | 1, asked: 0, exchangeAt: 0 };
  const open = async (name: string, clock: Clock) =>
    (await VirtualDevice.open({ name, storage: new MemoryDrive(), clock, chance: sameChance, zone: ZONE })).device;
  const trial = await Trial.on(async (clock) => {
    for (const name of ["first", "second"]) drives.push(await open(name, clock));
    const device = () => drives[line.there] ?? raise();
    const register = new EmulatorRegister(clock, async () => ({ device: device(), close: async () => {} }));
    const bench = { register, device: device(), seconds: true, restart: async () => bench };
    return bench;
  });
  const put = async (drive: 0 | 1) => {
    line.there = drive;
    await trial.register.close();
  };
  const wrapped = (register: Register): Register => ({
    identity: (deadline) => register.identity(deadline),
    inspect: (deadline) => register.inspect(deadline),
    perform: (document, deadline) => register.perform(document, deadline),
    async lookUp(number, deadline) {
      line.asked += 1;
      if (line.asked === line.exchangeAt) await put(1);
      return register.lookUp(number, deadline);
    },
    abandon: (deadline) => register.abandon(deadline),
    close: () => register.close(),
  });
  const till = await Till.open({ trial, rules: { shiftOpening: "automatic", register: "emulator:bench?drive=any" }, line: wrapped });
  return { till, put, line, documentsIn: (drive: 0 | 1) => drives[drive]?.look().memory.lastDocumentNumber };
}

function raise(): never {
  throw new Error("there is no such drive");
}

async function sell(till: Till, ...ids: string[]): Promise<string[]> {
  const answers: string[] = [];
  for (const id of ids)
    answers.push(
      textOf(await till.submitAndWait(saleOperation(id)))
        .split(" ")
        .slice(0, 2)
        .join(" "),
    );
  return answers;
}

/** Makes documents in the second drive, so that it has as many documents as stated. */
async function fillSecond({ till, put, documentsIn }: Awaited<ReturnType<typeof twoDrives>>, documents: number): Promise<void> {
  await put(1);
  if (documents > 1) await till.trial.openShift();
  while ((documentsIn(1) ?? 0) < documents) await till.trial.perform(receiptDocument());
  await put(0);
}

describe("a drive that is exchanged while its documents are read", () => {
  const REQUESTS = [1, 2, 3, 4, 5];

  it.each([1, 4, 7].flatMap((other) => REQUESTS.map((exchangeAt) => ({ other, exchangeAt }))))(
    "gets no documents of the other, so that lost sales are found when it is back: $other documents there, at request $exchangeAt",
    async ({ other, exchangeAt }) => {
      const shop = await twoDrives();
      const { till, put, line, documentsIn } = shop;
      await fillSecond(shop, other);
      expect(await sell(till, "s-3")).toEqual(["receipt 3"]);
      const copy = await copyOf(till.store);
      expect(await sell(till, "s-4", "s-5", "s-6")).toEqual(["receipt 4", "receipt 5", "receipt 6"]);
      await restore(till.store, copy);
      await till.killAndRestart({ recovers: false });
      line.exchangeAt = line.asked + exchangeAt;
      expect(await sell(till, "s-6")).toEqual(["register-unreachable"]);
      line.exchangeAt = 0;
      await put(0);
      expect(await sell(till, "s-4", "s-5", "s-6", "s-7")).toEqual([4, 5, 6, 7].map((number) => `receipt ${number}`));
      expect([documentsIn(0), documentsIn(1)]).toEqual([7, other]);
    },
  );

  it("does not end the doubt about a closing with the other drive's report", async () => {
    const shop = await twoDrives();
    const { till, put, line, documentsIn } = shop;
    await fillSecond(shop, 3);
    await put(1);
    await till.trial.state();
    await till.trial.settled(till.trial.register.perform({ kind: "close-shift", reference: "by hand" }, till.trial.deadline));
    await put(0);
    expect(await sell(till, "s-3")).toEqual(["receipt 3"]);
    till.trial.inject({ before: once("close-shift", { kind: "power-cut" }) });
    const closing = shiftOperation("close-shift", { moment: "2026-11-13 20:00:00" });
    expect(textOf(await till.submitAndWait(closing))).toBe("in-doubt");
    till.trial.device.powerOn();
    line.exchangeAt = line.asked + 1;
    expect(textOf(await till.submitAndWait(closing))).toBe("in-doubt");
    line.exchangeAt = 0;
    await put(0);
    expect(textOf(await till.submitAndWait(closing))).toMatch(/^close-shift 4/);
    expect([documentsIn(0), documentsIn(1)]).toEqual([4, 4]);
  });
});
