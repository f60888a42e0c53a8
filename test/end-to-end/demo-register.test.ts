import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Slots } from "../../src/kernel/work/slots.ts";
import { folderIn, madeAndDone } from "../support/drive-and-journal.ts";
import { type CommandResult, runCommand } from "../support/end-to-end-command.ts";
import { EXTENT } from "../support/extent.ts";
import { describeLink, SERIAL } from "../support/links.ts";
import { startDevice } from "../support/shtrih-m-device-process.ts";

/**
 * Deaths, faults and people at the register take about twenty seconds. Waiting for other days and for other test files takes as
 * long again.
 */
const LIMIT_MS = 180_000;
const SEED = "11";
/** A day is three processes, of which at most one works at a time. So two days keep two processors busy. */
const SIDE_BY_SIDE = 2;

/** Every fault of emulator-surface that ends without a cashier, at different commands, so that they do not disturb one another. */
const LINE_FAULTS = [
  "silent@E0=300",
  "lose-answer@50",
  "lose-request@FF45",
  "lose-answer@FF45#2",
  "garble-answer@FF45#4",
  "glue@FF45#5",
  "power-cut-after@FF45#6",
  "byte-by-byte@FF46#2",
  "nak@FF46#4",
  "noise@FF46#6",
  "busy@8D#3=500",
  "power-cut-before@41=300",
];
/** Faults that a cashier must end. The drive stays full one document longer than the cashier repeats. */
const SHOP_FAULTS = [
  "paper-out@FF45",
  "clock-jump@8D#2=-3600000",
  "power-cut-before@FF45#4",
  "shift-expired@50",
  ...[9, 10, 11, 12].map((nth) => `drive-full@FF45#${nth}`),
];
const SERIAL_FAULTS = ["lose-answer@50", "silent@FF45=300", "power-cut-before@FF45#3=300", "power-cut-after@FF45#5"];
const SURFACE =
  "lose-request lose-answer garble-answer nak silent busy paper-out power-cut-before power-cut-after byte-by-byte glue noise shift-expired drive-full clock-jump";

const MODELS = [
  ["desktop", "1.0"],
  ["desktop", "2.0"],
  ["cashcore", "1.0"],
  ["nano", "2.0"],
] as const;

/** `npm test` plays the day on the emulator, in `demo.test.ts`. */
const itLong = it.runIf(EXTENT === "long");

const slots = new Slots(SIDE_BY_SIDE);
let folder = "";
/** The day on the emulator inside the server, without any device. All other days are compared with it. */
let emulator: Day;

beforeAll(async () => {
  if (EXTENT === "short") return;
  folder = mkdtempSync(join(tmpdir(), "fiscal-demo-days-"));
  emulator = await play("emulator");
  expect({ exitCode: emulator.exitCode, err: emulator.err }).toEqual({ exitCode: 0, err: "" });
}, LIMIT_MS);

afterAll(() => (folder === "" ? undefined : rmSync(folder, { recursive: true, force: true })));

describe.concurrent("the demo on a device at a TCP port", { timeout: LIMIT_MS }, () => {
  itLong("loses and doubles nothing with every fault of a line, and its table stays the same", async ({ signal }) => {
    const day = await playWell("line faults", signal, "--register", "shtrih-m+tcp", ...faults(LINE_FAULTS));
    expect(day.out).not.toContain("never struck");
    expect(day.out).toContain("50004: Неизвестно, пробит ли чек");
    await expectSameDay(day);
  });

  itLong("a cashier puts in paper, sets the clock, opens another shift and calls the engineer", async ({ signal }) => {
    const day = await playWell("shop faults", signal, ...faults(SHOP_FAULTS));
    expect(day.out).not.toContain("never struck");
    for (const deed of ["paper is put in", "clock showed", "switched on again", "open another shift", "the engineer"]) {
      expect(day.out).toContain(deed);
    }
    // The shift that was too old has a closing, and the next one an opening: two more rows and numbers.
    const ofItself = rowsIn(day.out).filter(({ operation }) => !/too old|another shift/.test(operation));
    expect(ofItself.map(({ operation, sum }) => [operation, sum])).toEqual(
      rowsIn(emulator.out).map(({ operation, sum }) => [operation, sum]),
    );
    expect(await madeIn(day)).toHaveLength(13);
  });

  itLong("plays the same day with the same table as the emulator", async ({ signal }) => {
    const day = await playWell("tcp", signal, "--register", "shtrih-m+tcp");
    expect(rowsIn(day.out)).toHaveLength(16);
    expect(rowsIn(day.out)[3]).toEqual({ operation: "sale, cash", number: "3", signed: true, sum: "339.60" });
    await expectSameDay(day);
    expect(isRunning(pidIn(day.out, "device"))).toBe(false);
  });

  itLong("loses and doubles nothing when the server is killed with -9", async ({ signal }) => {
    const day = await playWell("kills", signal, "--register", "shtrih-m+tcp", "--kill", "3");
    expect(day.out).toContain("3 kills");
    await expectSameDay(day);
  });
});

describeLink("the demo", SERIAL, () => {
  describe.concurrent("at a pseudo-terminal", { timeout: LIMIT_MS }, () => {
    itLong("plays the same day with the same table as the emulator, line by line", async ({ signal }) => {
      await expectSameDay(await playWell("serial", signal, "--register", "shtrih-m+serial"));
    });

    itLong("loses and doubles nothing with lost answers, silence, power cuts and a server killed with -9", async ({ signal }) => {
      const day = await playWell("serial faults", signal, "--register", "shtrih-m+serial", "--kill", "1", ...faults(SERIAL_FAULTS));
      expect(day.out).not.toContain("never struck");
      expect(day.out).toContain("1 kills");
      await expectSameDay(day);
    });
  });
});

describe("the demo", () => {
  it("meets every fault that the emulator has", () => {
    const met = [...LINE_FAULTS, ...SHOP_FAULTS].map((spec) => /^[a-z-]+/.exec(spec)?.[0]);
    expect([...new Set(met)].toSorted()).toEqual(SURFACE.split(" ").toSorted());
  });

  // `conformance/register-models` compares all models and protocols document by document.
  itLong("plays the same day, marked goods and all, at devices of each model that speak 1.0 or 2.0", { timeout: LIMIT_MS }, async () => {
    // The demo does not know what is in the drawer of a register that existed before.
    const expected = rowsIn(emulator.out).filter(({ operation }) => operation !== "cash out, a kopeck too much");
    expect(expected.map(({ operation }) => operation)).toContain("sale, two marked goods");
    const days = MODELS.map(async ([personality, protocol]) => {
      const name = `${personality} ${protocol}`;
      const drive = join(folder, `${name} drive`);
      const device = await startDevice("--personality", personality, "--protocol", protocol, "--data", drive);
      // The driver finds out which protocol the device uses.
      const day = await play(name, undefined, "--register", device.address);
      expect({ exitCode: day.exitCode, err: day.err }).toEqual({ exitCode: 0, err: "" });
      expect((await device.end("SIGTERM")).code).toBe(0);
      expect(rowsIn(day.out)).toEqual(expected);
      expect(await madeIn(day, drive)).toEqual(await madeIn(emulator));
    });
    await Promise.all(days);
  });

  itLong(
    "uses a register of another model that was found as it is, its open shift and its cash too",
    { timeout: LIMIT_MS },
    async ({ signal }) => {
      const device = await startDevice("--personality", "cashcore", "--protocol", "1.0");
      const host = await device.connect();
      expect(await host.ask("E0 1E000000")).toMatch(/^E0 00/);
      expect(await host.ask("50 01000000 10 27 00 00 00")).toMatch(/^50 00/);
      await host.link.close();
      const day = await playWell("found", signal, "--register", device.address);
      const numbers = ["", "2", "", "3", "4", "5", "6", "7", "8", "3", "9", "", "10", "", ""];
      expect(rowsIn(day.out).map(({ number }) => number)).toEqual(numbers);
      expect((await device.end("SIGTERM")).code).toBe(0);
    },
  );
});

interface Day extends CommandResult {
  dataDir: string;
}

/** One fiscal day with the same seed, in a folder of its own. It has no QR payments, because they do not depend on the register. */
function play(name: string, signal?: AbortSignal, ...args: string[]): Promise<Day> {
  return slots.run(async () => {
    const own = join(folder, name);
    mkdirSync(own);
    const dataDir = join(own, "data");
    const command = ["demo", "--only", "fiscal", "--seed", SEED, "--data", dataDir, ...args];
    return { dataDir, ...(await runCommand(command, own, signal ?? new AbortController().signal)) };
  });
}

async function playWell(name: string, signal: AbortSignal, ...args: string[]): Promise<Day> {
  const day = await play(name, signal, ...args);
  expect({ exitCode: day.exitCode, err: day.err }).toEqual({ exitCode: 0, err: "" });
  return day;
}

function faults(specs: readonly string[]): string[] {
  return specs.flatMap((spec) => ["--faults", spec]);
}

/** Expects each row of the table to be as on the emulator's day, and each document as in its drive. */
async function expectSameDay(day: Day): Promise<void> {
  expect(rowsIn(day.out)).toEqual(rowsIn(emulator.out));
  expect(await madeIn(day)).toEqual(await madeIn(emulator));
}

/**
 * The kinds, numbers and sums of the drive's documents. The journal must have the same documents as done, with their signs,
 * and nothing open.
 */
async function madeIn({ dataDir, out }: Day, drive?: string): Promise<[string, number, number][]> {
  const own = () => (out.includes("device process") ? folderIn(dataDir, "demo-device-") : folderIn(join(dataDir, "registers"), ""));
  const { made, done, open } = await madeAndDone(drive ?? own(), join(dataDir, "fiscal.sqlite"));
  expect(done).toEqual(made);
  expect(open).toEqual([]);
  return made.map(({ document, number, sumKopecks }) => [document, number, sumKopecks]);
}

/** One row of the table. Signs differ between drives, so only their presence counts. */
interface TableRow {
  operation: string;
  number: string;
  signed: boolean;
  sum: string;
}

/**
 * The numbered lines between the rule below the table's head and the empty line after the table, without notes in between. Numbers end in
 * the column in which their headings end.
 */
function rowsIn(out: string): TableRow[] {
  const [head = "", body = ""] = /^( *# {2}operation .*)\n-+\n((?:.+\n)+)/m.exec(out)?.slice(1) ?? [];
  const [titled, signed, summed] = ["ФД", "ФП", "sum"].map((heading) => head.indexOf(heading) + heading.length);
  return body
    .split("\n")
    .filter((line) => /^ *\d+ {2}\S/.test(line))
    .map((line) => {
      const [, operation = "", number = ""] = /^(.*?)(?: {2,}(\d+))?$/.exec(line.slice(head.indexOf("operation"), titled).trimEnd()) ?? [];
      return { operation, number, signed: /\d/.test(line.slice(titled, signed)), sum: line.slice(signed, summed).trim() };
    });
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
