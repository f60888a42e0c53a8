import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { readTimeZone } from "../../src/app/config.ts";
import { doctorCommand } from "../../src/cli/doctor.ts";
import { runCommand } from "../../src/cli/run.ts";
import { systemChance, systemClock } from "../../src/kernel/clock.ts";
import { deadlineIn } from "../../src/kernel/deadline.ts";
import { examination } from "../../src/registers/examination-schema.ts";
import { Rack } from "../../src/registers/rack.ts";
import { openStore } from "../../src/store/database.ts";
import { runCommand as runProgram } from "../support/end-to-end-command.ts";
import { EXTENT, sample } from "../support/extent.ts";
import { shiftDocument } from "../support/register-documents.ts";
import { temporaryFolder, ZONE } from "../support/registers.ts";
import { OPEN_SALE, OPEN_SHIFT } from "../support/shtrih-m-device.ts";
import { deviceHere } from "../support/shtrih-m-device-process.ts";

/** Runs the command in this process. */
async function doctor(dataDir: string, ...args: string[]): Promise<{ exitCode: number; out: string; err: string }> {
  const out: string[] = [];
  const err: string[] = [];
  const io = { out: (text: string) => out.push(text), err: (text: string) => err.push(text), signal: new AbortController().signal };
  const command = doctorCommand({
    environment: () => ({
      dataDir,
      timeZone: ZONE,
      zoneSetFor: async () => ({ unreadable: [] }),
      agents: () => Promise.reject(new Error("no agent was named")),
    }),
    payments: () => Promise.reject(new Error("no register was named")),
  });
  const exitCode = await runCommand([{ name: "doctor", load: async () => command }], ["doctor", ...args], io);
  return { exitCode, out: out.join("\n"), err: err.join("\n") };
}

/** The registers of a server. They are released at the end of the test. */
function serverWith(dataDir: string): Rack {
  const rack = new Rack({ clock: systemClock, chance: systemChance, dataDir, note() {} });
  onTestFinished(() => rack.close());
  return rack;
}

const soon = () => deadlineIn(systemClock, 20_000);
/** The device's clock shows the time of TIME_ZONE, whatever the machine's zone is. */
const SHOWN = readTimeZone();

describe("doctor", () => {
  it.runIf(EXTENT === "long")("examines a device over the network as a program of its own, and changes nothing there", async () => {
    const device = await deviceHere("--control", "127.0.0.1:0", "--fault", "nak@FF01");
    const host = await device.connect();
    await host.ask(OPEN_SHIFT);
    await host.ask(OPEN_SALE);
    const before = await device.order({ do: "documents" });
    const { exitCode, out, err } = await runProgram(["doctor", device.address, "--zone", SHOWN], await temporaryFolder());
    expect(err).toBe("");
    expect(exitCode).toBe(0);
    for (const words of [
      "ШТРИХ-ЛАЙТ-02Ф",
      "for tests, in use",
      "1 open, since",
      "a sale (mode 08h)",
      "T17F71",
      "НДС 22%",
      "Round trip",
      "1 repeated",
    ]) {
      expect(out).toContain(words);
    }
    expect(out).toContain("Worth knowing: A document stands open: a sale (mode 08h).");
    expect(await device.order({ do: "documents" })).toEqual(before);
    expect(await device.order({ do: "state" })).toMatchObject({ state: { mode: 8 } });
    const paper = await device.order({ do: "paper", in: false });
    expect(paper).toMatchObject({ ok: true });
    const second = await runProgram(["doctor", device.address, "--zone", SHOWN, "--json"], await temporaryFolder());
    expect([second.exitCode, second.err]).toEqual([1, ""]);
    const seen = examination.parse(JSON.parse(second.out));
    expect(seen.findings[0]).toMatchObject({ weight: "stops-now", about: "paper" });
  });

  it("says who has the register while a server drives it", async () => {
    const dataDir = await temporaryFolder();
    const device = await deviceHere();
    const rack = serverWith(dataDir);
    for (const address of [device.address, "emulator:one"]) {
      await rack.at(address, ZONE).inspect(soon());
      const { exitCode, out, err } = await doctor(dataDir, address);
      expect([exitCode, out]).toEqual([2, ""]);
      expect(err).toContain(`is in use by process ${process.pid} on `);
      expect(err).toContain("Stop that one");
    }
    await rack.close();
    expect((await doctor(dataDir, device.address)).exitCode).toBe(0);
  });

  it("examines an emulator without touching its memory", async () => {
    const dataDir = await temporaryFolder();
    const rack = serverWith(dataDir);
    await rack.at("emulator:one", ZONE).perform(shiftDocument("open-shift"), soon());
    await rack.close();
    const file = join(dataDir, "registers", "one", "drive.records");
    const [bytes, { mtimeMs }] = [await readFile(file), await stat(file)];
    const { exitCode, out } = await doctor(dataDir, "emulator:one", "--json");
    expect(exitCode).toBe(0);
    const seen = examination.parse(JSON.parse(out));
    expect(seen).toMatchObject({
      address: "emulator:one",
      drive: { kind: "debug", lastDocument: { number: 2 } },
      shift: { state: "open", number: 1, receipts: 0 },
      clock: { aheadSeconds: 0, zone: ZONE, zoneKnown: false },
    });
    expect(seen.findings.map(({ about }) => about)).toEqual(["drive-debug"]);
    expect((await readFile(file)).equals(bytes)).toBe(true);
    expect((await stat(file)).mtimeMs).toBe(mtimeMs);
  });

  it("makes no emulator that is not there", async () => {
    const dataDir = await temporaryFolder();
    const { exitCode, err } = await doctor(dataDir, "emulator:nobody");
    expect(exitCode).toBe(2);
    expect(err).toContain('there is no emulator "nobody"');
    expect(await readdir(dataDir)).toEqual([]);
  });

  it.each([
    [["--zone", "Asia/Omsk"], "address of a register"],
    [["emulator:one", "emulator:two"], "address of one register"],
    [["atol:one"], "unknown register protocol"],
    [["shtrih-m+tcp://10.0.0.7?protocol=3"], "protocol"],
    [["emulator:one", "--zone", "Moon/Base"], "--zone"],
    [["emulator:one", "--bogus"], "--bogus"],
  ])("refuses %j with code 2 and one line", async (args, words) => {
    const { exitCode, out, err } = await doctor("/nowhere", ...args);
    expect([exitCode, out]).toEqual([2, ""]);
    expect(err.split("\n")).toHaveLength(1);
    expect(err).toContain(words);
  });

  it.each(sample(["shtrih-m+tcp://127.0.0.1:1", "shtrih-m+serial:/dev/ttyNONE"], 1))("says that nothing answers at %s", async (address) => {
    const { exitCode, out, err } = await doctor(await temporaryFolder(), address);
    expect([exitCode, out]).toEqual([2, ""]);
    expect(err).toContain(`${address} could not be examined: `);
  });
});

describe("the zone that doctor compares a clock in", () => {
  const ADDRESS = "emulator:kassa";

  async function zoneIn(dataDir: string, ...args: string[]): Promise<unknown> {
    const { exitCode, out, err } = await runProgramIn(dataDir, "doctor", ADDRESS, "--json", ...args);
    if (exitCode === 2) throw new Error(err);
    const { clock } = examination.parse(JSON.parse(out));
    return clock && [clock.zone, clock.zoneKnown];
  }

  /** Runs the command in this process with that folder as DATA_DIR. */
  async function runProgramIn(dataDir: string, ...args: string[]) {
    vi.stubEnv("DATA_DIR", dataDir);
    const { COMMANDS } = await import("../../src/cli/commands.ts");
    const out: string[] = [];
    const err: string[] = [];
    const io = { out: (text: string) => out.push(text), err: (text: string) => err.push(text), signal: new AbortController().signal };
    const exitCode = await runCommand(COMMANDS, args, io);
    return { exitCode, out: out.join("\n"), err: err.join("\n") };
  }

  it("is the one that is set for the point of sale with that register, as the server compares it", async () => {
    onTestFinished(() => void vi.unstubAllEnvs());
    const dataDir = await temporaryFolder();
    const rack = serverWith(dataDir);
    await rack.at(ADDRESS, ZONE).inspect(soon());
    await rack.close();
    expect(await zoneIn(dataDir)).toEqual([SHOWN, false]);
    const store = await openStore({ kind: "sqlite", file: join(dataDir, "fiscal.sqlite") });
    await store.migrate();
    const row = { app_id: "app", account_id: "account", sealed: 0 as const, updated_at_ms: 1 };
    const installation = { state: "active", account_name: "shop", access_token_sealed: null, subscription: null, permissions: null };
    await store.db
      .insertInto("installations")
      .values({ app_id: "app", account_id: "account", ...installation, installed_at_ms: 1, updated_at_ms: 1 })
      .execute();
    const set = (store_id: string, name: string, value: string) =>
      store.db
        .insertInto("settings")
        .values({ ...row, store_id, name, value })
        .execute();
    await set("store-1", "register", ADDRESS);
    expect(await zoneIn(dataDir)).toEqual([SHOWN, false]);
    await set("store-1", "timeZone", "Asia/Omsk");
    expect(await zoneIn(dataDir)).toEqual(["Asia/Omsk", true]);
    expect(await zoneIn(dataDir, "--zone", "Asia/Tomsk")).toEqual(["Asia/Tomsk", true]);
    await set("store-2", "register", `${ADDRESS}?drive=any`);
    await set("store-2", "timeZone", "Asia/Chita");
    expect(await zoneIn(dataDir)).toEqual([SHOWN, false]);
    await store.close();
  });
});
