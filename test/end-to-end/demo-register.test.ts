import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { folderIn, madeAndDone } from "../support/drive-and-journal.ts";
import { type CommandResult, runCommand } from "../support/end-to-end-command.ts";
import { describeLink, SERIAL } from "../support/links.ts";
import { temporaryFolder } from "../support/server-process.ts";
import { startDevice } from "../support/shtrih-m-device-process.ts";

/** Demo, server and device are compiled each time, on a machine that runs other tests beside. */
const DEMO_LIMIT_MS = 90_000;
/** Deaths and faults need starts, and people at the register. */
const TROUBLE_LIMIT_MS = 180_000;
const SEED = "11";

describe("the demo on a device at a TCP port", () => {
  it("plays the same day with the same table as the emulator", { timeout: DEMO_LIMIT_MS }, async () => {
    const onEmulator = await demo();
    const onDevice = await demo("--register", "shtrih-m+tcp");
    expect({ exitCode: onDevice.exitCode, err: onDevice.err }).toEqual({ exitCode: 0, err: "" });
    expect(stepsIn(onDevice.out)).toEqual(stepsIn(onEmulator.out));
    expect(stepsIn(onDevice.out)).toHaveLength(16);
    await expectAgreement(onDevice, 11);
    expect(isRunning(pidIn(onDevice.out, "device"))).toBe(false);
  });

  it("loses and doubles nothing when the server is killed with -9", { timeout: TROUBLE_LIMIT_MS }, async () => {
    const day = await demo("--register", "shtrih-m+tcp", "--kill", "3");
    expect({ exitCode: day.exitCode, err: day.err }).toEqual({ exitCode: 0, err: "" });
    expect(day.out).toContain("3 kills");
    await expectAgreement(day, 11);
  });

  it("loses and doubles nothing with faults on every kind of document", { timeout: TROUBLE_LIMIT_MS }, async () => {
    const faults = ["lose-answer@50", "lose-request@FF45", "lose-answer@FF45#2", "garble-answer@FF45#4"];
    const more = ["nak@FF46", "busy@8D#3=500", "power-cut-after@FF45#6", "noise#*", "power-cut-before@41=300"];
    const day = await demo(...[...faults, ...more].flatMap((spec) => ["--faults", spec]));
    expect({ exitCode: day.exitCode, err: day.err }).toEqual({ exitCode: 0, err: "" });
    expect(day.out).not.toContain("never struck");
    expect(day.out).toContain("50004: Неизвестно, пробит ли чек");
    await expectAgreement(day, 11);
  });

  it("a cashier puts in paper, sets the clock, opens another shift and calls the engineer", { timeout: TROUBLE_LIMIT_MS }, async () => {
    const faults = ["paper-out@FF45", "clock-jump@8D#2=-3600000", "power-cut-before@FF45#4", "shift-expired@50"];
    // One document more often than the cashier has patience.
    for (const nth of [9, 10, 11, 12]) faults.push(`drive-full@FF45#${nth}`);
    const day = await demo(...faults.flatMap((spec) => ["--faults", spec]));
    expect({ exitCode: day.exitCode, err: day.err }).toEqual({ exitCode: 0, err: "" });
    for (const deed of ["paper is put in", "clock showed", "switched on again", "open another shift", "the engineer"]) {
      expect(day.out).toContain(deed);
    }
    await expectAgreement(day, 13);
  });

  it("a register that was found is used as it is, its open shift and its cash too", { timeout: DEMO_LIMIT_MS }, async () => {
    const device = await startDevice();
    const host = await device.connect();
    expect(await host.ask("E0 1E000000")).toMatch(/^E0 00/);
    expect(await host.ask("50 01000000 10 27 00 00 00")).toMatch(/^50 00/);
    await host.link.close();
    const day = await demo("--register", device.address);
    expect({ exitCode: day.exitCode, err: day.err }).toEqual({ exitCode: 0, err: "" });
    expect(stepsIn(day.out).map(([, number]) => number)).toEqual(["", "2", "", "3", "4", "5", "6", "7", "8", "3", "9", "", "10", "", ""]);
    expect((await device.end("SIGTERM")).code).toBe(0);
  });
});

describeLink("the demo", SERIAL, () => {
  it("plays a day through a pseudo-terminal, and a server killed with -9 finds the port free", { timeout: TROUBLE_LIMIT_MS }, async () => {
    const day = await demo("--register", "shtrih-m+serial", "--kill", "1", "--faults", "lose-answer@FF45");
    expect({ exitCode: day.exitCode, err: day.err }).toEqual({ exitCode: 0, err: "" });
    expect(stepsIn(day.out)).toHaveLength(16);
    expect(day.out).toContain("1 kills");
    await expectAgreement(day, 11);
  });
});

interface Day extends CommandResult {
  dataDir: string;
}

/** One day of the same seed, in a folder of its own. */
async function demo(...args: string[]): Promise<Day> {
  const folder = temporaryFolder();
  const dataDir = join(folder, "data");
  return { dataDir, ...(await runCommand(["demo", "--seed", SEED, "--data", dataDir, ...args], folder)) };
}

/** The drive holds what the journal holds as done, document by document, and nothing is left open. */
async function expectAgreement({ dataDir }: Day, count: number): Promise<void> {
  const { made, done, open } = await madeAndDone(folderIn(dataDir, "demo-device-"), join(dataDir, "fiscal.sqlite"));
  expect(made).toHaveLength(count);
  expect(done).toEqual(made);
  expect(open).toEqual([]);
}

/** Title, number and sum of each step; signs and times are another device's. */
function stepsIn(out: string): string[][] {
  const lines = out.split("\n").filter((line) => /^ *\d+ {2}\S.* \d+ ms/.test(line));
  return lines.map((line) => [line.slice(4, 32).trim(), / ФД (\d+) /.exec(line)?.[1] ?? "", / ([\d.]+) ₽/.exec(line)?.[1] ?? ""]);
}

function pidIn(out: string, program: "server" | "device"): number {
  return Number(new RegExp(`${program} process (\\d+)`).exec(out)?.[1]);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ESRCH") return false;
    throw error;
  }
}
