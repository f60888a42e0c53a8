import { existsSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { COMMANDS } from "../../src/cli/commands.ts";
import { runCommand } from "../../src/cli/run.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { deadlineIn } from "../../src/kernel/deadline.ts";
import { wallAsUtcMs, wallTimeAt } from "../../src/kernel/moment.ts";
import { openWithin } from "../../src/registers/links/reopening.ts";
import { SerialLink } from "../../src/registers/links/serial.ts";
import { EXTENT } from "../support/extent.ts";
import { allowedMs } from "../support/hostile/yardstick.ts";
import { describeLink, SERIAL } from "../support/links.ts";
import { temporaryFolder } from "../support/server-process.ts";
import { bytesOf, CLOSE_SALE, COFFEE, hexOf, OPEN_SALE, OPEN_SHIFT, STATUS } from "../support/shtrih-m-device.ts";
import { ByteHost, deviceHere, startDevice } from "../support/shtrih-m-device-process.ts";
import { numbered, QUESTION } from "../support/shtrih-m-numbered.ts";

async function sell(host: ByteHost): Promise<string> {
  await host.ask(OPEN_SALE);
  await host.ask(COFFEE);
  return host.ask(CLOSE_SALE);
}

/** Runs the command in this process. It must end without a signal. */
async function run(...args: string[]): Promise<{ exitCode: number; out: string[]; err: string[] }> {
  const out: string[] = [];
  const err: string[] = [];
  const io = { out: (text: string) => out.push(text), err: (text: string) => err.push(text), signal: new AbortController().signal };
  const exitCode = await runCommand(COMMANDS, ["emulate", ...args], io);
  return { exitCode, out, err };
}

describe("emulate shtrih-m", () => {
  it("prints one line with its address once it is ready, prints slips to standard error, and ends with 0", async () => {
    const device = await startDevice();
    expect(device.address).toMatch(/^shtrih-m\+tcp:\/\/127\.0\.0\.1:\d+$/);
    const host = await device.connect();
    await host.ask(OPEN_SHIFT);
    expect(await sell(host)).toMatch(/^FF 45 00 /);
    const { code, tookMs } = await device.end("SIGTERM");
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(allowedMs(tookMs, 2_000));
    expect(device.out).toHaveLength(1);
    expect(device.err().match(/НЕ ЯВЛЯЕТСЯ КАССОВЫМ ЧЕКОМ/g)).toHaveLength(2);
  });

  it("ends within two seconds while it keeps silent for a minute", async () => {
    const device = await startDevice("--fault", "silent@10=60000");
    const host = await device.connect();
    const asked = host.tryAsk(STATUS);
    await host.link.drain({ atMs: 0, remainingMs: () => 0 });
    const { code, tookMs } = await device.end("SIGINT");
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(allowedMs(tookMs, 2_000));
    expect(await asked).toBeUndefined();
  });

  it.each([
    [["shtrih-m", "--bogus"], "--bogus"],
    [["shtrih-m", "--listen", "udp://127.0.0.1:1"], "--listen"],
    [["shtrih-m", "--listen", "tcp://127.0.0.1:99999"], "--listen"],
    [["shtrih-m", "--listen", "tcp://127.0.0.1:0", "--pty", "/tmp/x"], "--pty"],
    [["shtrih-m", "--protocol", "3"], "--protocol"],
    [["shtrih-m", "--personality", "kitchen"], "--personality"],
    [["shtrih-m", "--ffd", "1.1"], "--ffd"],
    [["shtrih-m", "--baud", "fast"], "--baud"],
    [["shtrih-m", "--print-ms", "1.5"], "--print-ms"],
    [["shtrih-m", "--clock", "yesterday"], "--clock"],
    [["shtrih-m", "--seed", ""], "--seed"],
    [["shtrih-m", "--fault", "explode"], "--fault"],
    [["shtrih-m", "--control", "40001"], "--control"],
    [["atol"], "shtrih-m"],
    [[], "shtrih-m"],
  ])("refuses %j with code 2 and one line that names what is wrong", async (args, name) => {
    const { exitCode, out, err } = await run(...args);
    expect([exitCode, out]).toEqual([2, []]);
    expect(err).toEqual([expect.stringMatching(/^[^\n]+$/)]);
    expect(err.join()).toContain(name);
  });

  it("tells in words, with code 1, that its port is taken", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const { exitCode, err } = await run("shtrih-m", "--listen", `tcp://127.0.0.1:${port}`);
    expect(exitCode).toBe(1);
    expect(err).toEqual([expect.stringMatching(/^--listen: [^\n]*EADDRINUSE[^\n]*$/)]);
    const control = await run("shtrih-m", "--control", `127.0.0.1:${port}`);
    expect(control.exitCode).toBe(1);
    expect(control.err).toEqual([expect.stringMatching(/^--control: [^\n]*EADDRINUSE[^\n]*$/)]);
  });

  it.each([
    ["2.0", numbered(0, "")],
    ["auto", numbered(0, "")],
    ["1.0", undefined],
  ])("with --protocol %s answers a question of protocol 2.0 by %j", async (protocol, answer) => {
    const device = await deviceHere("--protocol", protocol);
    const { link } = await device.connect();
    await link.write(bytesOf(QUESTION), deadlineIn(systemClock, 1_000));
    // A device of protocol 1.0 gives no answer to the question of 2.0, so its answer to ENQ comes first.
    if (answer === undefined) await link.write(Uint8Array.of(0x05), deadlineIn(systemClock, 1_000));
    const received = await link.read(deadlineIn(systemClock, 5_000));
    expect(received.kind === "bytes" && hexOf(received.bytes)).toBe(answer ?? "15");
  });

  it("tells in words, with code 1, that its folder cannot be one", async () => {
    const file = join(temporaryFolder(), "file");
    writeFileSync(file, "");
    const { exitCode, out, err } = await run("shtrih-m", "--data", file);
    expect([exitCode, out]).toEqual([1, []]);
    expect(err).toEqual([expect.stringMatching(/^--data: [^\n]+$/)]);
  });

  it("goes on when whoever started it reads its slips no longer", async () => {
    const device = await startDevice();
    device.process.stderr?.destroy();
    const host = await device.connect();
    await host.ask(OPEN_SHIFT);
    for (let count = 0; count < 3; count += 1) expect(await sell(host)).toMatch(/^FF 45 00 /);
    expect((await device.end("SIGTERM")).code).toBe(0);
  });

  it("ends within two seconds on a line so slow that a command takes longer", async () => {
    const device = await startDevice("--baud", "50");
    const host = await device.connect();
    const asked = host.tryAsk(CLOSE_SALE);
    await host.link.drain({ atMs: 0, remainingMs: () => 0 });
    const { code, tookMs } = await device.end("SIGTERM");
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(allowedMs(tookMs, 2_000));
    expect(await asked).toBeUndefined();
  });

  it("serves ten connections at once, each its own answers", async () => {
    const device = await deviceHere();
    const hosts = await Promise.all(Array.from({ length: 10 }, () => device.connect()));
    await Promise.all(
      hosts.map(async (host, at) => {
        const row = (at + 1).toString(16).padStart(2, "0");
        for (let round = 0; round < 50; round += 1) {
          expect(await host.ask(`1F 1E000000 02 ${row}00 01`)).toBe(`1F 00 ${row.toUpperCase()} 00 00 00`);
        }
      }),
    );
  });

  it("starts its clock where it is told to", async () => {
    const device = await deviceHere("--clock", "2026-11-28T10:00:00");
    const status = (await (await device.connect()).ask("11 1E000000")).split(" ");
    expect(status.slice(25, 30)).toEqual(["1C", "0B", "1A", "0A", "00"]);
  });

  const HOUR_MS = 3_600_000;

  it.each([
    [undefined, 0],
    ["Asia/Vladivostok", 0],
    [undefined, 26 * HOUR_MS],
  ])("shows the time that the server expects: TIME_ZONE %s, CLOCK_AHEAD_MS %d", async (zone, aheadMs) => {
    if (zone !== undefined) vi.stubEnv("TIME_ZONE", zone);
    vi.stubEnv("CLOCK_AHEAD_MS", String(aheadMs));
    onTestFinished(() => void vi.unstubAllEnvs());
    const device = await deviceHere();
    const status = (await (await device.connect()).ask("11 1E000000")).split(" ");
    const [day = 0, month = 0, year = 0, hour = 0, minute = 0] = status.slice(25, 30).map((byte) => Number.parseInt(byte, 16));
    const shownMs = Date.UTC(2000 + year, month - 1, day, hour, minute);
    const wallMs = wallAsUtcMs(wallTimeAt(systemClock.nowMs() + aheadMs, zone ?? "Europe/Moscow"));
    expect(Math.abs(wallMs - shownMs)).toBeLessThan(120_000);
  });

  it("has the personality and the format version it is told to have", async () => {
    const device = await deviceHere("--personality", "nano", "--ffd", "1.05");
    const host = await device.connect();
    expect((await host.ask("FC")).split(" ")[6]).toBe("98");
    expect(await host.ask("1F 1E000000 11 0100 11")).toBe("1F 00 02");
  });
});

describe("emulate shtrih-m --data", () => {
  it.runIf(EXTENT === "long")("has every document and setting that it acknowledged after kill -9", async () => {
    const folder = join(temporaryFolder(), "device");
    let device = await startDevice("--data", folder);
    const host = await device.connect();
    await host.ask("1E 1E000000 02 0100 02 C8E2E0EDEEE2");
    await host.ask(OPEN_SHIFT);
    const number = await host.ask("FF02 1E000000");
    let last = 2;
    // The last answer is not awaited: every acknowledged document must be in the drive.
    const selling = (async () => {
      for (;;) {
        for (const command of [OPEN_SALE, COFFEE, CLOSE_SALE]) {
          const answer = await host.tryAsk(command);
          if (answer === undefined) return;
          if (command === CLOSE_SALE) last = Number.parseInt(answer.split(" ")[8] ?? "", 16);
          if (last === 12 && device.process.exitCode === null) device.process.kill("SIGKILL");
        }
      }
    })();
    await selling;
    device = await startDevice("--data", folder, "--control", "127.0.0.1:0");
    const again = await device.connect();
    expect(await again.ask("FF02 1E000000")).toBe(number);
    expect((await again.ask("1F 1E000000 02 0100 02")).startsWith("1F 00 C8 E2 E0 ED EE E2 00")).toBe(true);
    const { documents } = (await device.order({ do: "documents" })) as { documents: { documentNumber: number }[] };
    expect(documents.length).toBeGreaterThanOrEqual(last);
    expect(documents.map(({ documentNumber }) => documentNumber)).toEqual(documents.map((_, at) => at + 1));
    // The open receipt was lost with the power.
    expect((await again.ask(STATUS)).split(" ")[5]).toBe("02");
  });

  it("refuses a folder that another device has", async () => {
    const folder = temporaryFolder();
    await startDevice("--data", folder);
    const { exitCode, err } = await run("shtrih-m", "--data", folder);
    expect(exitCode).toBe(1);
    expect(err.join()).toContain("in use by");
  });
});

describe("emulate shtrih-m --control", () => {
  it("answers each line with what was asked", async () => {
    const device = await deviceHere("--control", "127.0.0.1:0");
    expect(device.control).toMatch(/^127\.0\.0\.1:\d+$/);
    const host = await device.connect();
    await host.ask(OPEN_SHIFT);
    expect(await device.order({ do: "fault", spec: "lose-answer@FF45" })).toEqual({ ok: true, do: "fault", spec: "lose-answer@FF45" });
    expect(await device.order({ do: "state" })).toMatchObject({
      ok: true,
      state: { power: true, paper: true, mode: 2, submode: 0, lastDocument: 2, connections: 1, faults: ["lose-answer@FF45"] },
    });
    expect(await device.order({ do: "paper", in: false })).toEqual({ ok: true, do: "paper", in: false });
    expect((await host.ask(STATUS)).split(" ")[6]).toBe("01");
    await device.order({ do: "paper", in: true });
    expect(await device.order({ do: "clock", at: "2030-01-02T03:04:05" })).toMatchObject({ ok: true });
    expect((await host.ask("11 1E000000")).split(" ").slice(25, 29)).toEqual(["02", "01", "1E", "03"]);
    expect(await device.order({ do: "clock", at: "2030-01-02T03:04:05Z" })).toMatchObject({ ok: true });
    const { ok, documents } = (await device.order({ do: "documents" })) as { ok: boolean; documents: Record<string, unknown>[] };
    expect(ok).toBe(true);
    expect(documents.map(({ kind, documentNumber }) => [kind, documentNumber])).toEqual([
      ["registration", 1],
      ["open-shift", 2],
    ]);
  });

  it("takes the power away and gives it back", async () => {
    const device = await deviceHere("--control", "127.0.0.1:0");
    const host = await device.connect();
    expect(await device.order({ do: "power", on: false })).toMatchObject({ ok: true });
    expect(await host.tryAsk(STATUS)).toBeUndefined();
    await device.order({ do: "power", on: true });
    expect(await (await device.connect()).ask(STATUS)).toMatch(/^10 00 /);
  });

  it("says why it does not do what it cannot", async () => {
    const device = await deviceHere("--control", "127.0.0.1:0");
    const orders = [
      { do: "dance" },
      { do: "paper" },
      { do: "paper", in: "yes" },
      { do: "fault", spec: "explode" },
      { do: "clock", at: "noon" },
    ];
    for (const order of orders) expect(await device.order(order)).toEqual({ ok: false, why: expect.stringMatching(/./) });
  });
});

describeLink("emulate shtrih-m", SERIAL, () => {
  it("answers on a pseudo-terminal that may be closed and opened again", async () => {
    const path = join(temporaryFolder(), "tty");
    const device = await startDevice("--pty", path, "--baud", "115200");
    expect(device.address).toBe(`shtrih-m+serial:${path}?baud=115200`);
    for (let round = 0; round < 3; round += 1) {
      const host = await device.connect();
      expect(await host.ask(STATUS)).toMatch(/^10 00 1E /);
      await host.link.close();
    }
    expect((await device.end("SIGTERM")).code).toBe(0);
    expect(existsSync(path)).toBe(false);
  });

  it.runIf(EXTENT === "long")("takes the pseudo-terminal away with the power and brings it back", async () => {
    const path = join(temporaryFolder(), "tty");
    const device = await deviceHere("--pty", path, "--fault", "power-cut-after@E0=500");
    const host = await device.connect();
    expect(await host.tryAsk(OPEN_SHIFT)).toBeUndefined();
    const link = new SerialLink({ path, baud: 115_200 }, systemClock);
    const opened = await openWithin(link, { clock: systemClock, withinMs: 10_000, deadline: deadlineIn(systemClock, 10_000) });
    expect(opened.kind).toBe("open");
    expect((await new ByteHost(link).ask(STATUS)).split(" ")[5]).toBe("02");
    await link.close();
  });
});
