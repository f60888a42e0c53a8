import { mkdtempSync, rmSync } from "node:fs";
import { Agent, get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { nextTurn, pause, systemChance, systemClock } from "../../src/kernel/clock.ts";
import { Rack } from "../../src/registers/rack.ts";
import { ChildProgram } from "../../src/tools/demo/processes/child-program.ts";
import { readyLine } from "../../src/tools/demo/processes/device-process.ts";
import { ServerProcess } from "../../src/tools/demo/processes/server-process.ts";
import { ZONE } from "../support/register-bench.ts";
import { receiptDocument, shiftDocument } from "../support/register-documents.ts";
import { type Part, percentile, type Row, rounded, withFloor } from "./row.ts";
import { make } from "./serial-sale.ts";
import { BusyTill } from "./state-till.ts";

const CLI = fileURLToPath(new URL("../../src/cli.ts", import.meta.url));
/** The printing time. Nearly always something is being printed, or a till waits for it. */
const PRINT_MS = 700;
const QUESTIONS = 400;
/** The pause before each question, like that of a screen that refreshes itself. */
const EVERY_MS = 10;

/** How long the question for a register's state takes while a document is being printed. No question waits for the register. */
export const stateBench: Part = {
  prefix: "state.",
  async run(note): Promise<Row[]> {
    const folder = mkdtempSync(join(tmpdir(), "fiscal-bench-state-"));
    try {
      return [
        ...(await withDevice(folder, "process", fromMemory)),
        ...(await withDevice(folder, "http", (address) => fromServer(folder, address, note))),
      ];
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

/** A device that needs time to print, in a process of its own. */
async function withDevice(folder: string, name: string, work: (address: string) => Promise<Row[]>): Promise<Row[]> {
  const device = new ChildProgram({
    name: "the device",
    outFile: join(folder, `${name}.out`),
    errorFile: join(folder, `${name}.err`),
    cwd: folder,
    clock: systemClock,
    detached: false,
  });
  try {
    const args = ["emulate", "shtrih-m", "--print-ms", String(PRINT_MS), "--control", "127.0.0.1:0"];
    const started = await device.start([CLI, ...args], readyLine);
    return started.kind === "ready" ? await work(started.value.address) : [];
  } finally {
    await device.kill();
  }
}

/** In the process of the driver, while the driver waits for the printer: a turn of the event loop and the answer from memory. */
async function fromMemory(address: string): Promise<Row[]> {
  const rack = new Rack({ clock: systemClock, chance: systemChance, dataDir: ".", note: () => {} });
  try {
    const register = rack.at(address, ZONE);
    await make(register, systemClock, shiftDocument("open-shift"));
    let over = false;
    const selling = (async () => {
      while (!over) await make(register, systemClock, receiptDocument());
    })();
    const times = await asked(async () => {
      await nextTurn();
      if (rack.seen()[0]?.state === undefined) throw new Error("nothing is known of the register");
    });
    over = true;
    await selling;
    return [
      { name: "state.memory.p50", value: rounded(percentile(times, 50)), unit: "ms" },
      { name: "state.memory.p99", value: rounded(percentile(times, 99)), unit: "ms" },
    ];
  } finally {
    await rack.close();
  }
}

/** `/metrics` of the whole server while it sells and draws receipts, compared with `/health`, which asks for nothing. */
async function fromServer(folder: string, address: string, note: (text: string) => void): Promise<Row[]> {
  const environment = { HOST: "127.0.0.1", PORT: "0", DEFAULT_REGISTER: address };
  const server = new ServerProcess({ dataDir: join(folder, "data"), environment, clock: systemClock, detached: false });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    await server.start();
    const till = new BusyTill(server.base);
    await till.open();
    const selling = till.sell();
    const floors: number[] = [];
    const times = await asked(
      async () => {
        const text = await textOf(`${server.base}/metrics`, agent);
        if (!text.includes(address)) throw new Error("the metrics do not tell of the register");
      },
      async () => floors.push(await elapsedMs(() => textOf(`${server.base}/health`, agent))),
    );
    till.stop();
    note(`${await selling} sales meanwhile, each printed for ${PRINT_MS} ms`);
    return [50, 99].map((percent) =>
      withFloor({ name: `state.metrics.p${percent}`, value: rounded(percentile(times, percent)), unit: "ms" }, percentile(floors, percent)),
    );
  } finally {
    agent.destroy();
    await server.kill();
  }
}

/** The milliseconds of each question. `between` is called before each. */
async function asked(question: () => Promise<void>, between: () => Promise<unknown> = () => Promise.resolve()): Promise<number[]> {
  const times: number[] = [];
  for (let count = 0; count < QUESTIONS; count += 1) {
    await pause(systemClock, EVERY_MS);
    await between();
    times.push(await elapsedMs(question));
  }
  return times;
}

async function elapsedMs(work: () => Promise<unknown>): Promise<number> {
  const startedMs = systemClock.monotonicMs();
  await work();
  return systemClock.monotonicMs() - startedMs;
}

function textOf(url: string, agent: Agent): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => resolve(Buffer.concat(chunks).toString("utf8")));
      response.on("error", reject);
    }).on("error", reject);
  });
}
