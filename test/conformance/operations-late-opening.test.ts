import { describe, expect, it } from "vitest";
import type { Operation } from "../../src/model/operation.ts";
import { EmulatorRegister } from "../../src/registers/emulator/register.ts";
import { VirtualDevice } from "../../src/registers/virtual/device.ts";
import { MemoryDrive } from "../../src/registers/virtual/drive.ts";
import { encodeRecord } from "../../src/registers/virtual/records.ts";
import { register, SAMPLE_SELLER } from "../../src/registers/virtual/registration.ts";
import { sample } from "../support/extent.ts";
import { DAY_MS, SCHEMES, sameChance, Trial, ZONE } from "../support/registers.ts";
import { SHIFT, saleOperation, shiftOperation, Till, textOf } from "../support/till.ts";

const NEXT_SHIFT = { id: "shift-2", idType: "native" as const };
const OF_THE_TILL = { id: "shift-1-of-the-till", idType: "sync" as const };

const opening = shiftOperation("open-shift");
const closing = shiftOperation("close-shift", { moment: "2026-11-13 20:00:00" });

describe.each(sample(SCHEMES, 2))("an opening that was refused and comes again behind the end of its shift, %s", (scheme) => {
  /** The opening is refused because there is no paper. Then the server opens the shift for a sale. */
  async function begun(): Promise<Till> {
    const till = await Till.open({ trial: await Trial.begin(scheme), rules: { shiftOpening: "automatic" } });
    till.trial.device.setPaper(false);
    expect(await told(till, opening)).toBe("no-paper");
    till.trial.device.setPaper(true);
    expect(await told(till, saleOperation("sale-1"))).toMatch(/^receipt 3/);
    return till;
  }

  async function told(till: Till, operation: Operation): Promise<string> {
    return textOf(await till.trial.settled(till.submit(operation)));
  }

  async function made(till: Till): Promise<[number, string]> {
    const { lastDocumentNumber, shift } = await till.trial.state();
    return [lastDocumentNumber, shift.kind];
  }

  it("is answered with the report by which the server opened it, and opens nothing", async () => {
    const till = await begun();
    expect(await told(till, closing)).toMatch(/^close-shift 4/);
    const answer = await told(till, opening);
    expect(answer).toMatch(/^open-shift 2/);
    expect(await told(till, opening)).toBe(answer);
    expect(await made(till)).toEqual([4, "closed"]);
    expect(await told(till, shiftOperation("open-shift", { shift: NEXT_SHIFT, document: NEXT_SHIFT, name: "00002" }))).toMatch(
      /^open-shift 5/,
    );
  });

  it("is answered so while the next shift is open, which stays", async () => {
    const till = await begun();
    await told(till, closing);
    const next = { shift: NEXT_SHIFT, document: NEXT_SHIFT, name: "00002" };
    expect(await told(till, shiftOperation("open-shift", next))).toMatch(/^open-shift 5/);
    expect(await told(till, opening)).toMatch(/^open-shift 2/);
    expect(await told(till, saleOperation("sale-2", { shift: NEXT_SHIFT }))).toMatch(/^receipt 6/);
    expect(await made(till)).toEqual([6, "open"]);
  });

  it("is answered with the first report of a shift that the server has renewed", async () => {
    const till = await begun();
    await till.trial.later(DAY_MS);
    expect(await told(till, saleOperation("sale-2"))).toMatch(/^receipt 6/);
    expect(await told(till, closing)).toMatch(/^close-shift 7/);
    expect(await told(till, opening)).toMatch(/^open-shift 2/);
    expect(await made(till)).toEqual([7, "closed"]);
  });

  it("is answered so where the till closed the shift by an id of its own, and where it may no longer open shifts by itself", async () => {
    const rules: { shiftOpening: "platform" | "automatic" } = { shiftOpening: "automatic" };
    const till = await Till.open({ trial: await Trial.begin(scheme), rules });
    till.trial.device.setPaper(false);
    await told(till, opening);
    till.trial.device.setPaper(true);
    await told(till, saleOperation("sale-1"));
    const byTheTill = shiftOperation("close-shift", { shift: OF_THE_TILL, document: OF_THE_TILL, moment: "2026-11-13 20:00:00" });
    expect(await told(till, byTheTill)).toMatch(/^close-shift 4/);
    rules.shiftOpening = "platform";
    expect(await told(till, opening)).toMatch(/^open-shift 2/);
    expect(await made(till)).toEqual([4, "closed"]);
  });

  it("is answered so where somebody has closed it at the register, and a later sale of the shift opens its next device shift", async () => {
    const till = await begun();
    await till.trial.settled(till.trial.register.perform({ kind: "close-shift", reference: "by hand" }, till.trial.deadline));
    expect(await told(till, opening)).toMatch(/^open-shift 2/);
    expect(await told(till, saleOperation("sale-2", { shift: SHIFT }))).toMatch(/^receipt 6/);
    expect(await told(till, closing)).toMatch(/^close-shift 7/);
    expect(await made(till)).toEqual([7, "closed"]);
  });

  it.each(["automatic", "platform"] as const)(
    "is not answered with the report of a later device shift that somebody closed at the register, with shift opening %s afterwards",
    async (afterwards) => {
      const rules: { shiftOpening: "platform" | "automatic" } = { shiftOpening: "automatic" };
      const till = await Till.open({ trial: await Trial.begin(scheme), rules });
      till.trial.device.setPaper(false);
      await told(till, opening);
      till.trial.device.setPaper(true);
      await told(till, saleOperation("sale-1"));
      await till.trial.later(DAY_MS);
      expect(await told(till, saleOperation("sale-2"))).toMatch(/^receipt 6/);
      await till.trial.settled(till.trial.register.perform({ kind: "close-shift", reference: "by hand" }, till.trial.deadline));
      rules.shiftOpening = afterwards;
      expect(await told(till, opening)).toMatch(/^open-shift 8/);
      expect(await made(till)).toEqual([8, "open"]);
    },
  );

  it("is answered with the report of the shift that somebody opened at the register, where the till has traded in it", async () => {
    const till = await Till.open({ trial: await Trial.begin(scheme) });
    await till.trial.openShift();
    await till.trial.later(3_600_000);
    const moment = "2026-11-13 10:00:00";
    till.trial.device.setPaper(false);
    expect(await told(till, { ...opening, moment })).toBe("no-paper");
    till.trial.device.setPaper(true);
    expect(await told(till, saleOperation("sale-1"))).toMatch(/^receipt 3/);
    expect(await told(till, closing)).toMatch(/^close-shift 4/);
    expect(await told(till, { ...opening, moment })).toMatch(/^open-shift 2/);
    expect(await made(till)).toEqual([4, "closed"]);
  });

  it("opens the shift where the server never opened one for it", async () => {
    const till = await Till.open({ trial: await Trial.begin(scheme) });
    await till.trial.openShift();
    await till.trial.later(DAY_MS);
    const late = shiftOperation("open-shift", { moment: "2026-11-14 09:00:00" });
    expect(await told(till, late)).toBe("shift-expired");
    expect(await told(till, shiftOperation("close-shift", { moment: "2026-11-14 09:01:00" }))).toMatch(/^close-shift 3/);
    expect(await told(till, late)).toMatch(/^open-shift 4/);
  });
});

it("an opening that was refused and comes again behind the end of its shift, in another drive, is answered with the report of the first drive", async () => {
  const trial = await Trial.begin(SCHEMES[0] ?? "");
  const second = await inAnotherDrive(trial);
  let present = trial.register;
  const rules = { shiftOpening: "automatic" as const, register: "emulator:bench?drive=any" };
  const till = await Till.open({ trial, rules, line: () => present });
  trial.device.setPaper(false);
  expect(textOf(await till.submitAndWait(opening))).toBe("no-paper");
  trial.device.setPaper(true);
  expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toMatch(/^receipt 3/);
  expect(textOf(await till.submitAndWait(closing))).toMatch(/^close-shift 4/);
  present = second.register;
  expect(textOf(await till.submitAndWait(opening))).toMatch(/^open-shift 2/);
  expect((await second.state()).shift.kind).toBe("closed");
});

it.each([
  { automatically: true, sells: true },
  { automatically: false, sells: true },
  { automatically: false, sells: false },
])(
  "an opening that comes again in another drive opens no shift where somebody had opened the first at the register: $automatically, $sells",
  async ({ automatically, sells }) => {
    const trial = await Trial.begin(SCHEMES[0] ?? "");
    const second = await inAnotherDrive(trial);
    let present = trial.register;
    const rules = { shiftOpening: automatically ? ("automatic" as const) : ("platform" as const), register: "emulator:bench?drive=any" };
    const till = await Till.open({ trial, rules, line: () => present });
    const told = async (operation: Operation) => textOf(await till.submitAndWait(operation));
    trial.device.setPaper(false);
    expect(await told(opening)).toBe("no-paper");
    trial.device.setPaper(true);
    await trial.openShift();
    if (sells) expect(await told(saleOperation("sale-1"))).toMatch(/^receipt 3/);
    expect(await told(closing)).toMatch(/^close-shift/);
    present = second.register;
    expect(await told(opening)).toBe("registered-in-other-drive");
    expect((await second.state()).shift.kind).toBe("closed");
    const next = shiftOperation("open-shift", { shift: NEXT_SHIFT, document: NEXT_SHIFT, name: "00002" });
    expect(await told(next)).toMatch(/^open-shift 2/);
    present = trial.register;
    expect(await told(opening)).toMatch(/^open-shift 2/);
    expect((await trial.state()).shift.kind).toBe("closed");
  },
);

async function inAnotherDrive(trial: Trial): Promise<Trial> {
  return Trial.on(async (clock) => {
    const storage = new MemoryDrive();
    const record = register("bench", sameChance.bytes(32), SAMPLE_SELLER, "2026-11-13 08:00:00");
    await storage.append(encodeRecord({ ...record, identity: { ...record.identity, driveNumber: "9999078900001112" } }));
    const { device } = await VirtualDevice.open({ name: "bench", storage, clock, chance: sameChance, zone: ZONE });
    const front = new EmulatorRegister(clock, () => Promise.resolve({ device, close: () => device.close() }));
    return { register: front, device, seconds: true, restart: () => Promise.reject(new Error("this bench stays on")) };
  }, trial.clock);
}
