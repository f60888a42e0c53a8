import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Journal } from "../../src/journal/journal.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { openStore } from "../../src/store/database.ts";
import { ServerProcess } from "../../src/tools/demo/processes/server-process.ts";
import { REGISTERS, Shop } from "./bench-shop.ts";
import type { Load, Measured } from "./load.ts";
import { median, medianRow, type Part, percentile, type Row, rounded, withFloor } from "./row.ts";
import { type Floor, type FloorSale, saleFloor } from "./sale-floor.ts";
import { workedSeconds } from "./server-work.ts";

const LOAD_PROCESS = fileURLToPath(new URL("load.ts", import.meta.url));
/**
 * Each round measures one register, sixteen registers and the floor directly after each other, so that a busy machine
 * affects all alike.
 */
const ROUNDS = 5;
const SALES = { 1: 100, 16: 15 } as const;
const WARM_UP = { 1: 20, 16: 3 } as const;
const FLOOR_SALES = 100;

/** The signed sale over HTTP on the emulator with SQLite, including its receipt, compared with its floor. */
export const saleBench: Part = {
  prefix: "sale.",
  async run(note): Promise<Row[]> {
    const folder = mkdtempSync(join(tmpdir(), "fiscal-bench-"));
    const dataDir = join(folder, "data");
    mkdirSync(dataDir);
    const environment = { HOST: "127.0.0.1", PORT: "0", LOG_LEVEL: "info" };
    const server = new ServerProcess({ dataDir, environment, clock: systemClock, detached: false });
    try {
      await server.start();
      return await measure(folder, server, note);
    } finally {
      await server.kill();
      rmSync(folder, { recursive: true });
    }
  },
};

interface Round {
  one: Window;
  sixteen: Window;
  floor: Floor;
}

/** `workMs`: the processor time of the server's process for a sale, including the warm-up. */
type Window = Measured & { workMs: number };

async function measure(folder: string, server: ServerProcess, note: (text: string) => void): Promise<Row[]> {
  const shop = new Shop();
  await shop.open(server.base);
  const rounds: Round[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    const one = await windowOf(folder, server.base, shop, 1);
    const sixteen = await windowOf(folder, server.base, shop, REGISTERS);
    const floor = await floorOf(folder, server.dataDir, shop, round);
    rounds.push({ one, sixteen, floor });
    note(`round ${round}: ${perSecond(one)}/s, ${perSecond(sixteen)}/s, floor ${rounded(1000 / floor.ms)}/s`);
  }
  const floors = (pick: (floor: Floor) => number) => rounded(median(rounds.map(({ floor }) => pick(floor))));
  return [
    { name: "sale.floor", value: floors(({ ms }) => ms), unit: "ms" },
    { name: "sale.floor.work", value: floors(({ workMs }) => workMs), unit: "ms" },
    ...rowsOf(
      "sale.1-register",
      rounds.map(({ one, floor }) => ({ ...one, floor, waitFloorMs: floor.ms })),
    ),
    ...rowsOf(
      "sale.16-registers",
      rounds.map(({ sixteen, floor }) => ({ ...sixteen, floor, waitFloorMs: REGISTERS * floor.ms })),
    ),
  ];
}

async function windowOf(folder: string, base: string, shop: Shop, registers: 1 | typeof REGISTERS): Promise<Window> {
  const before = await workedSeconds(base);
  const measured = await runLoad(folder, loadOf(shop, base, registers));
  const worked = (await workedSeconds(base)) - before;
  return { ...measured, workMs: (worked * 1000) / (registers * (WARM_UP[registers] + SALES[registers])) };
}

/** Each row comes from the round with the median ratio, because value and floor of a round were measured directly after each other. */
function rowsOf(name: string, rounds: (Window & { floor: Floor; waitFloorMs: number })[]): Row[] {
  const wait = (percent: number) =>
    rounds.map(({ latenciesMs, waitFloorMs }) =>
      withFloor({ name: `${name}.p${percent}`, value: rounded(percentile(latenciesMs, percent)), unit: "ms" }, waitFloorMs),
    );
  const rates = rounds.map((round) => withFloor({ name: `${name}.rate`, value: perSecond(round), unit: "sales/s" }, 1000 / round.floor.ms));
  const work = rounds.map(({ workMs, floor }) => withFloor({ name: `${name}.work`, value: rounded(workMs), unit: "ms" }, floor.workMs));
  return [medianRow(rates), medianRow(wait(50)), medianRow(wait(99)), medianRow(work)];
}

export function perSecond({ latenciesMs, elapsedMs }: Measured): number {
  return rounded((latenciesMs.length * 1000) / elapsedMs);
}

function loadOf(shop: Shop, base: string, registers: 1 | typeof REGISTERS): Load {
  return { base, tills: shop.sales(registers, WARM_UP[registers] + SALES[registers]), warmUp: WARM_UP[registers] };
}

/** The measurements of the generator. Every sale must have been answered. */
export async function runLoad(folder: string, load: Load): Promise<Measured> {
  const measured = await generate(folder, load);
  if (measured.wrong.length > 0) throw new Error(`sales failed: ${measured.wrong.join("; ")}`);
  return measured;
}

export async function generate(folder: string, load: Load): Promise<Measured> {
  const [loadFile, resultFile] = [join(folder, "load.json"), join(folder, "measured.json")];
  writeFileSync(loadFile, JSON.stringify(load));
  await promisify(execFile)(process.execPath, [LOAD_PROCESS, loadFile, resultFile]);
  return JSON.parse(readFileSync(resultFile, "utf8")) as Measured;
}

/** The floor uses sales that the server has just made: the same documents, facts and answers. */
export async function floorOf(folder: string, dataDir: string, shop: Shop, round: number): Promise<Floor> {
  const store = await openStore({ kind: "sqlite", file: join(dataDir, "fiscal.sqlite") });
  try {
    const journal = new Journal({ store, clock: systemClock });
    const entries = (await journal.list({ state: "done", limit: FLOOR_SALES })).filter(({ key }) => key.operation === "sale");
    const sales: FloorSale[] = [];
    for (const entry of entries) {
      const answer = await journal.answerOf(entry.id);
      const call = shop.callOf(entry.key.documentId);
      if (answer !== undefined && call !== undefined) sales.push({ entry, answer, ...call });
    }
    const place = join(folder, `floor-${round}`);
    mkdirSync(place);
    return await saleFloor(place, shop.publicKey, sales);
  } finally {
    await store.close();
  }
}
