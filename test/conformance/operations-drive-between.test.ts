import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import type { Clock } from "../../src/kernel/clock.ts";
import { type Log, silentLog } from "../../src/kernel/log.ts";
import type { RegisterDocument } from "../../src/model/document.ts";
import { EmulatorRegister } from "../../src/registers/emulator/register.ts";
import type { Register } from "../../src/registers/register.ts";
import { VirtualDevice } from "../../src/registers/virtual/device.ts";
import { MemoryDrive } from "../../src/registers/virtual/drive.ts";
import { forgetfulTrial } from "../support/forgetful-drive.ts";
import { shiftDocument } from "../support/register-documents.ts";
import { DAY_MS, sameChance, Trial, ZONE } from "../support/registers.ts";
import { copyOf, restore } from "../support/restored.ts";
import { journal, paperOf, settled } from "../support/settle-command.ts";
import { saleOperation, Till, textOf } from "../support/till.ts";

const AUTOMATIC = { shiftOpening: "automatic" } as const;

/** What happens once, right after the register has made a document of the kind. */
interface Afterwards {
  kind?: RegisterDocument["kind"];
  happens(): Promise<void>;
}

/** A line that always leads to the present register of the trial. */
function lineTo(trial: () => Trial, afterwards: Afterwards) {
  return (): Register => ({
    identity: (deadline) => trial().register.identity(deadline),
    inspect: (deadline) => trial().register.inspect(deadline),
    async perform(document, deadline, attempt) {
      const outcome = await trial().register.perform(document, deadline, attempt);
      if (document.kind !== afterwards.kind) return outcome;
      delete afterwards.kind;
      await afterwards.happens();
      return outcome;
    },
    lookUp: (number, deadline) => trial().register.lookUp(number, deadline),
    abandon: (deadline) => trial().register.abandon(deadline),
    close: () => trial().register.close(),
  });
}

/** A register in which each of two drives can be put. */
async function twoDrives() {
  const drives: VirtualDevice[] = [];
  let there = 0;
  const open = async (name: string, clock: Clock) =>
    (await VirtualDevice.open({ name, storage: new MemoryDrive(), clock, chance: sameChance, zone: ZONE })).device;
  const trial = await Trial.on(async (clock) => {
    for (const name of ["first", "second"]) drives.push(await open(name, clock));
    const device = () => drives[there] ?? raise();
    const register = new EmulatorRegister(clock, async () => ({ device: device(), close: async () => {} }));
    const bench = { register, device: device(), seconds: true, restart: async () => bench };
    return bench;
  });
  const put = async (drive: 0 | 1) => {
    there = drive;
    await trial.register.close();
  };
  return { trial, put, documentsIn: (drive: 0 | 1) => drives[drive]?.look().memory.lastDocumentNumber };
}

function raise(): never {
  throw new Error("there is no such drive");
}

describe("a sale that a restored copy lacks", () => {
  it("is not made in a new drive once it was read in the drive before, and is found when that drive is back", async () => {
    const { trial, put, documentsIn } = await twoDrives();
    const lines: string[] = [];
    const log = { ...silentLog, error: (_: unknown, text: string) => void lines.push(text) } as Log;
    const till = await Till.open({ trial, rules: AUTOMATIC, log });
    const empty = await copyOf(till.store);
    expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toMatch(/^receipt 3/);
    await restore(till.store, empty);
    await till.killAndRestart();
    expect(textOf(await till.submitAndWait(saleOperation("sale-2")))).toMatch(/^receipt 4/);
    await put(1);
    for (const restarts of [false, true]) {
      if (restarts) await till.killAndRestart();
      expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toBe("registered-in-other-drive");
      expect(lines).toContain("an operation that the journal does not have stands in a drive that was replaced");
      expect(textOf(await till.submitAndWait(saleOperation(`other-${restarts}`)))).toMatch(/^receipt [34]/);
    }
    expect([documentsIn(0), documentsIn(1)]).toEqual([4, 4]);
    await put(0);
    expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toMatch(/^receipt 3/);
    expect([documentsIn(0), documentsIn(1)]).toEqual([4, 4]);
  });
});

describe("a sale that stands in a drive which is gone for good", () => {
  /** The till, the options for what stands on the sale's paper, and the number of the sale's entry. */
  async function gone() {
    const { trial, put, documentsIn } = await twoDrives();
    const till = await Till.open({ trial, rules: AUTOMATIC });
    const empty = await copyOf(till.store);
    await till.submitAndWait(saleOperation("sale-1"));
    await restore(till.store, empty);
    await till.killAndRestart();
    expect(textOf(await till.submitAndWait(saleOperation("sale-2")))).toMatch(/^receipt 4/);
    const paper = await paperOf(till, 3);
    await put(1);
    expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toBe("registered-in-other-drive");
    const [entry] = await till.journal.list({ documentId: "sale-1", limit: 1 });
    if (entry === undefined) throw new Error("the sale is missing");
    const made = () => [documentsIn(0), documentsIn(1)];
    return { till, paper, id: `${entry.id}`, put, made };
  }

  it("is settled by what stands on its paper, and its repeat gets that document", async () => {
    const { till, paper, id, made } = await gone();
    const before = made();
    const told = await settled(till, "stopped", "explain", id);
    expect(told).toMatch(/It is registered: ФД 3 in drive \d+ has its id/);
    expect(told).toContain(`journal settle ${id} --done --number 3 --sign ФП`);
    const alone = await journal(till, "stopped", "settle", id, "--done", ...paper);
    expect([alone.code, alone.text]).toEqual([1, expect.stringContaining("The register could not say whether that is true")]);
    const done = ["--done", ...paper, "--unconfirmed", "--why", "the drive was sent in"];
    expect(await settled(till, "stopped", "settle", id, ...done)).toContain(`Entry ${id} is done`);
    expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toMatch(/^receipt 3/);
    expect(textOf(await till.submitAndWait(saleOperation("sale-3")))).toMatch(/^receipt 3/);
    expect(made()).toEqual([before[0], (before[1] ?? 0) + 2]);
    const acts = await sql`select act, subject, before, after, reason from audit`.execute(till.store.db);
    expect(acts.rows).toEqual([
      expect.objectContaining({ act: "settle", subject: "sale-1", before: "refused", after: "done", reason: "the drive was sent in" }),
    ]);
  });

  it.each([
    ["as another document", (paper: string[]) => ["--done", ...paper.map((text) => (text === "3" ? "4" : text))]],
    ["as not registered", () => ["--refused", "--why", "there is no such paper"]],
  ] as const)("is not settled %s", async (_what, said) => {
    const { till, paper, id } = await gone();
    const { code, text } = await journal(till, "stopped", "settle", id, ...said(paper), "--unconfirmed");
    expect([code, text]).toEqual([1, expect.stringContaining(`Entry ${id} is registered as ФД 3 in drive`)]);
    expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toBe("registered-in-other-drive");
  });

  it.each([
    ["a time that has not come", "--time", "2030-01-01 10:00", "has not come yet"],
    ["a time long before the sale", "--time", "2001-01-01 10:00", "is before"],
    ["a shift that the drive cannot have had", "--shift", "4000000000", "has not begun"],
  ])("is not settled with %s", async (_what, name, value, problem) => {
    const { till, paper, id } = await gone();
    const typed = paper.map((text, at) => (paper[at - 1] === name ? value : text));
    const { code, text } = await journal(till, "stopped", "settle", id, "--done", ...typed, "--unconfirmed");
    expect([code, text]).toEqual([1, expect.stringContaining(problem)]);
    expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toBe("registered-in-other-drive");
  });

  it("is not settled anew as another document, and is as the same", async () => {
    const { till, paper, id } = await gone();
    await settled(till, "stopped", "settle", id, "--done", ...paper, "--unconfirmed");
    const other = paper.map((text, at) => ({ "--number": "5", "--receipt": "3" })[paper[at - 1] ?? ""] ?? text);
    const { code, text } = await journal(till, "stopped", "settle", id, "--done", ...other, "--unconfirmed", "--again");
    expect([code, text]).toEqual([1, expect.stringContaining(`Entry ${id} is registered as ФД 3 in drive`)]);
    await settled(till, "stopped", "settle", id, "--done", ...paper, "--unconfirmed", "--again");
    expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toMatch(/^receipt 3/);
  });

  it("stays known where the statement is taken back: its repeat registers nothing", async () => {
    const { till, paper, id, made } = await gone();
    const before = made();
    await settled(till, "stopped", "settle", id, "--done", ...paper, "--unconfirmed");
    await settled(till, "stopped", "settle", id, "--refused", "--why", "a mistake", "--unconfirmed", "--again");
    for (const restarts of [false, true]) {
      if (restarts) await till.killAndRestart();
      expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toBe("registered-in-other-drive");
    }
    expect(made()).toEqual(before);
  });

  it("is confirmed by its drive where that drive is back, and a wrong figure is not believed", async () => {
    const { till, paper, id, put } = await gone();
    await put(0);
    const wrong = paper.map((text, at) => (paper[at - 1] === "--sign" ? "0000000001" : text));
    const { code, text } = await journal(till, "stopped", "settle", id, "--done", ...wrong, "--unconfirmed");
    expect([code, text]).toEqual([1, expect.stringContaining("differs in --sign")]);
    expect(await settled(till, "stopped", "settle", id, "--done", ...paper)).toContain(`Entry ${id} is done`);
    expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toMatch(/^receipt 3/);
  });
});

describe("a drive that comes while the server makes the shift ready for a sale", () => {
  it("is read before the sale is sent, and has the sale that the journal lacks", async () => {
    const { trial, put, documentsIn } = await twoDrives();
    await put(1);
    const before = await Till.open({ trial, rules: AUTOMATIC });
    expect(textOf(await before.submitAndWait(saleOperation("sale-1")))).toMatch(/^receipt 3/);
    await put(0);
    const line = lineTo(() => trial, { kind: "open-shift", happens: () => put(1) });
    const till = await Till.open({ trial, rules: AUTOMATIC, line });
    expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toMatch(/^receipt 3/);
    expect([documentsIn(0), documentsIn(1)]).toEqual([2, 3]);
  });

  it.each([
    ["opened", "open-shift"],
    ["closed", "close-shift"],
  ] as const)("gets no document when it is an older copy, after the shift was %s: no number is issued twice", async (_what, kind) => {
    const { trial, drive } = await forgetfulTrial();
    const afterwards: Afterwards = {
      happens: async () => {
        drive.forget(2);
        await trial.restart();
      },
    };
    const till = await Till.open({ trial, rules: AUTOMATIC, line: lineTo(() => trial, afterwards) });
    expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toMatch(/^receipt 3/);
    if (kind === "open-shift") await trial.perform(shiftDocument("close-shift"));
    else await trial.later(DAY_MS + 1);
    const documents = (await till.documents()) + 1;
    afterwards.kind = kind;
    expect(textOf(await till.submitAndWait(saleOperation("sale-2")))).toBe("register-went-back");
    expect(await till.documents()).toBe(documents - 2);
  });
});
