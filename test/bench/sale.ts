import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { moscowTime } from "../../src/cli/demo/ledger.ts";
import { ServerProcess } from "../../src/cli/demo/server-process.ts";
import { Journal } from "../../src/journal/journal.ts";
import { systemChance, systemClock } from "../../src/kernel/clock.ts";
import { type BasketLine, basketKopecks } from "../../src/sandbox/basket.ts";
import { saleBody, shiftBody, type TillContext } from "../../src/sandbox/bodies.ts";
import { type Call, send } from "../../src/sandbox/call.ts";
import { fiscalCall } from "../../src/sandbox/fiscal-call.ts";
import { activation, type Installation, type Solution } from "../../src/sandbox/installation.ts";
import { PLATFORM_NAMES } from "../../src/sandbox/names.ts";
import { CASHIER, GOODS } from "../../src/sandbox/shop.ts";
import { makeSigningKey } from "../../src/sandbox/signing-key.ts";
import { openStore } from "../../src/store/database.ts";
import type { Load, Measured } from "./load.ts";
import { median, type Part, percentile, type Row, rounded, withFloor } from "./row.ts";
import { type FloorSale, saleFloorMs } from "./sale-floor.ts";

const LOAD_PROCESS = fileURLToPath(new URL("load.ts", import.meta.url));
/** Each round measures one register, sixteen and the floor next to each other, so that a busy machine strikes all alike. */
const ROUNDS = 3;
const SALES = { 1: 100, 16: 20 } as const;
const WARM_UP = { 1: 20, 16: 3 } as const;
const FLOOR_SALES = 100;
const MAX_REGISTERS = 16;

const SOLUTION: Solution = {
  appId: "00000000-0000-4000-8000-000000000001",
  appUid: "fiscal-solution.dev",
  secretKey: "development-secret-not-for-production",
  names: PLATFORM_NAMES.canonical,
};

/** Ten positions, as a receipt of a weekly shopping has. */
const BASKET: BasketLine[] = [
  { goods: GOODS.bread, quantityThousandths: 2000 },
  { goods: GOODS.pasta, quantityThousandths: 3000, discountHundredths: 10_00 },
  { goods: GOODS.tea, quantityThousandths: 1000 },
  { goods: GOODS.soap, quantityThousandths: 1000 },
  { goods: GOODS.batteries, quantityThousandths: 2000 },
  { goods: GOODS.bag, quantityThousandths: 1000 },
  { goods: GOODS.cheese, quantityThousandths: 356 },
  { goods: GOODS.apples, quantityThousandths: 1248 },
  { goods: GOODS.delivery, quantityThousandths: 1000 },
  { goods: GOODS.bread, quantityThousandths: 1000 },
];

/** The signed sale over HTTP on the emulator with SQLite, its receipt included, beside its floor. */
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
  one: Measured;
  sixteen: Measured;
  floorMs: number;
}

async function measure(folder: string, server: ServerProcess, note: (text: string) => void): Promise<Row[]> {
  const shop = new Shop();
  await shop.open(server.base);
  const rounds: Round[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    const one = await runLoad(folder, shop.load(server.base, 1));
    const sixteen = await runLoad(folder, shop.load(server.base, MAX_REGISTERS));
    const floorMs = await floorOf(folder, server.dataDir, shop, round);
    rounds.push({ one, sixteen, floorMs });
    note(`round ${round}: ${perSecond(one)}/s, ${perSecond(sixteen)}/s, floor ${rounded(1000 / floorMs)}/s`);
  }
  const floorMs = median(rounds.map((round) => round.floorMs));
  return [
    { name: "sale.floor", value: rounded(floorMs), unit: "ms" },
    ...rowsOf(
      "sale.1-register",
      rounds.map(({ one }) => one),
      floorMs,
      floorMs,
    ),
    ...rowsOf(
      "sale.16-registers",
      rounds.map(({ sixteen }) => sixteen),
      floorMs,
      MAX_REGISTERS * floorMs,
    ),
  ];
}

function rowsOf(name: string, runs: Measured[], floorMs: number, waitFloorMs: number): Row[] {
  const latencies = runs.flatMap(({ latenciesMs }) => latenciesMs);
  return [
    withFloor({ name: `${name}.rate`, value: median(runs.map(perSecond)), unit: "sales/s" }, 1000 / floorMs),
    withFloor({ name: `${name}.p50`, value: rounded(percentile(latencies, 50)), unit: "ms" }, waitFloorMs),
    withFloor({ name: `${name}.p99`, value: rounded(percentile(latencies, 99)), unit: "ms" }, waitFloorMs),
  ];
}

function perSecond({ latenciesMs, elapsedMs }: Measured): number {
  return rounded((latenciesMs.length * 1000) / elapsedMs);
}

async function runLoad(folder: string, load: Load): Promise<Measured> {
  const [loadFile, resultFile] = [join(folder, "load.json"), join(folder, "measured.json")];
  writeFileSync(loadFile, JSON.stringify(load));
  await promisify(execFile)(process.execPath, [LOAD_PROCESS, loadFile, resultFile]);
  const measured = JSON.parse(readFileSync(resultFile, "utf8")) as Measured;
  if (measured.wrong.length > 0) throw new Error(`sales failed: ${measured.wrong.join("; ")}`);
  return measured;
}

/** The floor works on sales that the server has just made: the same documents, facts and answers. */
async function floorOf(folder: string, dataDir: string, shop: Shop, round: number): Promise<number> {
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
    return await saleFloorMs(place, shop.publicKey, sales);
  } finally {
    await store.close();
  }
}

/** One account with a till at each of sixteen registers; every sale is signed before it is needed. */
class Shop {
  readonly #installation: Installation = {
    accountId: systemChance.uuid(),
    accountName: "bench",
    registrationId: systemChance.uuid(),
    key: makeSigningKey(),
  };
  readonly #tills: TillContext[] = Array.from({ length: MAX_REGISTERS }, () => ({
    api: "https://api.platform.example/api/remap/1.2",
    storeId: systemChance.uuid(),
    shiftId: systemChance.uuid(),
    shiftName: "00001",
    cashierId: systemChance.uuid(),
    cashier: CASHIER,
  }));
  readonly #sent = new Map<string, { body: Buffer; signature: Buffer }>();

  get publicKey(): string {
    return this.#installation.key.publicKey;
  }

  async open(base: string): Promise<void> {
    const options = { clock: systemClock, chance: systemChance, resource: "https://api.platform.example/api/remap/1.2" };
    await done(base, activation(SOLUTION, this.#installation, "Install", options));
    for (const till of this.#tills) {
      const body = shiftBody(till, "open", moscowTime(systemClock.nowMs()));
      await done(base, fiscalCall("openshift", body, SOLUTION, this.#installation));
    }
  }

  load(base: string, registers: 1 | typeof MAX_REGISTERS): Load {
    const count = WARM_UP[registers] + SALES[registers];
    const tills = this.#tills.slice(0, registers).map((till) => ({ calls: Array.from({ length: count }, () => this.#sale(till)) }));
    return { base, tills, warmUp: WARM_UP[registers] };
  }

  callOf(documentId: string): { body: Buffer; signature: Buffer } | undefined {
    return this.#sent.get(documentId);
  }

  #sale(till: TillContext) {
    const id = systemChance.uuid();
    const moment = moscowTime(systemClock.nowMs());
    const payments = { cashKopecks: basketKopecks(BASKET) };
    const call = fiscalCall(
      "retaildemand",
      saleBody(till, { id, name: id.slice(0, 8), moment, lines: BASKET, payments }),
      SOLUTION,
      this.#installation,
    );
    const body = call.body ?? Buffer.alloc(0);
    this.#sent.set(id, { body, signature: Buffer.from(call.headers[SOLUTION.names.signatureHeader] ?? "", "base64") });
    return { method: call.method, path: call.path, headers: call.headers, bodyBase64: body.toString("base64") };
  }
}

async function done(base: string, call: Call): Promise<void> {
  const exchange = await send(base, call, systemClock);
  if (exchange.kind === "answer" && exchange.status === 200) return;
  throw new Error(`${call.path}: ${exchange.kind === "answer" ? exchange.body.toString("utf8") : exchange.reason}`);
}
