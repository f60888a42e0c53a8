import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Settings } from "../../src/accounts/settings.ts";
import { pause, systemClock } from "../../src/kernel/clock.ts";
import { Secret } from "../../src/kernel/secret.ts";
import { parseAddress } from "../../src/registers/catalogue.ts";
import { createSeal } from "../../src/security/seal.ts";
import { openStore } from "../../src/store/database.ts";
import { ServerProcess } from "../../src/tools/demo/processes/server-process.ts";
import { Shop, SMALL_BASKET } from "./bench-shop.ts";
import type { Load, Measured } from "./load.ts";
import { medianRow, type Part, percentile, type Row, rounded, withFloor } from "./row.ts";
import { runLoad } from "./sale.ts";
import { startDevices } from "./serial-fleet.ts";
import { metricsOf, workedSeconds } from "./server-work.ts";

const REGISTERS = 50;
/** The interval of the sales at each register. */
const EVERY_MS = 1_000;
/** The sales of each register in a window: nearly five hundred in all, so that the p99 is the fifth slowest of them. */
const SALES = 10;
/** The number of sales before the measuring. The generator is a new process in each window, and slow at first. */
const WARM_UP = 2;
/** Windows with the frozen register and without it follow each other in changing order, so that a busy machine affects both. */
const ROUNDS = 7;
const SECONDS = ((WARM_UP + SALES) * EVERY_MS) / 1000;
const KEY = "key-of-the-bench-only";
/** The time in which a register that was frozen finishes its waiting work: the sales of a window, and the end of a doubt. */
const THAW_LIMIT_MS = 60_000;
const LOOK_EVERY_MS = 100;

/**
 * The cost of a frozen register for the others. Fifty registers have a signed sale each second, over HTTP and TCP, with
 * their devices in processes of their own. The last device's process stands still in every second window. Only the
 * other 49 are counted.
 */
export const lanesBench: Part = {
  prefix: "sale.lanes-",
  async run(note): Promise<Row[]> {
    const folder = mkdtempSync(join(tmpdir(), "fiscal-bench-lanes-"));
    const dataDir = join(folder, "data");
    mkdirSync(dataDir);
    const others = await startDevices(REGISTERS - 1);
    const last = await startDevices(1);
    const server = new ServerProcess({
      dataDir,
      environment: { HOST: "127.0.0.1", PORT: "0", LOG_LEVEL: "info", SECRET_KEY: KEY },
      clock: systemClock,
      detached: false,
    });
    try {
      await server.start();
      const shop = new Shop({ tills: REGISTERS, basket: SMALL_BASKET });
      await shop.open(server.base, () => bind(dataDir, shop, [...others.addresses, ...last.addresses]));
      const window = async () => {
        const cpuBefore = await workedSeconds(server.base);
        const measured = await runLoad(folder, loadOf(shop, server.base));
        return { ...measured, cpuMs: ((await workedSeconds(server.base)) - cpuBefore) * 1000 };
      };
      const frozenWindow = async () => {
        last.freeze();
        try {
          return await window();
        } finally {
          last.thaw();
          await idle(server.base);
        }
      };
      return await compare(window, frozenWindow, note);
    } finally {
      await server.kill();
      others.end();
      last.end();
      rmSync(folder, { recursive: true });
    }
  },
};

/** `cpuMs`: the processor time of the server's process in the window. */
type Window = Measured & { cpuMs: number };

async function compare(healthy: () => Promise<Window>, frozen: () => Promise<Window>, note: (text: string) => void): Promise<Row[]> {
  await healthy();
  const rounds: { healthy: Window; frozen: Window }[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    const first = round % 2 === 0 ? await frozen() : await healthy();
    const second = round % 2 === 0 ? await healthy() : await frozen();
    const pair = round % 2 === 0 ? { frozen: first, healthy: second } : { healthy: first, frozen: second };
    rounds.push(pair);
    note(`round ${round}: p99 ${p(pair.healthy, 99)} ms, with one frozen ${p(pair.frozen, 99)} ms`);
  }
  const work = rounds.map((pair) => {
    const row = { name: `sale.lanes-${REGISTERS}.work`, value: rounded(pair.frozen.cpuMs / SECONDS), unit: "ms/s" };
    return withFloor(row, pair.healthy.cpuMs / SECONDS);
  });
  const waits = [50, 99].map((percent) =>
    medianRow(
      rounds.map((pair) => {
        const row = { name: `sale.lanes-${REGISTERS}.others-p${percent}`, value: p(pair.frozen, percent), unit: "ms" };
        return withFloor(row, p(pair.healthy, percent));
      }),
    ),
  );
  return [...waits, medianRow(work)];
}

function p({ latenciesMs }: Measured, percent: number): number {
  return rounded(percentile(latenciesMs, percent));
}

function loadOf(shop: Shop, base: string): Load {
  const tills = shop.sales(REGISTERS, WARM_UP + SALES).map((till, index) => ({ ...till, uncounted: index === REGISTERS - 1 }));
  return { base, tills, warmUp: WARM_UP, everyMs: EVERY_MS };
}

/** Does the same as `npm run cli -- settings set … register=…`, for every till at once. */
async function bind(dataDir: string, shop: Shop, addresses: readonly string[]): Promise<void> {
  const { appId, accountId, storeIds } = shop.places;
  const store = await openStore({ kind: "sqlite", file: join(dataDir, "fiscal.sqlite") });
  try {
    const services = {
      store,
      seal: createSeal(new Secret(KEY)),
      clock: systemClock,
      defaults: {},
      parseRegister: parseAddress,
      parseAcquirer: () => ({ kind: "none" as const }),
    };
    const settings = new Settings(services);
    for (const [index, storeId] of storeIds.entries()) {
      await settings.set({ appId, accountId }, storeId, "register", addresses[index] ?? "");
    }
  } finally {
    await store.close();
  }
}

/** Waits until no operation is at a register or waits for one. */
async function idle(base: string): Promise<void> {
  const limitMs = systemClock.monotonicMs() + THAW_LIMIT_MS;
  while (systemClock.monotonicMs() < limitMs) {
    const text = await metricsOf(base);
    if (!/^fiscal_lane_waiting\{/m.test(text) && !/^fiscal_journal_entries\{[^}]*\} [1-9]/m.test(text)) return;
    await pause(systemClock, LOOK_EVERY_MS);
  }
  throw new Error("the register that was frozen does not come back");
}
