import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { deadlineIn } from "../../src/kernel/deadline.ts";
import { Rack } from "../../src/registers/rack.ts";
import { shiftDocument } from "../support/register-documents.ts";
import { MORNING_MS, sameChance, temporaryFolder, ZONE } from "../support/registers.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

let clock: VirtualClock;
let dataDir: string;
let notes: string[];

beforeEach(async () => {
  clock = new VirtualClock(MORNING_MS);
  dataDir = await temporaryFolder();
  notes = [];
});

function newRack(): Rack {
  const rack = new Rack({ clock, chance: sameChance, dataDir, note: (level, text) => notes.push(`${level}: ${text}`) });
  onTestFinished(() => rack.close());
  return rack;
}

const soon = () => deadlineIn(clock, 60_000);
const driveFile = (name: string) => join(dataDir, "registers", name, "drive.records");

describe("the rack", () => {
  it("has one register for one canonical address, opened at its first use", async () => {
    const rack = newRack();
    const register = rack.at("emulator:one", ZONE);
    expect(rack.at("emulator:one?drive=any", ZONE)).toBe(register);
    expect(rack.at("emulator:two", ZONE)).not.toBe(register);
    await expect(readFile(driveFile("one"))).rejects.toMatchObject({ code: "ENOENT" });
    await register.inspect(soon());
    expect((await readFile(driveFile("one"))).length).toBeGreaterThan(0);
  });

  it("tells from memory what a register last said, with its age, and that it is silent", async () => {
    const rack = newRack();
    const register = rack.at("emulator:one", ZONE);
    expect(rack.seen()).toEqual([{ address: "emulator:one", emulated: true }]);
    await register.identity(soon());
    await clock.advance(5_000);
    await register.inspect(soon());
    expect(rack.seen()).toMatchObject([
      {
        identity: { atMs: MORNING_MS, value: { inn: "9600123459" } },
        state: { atMs: MORNING_MS + 5_000, value: { lastDocumentNumber: 1 } },
      },
    ]);
    expect(rack.seen()[0]?.unreachable).toBeUndefined();
  });

  it("finds an emulator's drive again after it was closed", async () => {
    const first = newRack();
    await first.at("emulator:one", ZONE).perform(shiftDocument("open-shift"), soon());
    const identity = await first.at("emulator:one", ZONE).identity(soon());
    await first.close();
    const second = newRack().at("emulator:one", ZONE);
    expect(await second.inspect(soon())).toMatchObject({ value: { lastDocumentNumber: 2, shift: { kind: "open", number: 1 } } });
    expect(await second.identity(soon())).toEqual(identity);
  });

  it("shows each emulator the time of its point of sale", async () => {
    const rack = newRack();
    expect(await rack.at("emulator:moscow", "Europe/Moscow").inspect(soon())).toMatchObject({ value: { time: "2026-11-13 09:00:00" } });
    expect(await rack.at("emulator:east", "Asia/Vladivostok").inspect(soon())).toMatchObject({ value: { time: "2026-11-13 16:00:00" } });
  });

  it("refuses an emulator that another rack holds until that one is closed", async () => {
    const first = newRack();
    await first.at("emulator:one", ZONE).inspect(soon());
    const rack = newRack();
    const second = rack.at("emulator:one", ZONE);
    expect(await second.perform(shiftDocument("open-shift"), soon())).toMatchObject({
      kind: "refused",
      refusal: { code: "register-unreachable", details: { reason: "память эмулятора занята другой программой" } },
    });
    await second.inspect(soon());
    expect(notes).toContainEqual(expect.stringMatching(/^warn: .*cannot be used/));
    expect(rack.seen()).toMatchObject([{ unreachable: { reason: expect.stringContaining("занята"), atMs: MORNING_MS } }]);
    await first.close();
    expect((await second.inspect(soon())).kind).toBe("reached");
    expect(rack.seen()[0]?.unreachable).toBeUndefined();
  });

  it("reports an unfinished record that it cut away, and refuses a damaged drive loudly", async () => {
    const first = newRack();
    await first.at("emulator:one", ZONE).perform(shiftDocument("open-shift"), soon());
    await first.close();
    const whole = await readFile(driveFile("one"));
    await writeFile(driveFile("one"), whole.subarray(0, -1));
    const second = newRack();
    expect(await second.at("emulator:one", ZONE).inspect(soon())).toMatchObject({ value: { lastDocumentNumber: 1 } });
    expect(notes).toEqual([expect.stringMatching(/^warn: .*cut away/)]);
    await second.close();

    const damaged = Buffer.from(whole);
    damaged[40] = 0;
    await writeFile(driveFile("one"), damaged);
    expect(await newRack().at("emulator:one", ZONE).inspect(soon())).toEqual({
      kind: "unreachable",
      reason: "память эмулятора повреждена или недоступна",
    });
  });

  it("knows after a document what it made of the register, without asking", async () => {
    const rack = newRack();
    const register = rack.at("emulator:one", ZONE);
    await register.inspect(soon());
    await register.perform(shiftDocument("open-shift"), soon());
    expect(rack.seen()[0]?.state?.value).toMatchObject({ lastDocumentNumber: 2, shift: { kind: "open", number: 1 } });
    await register.perform(shiftDocument("close-shift"), soon());
    expect(rack.seen()[0]?.state?.value).toMatchObject({ lastDocumentNumber: 3, shift: { kind: "closed", lastNumber: 1 } });
  });

  it("gives no registers out once it is closed, and none for an address it cannot read", async () => {
    const rack = newRack();
    expect(() => rack.at("atol:x", ZONE)).toThrow(/unknown register protocol/);
    await rack.close();
    expect(() => rack.at("emulator:one", ZONE)).toThrow(/closed/);
  });
});
