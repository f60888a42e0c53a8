import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { pause, systemChance, systemClock } from "../../src/kernel/clock.ts";
import { freePort } from "../../src/tools/demo/processes/free-port.ts";
import type { ServerProcess } from "../../src/tools/demo/processes/server-process.ts";
import { send } from "../../src/tools/sandbox/caller/call.ts";
import { sendFiscalCall } from "../../src/tools/sandbox/caller/fiscal-call.ts";
import { activation, sendVendorCall } from "../../src/tools/sandbox/caller/installation.ts";
import { SeededRandom } from "../../src/tools/seeded-random.ts";
import { clusterProcess, ownDatabase } from "../simulation/cluster/shared-database.ts";
import { documentsAnswer } from "../simulation/processes/control-answers.ts";
import { DeviceProgram } from "../simulation/processes/device-program.ts";
import { Shop, SOLUTION, saleDraft, shiftDraft } from "../simulation/processes/shop.ts";
import { DATABASE_KINDS, describeDatabase } from "../support/databases.ts";
import { missingProgram } from "../support/missing-program.ts";
import { temporaryFolder } from "../support/server-process.ts";

/** The time limit of several starts of programs while tills sell, on a machine that does other work too. */
const LIMIT_MS = 300_000;
const TILLS = 2;
/** The number of sales of each till between two strikes. */
const SALES_BETWEEN = 10;
const LOOK_EVERY_MS = 50;

const COMPOSE: { configs: { proxy: { content: string } } } = parse(
  readFileSync(new URL("../../docker-compose.yml", import.meta.url), "utf8"),
  { merge: true },
);
const missing = missingProgram("haproxy");

for (const kind of DATABASE_KINDS.filter((one) => one.kind === "postgres"))
  describeDatabase("two servers behind the proxy of the compose file", kind, () => {
    it.skipIf(missing !== undefined).each([
      ["replaced one after another, as in an update", (server: ServerProcess) => server.stop()],
      ["killed one after another", (server: ServerProcess) => server.kill()],
    ])(`refuse no sale while they are %s${missing ?? ""}`, { timeout: LIMIT_MS }, async (_how, end) => {
      const shop = await ShopBehindProxy.open();
      const over = new AbortController();
      const tills = Array.from({ length: TILLS }, () => shop.sellUntil(over.signal));
      const works = Promise.all(tills);
      for (const server of [...shop.servers, ...shop.servers]) {
        await Promise.race([shop.soldFurther(TILLS * SALES_BETWEEN), works]);
        await end(server);
        await server.start();
      }
      over.abort();
      await works;
      expect(shop.refused).toEqual([]);
      expect(await shop.receipts()).toBe(shop.sold);
    });
  });

/** One point of sale whose tills know only the proxy's address. */
class ShopBehindProxy {
  readonly servers: readonly ServerProcess[];
  readonly refused: string[] = [];
  sold = 0;
  readonly #base: string;
  readonly #device: DeviceProgram;
  readonly #random = new SeededRandom(22);
  readonly #shop = new Shop(this.#random);

  private constructor(base: string, device: DeviceProgram, servers: readonly ServerProcess[]) {
    this.#base = base;
    this.#device = device;
    this.servers = servers;
  }

  static async open(): Promise<ShopBehindProxy> {
    const folder = temporaryFolder();
    const device = new DeviceProgram(join(folder, "device"));
    onTestFinished(() => device.kill());
    await device.start();
    const database = await ownDatabase();
    const ports = [await freePort(), await freePort()] as const;
    const made = await Promise.all(
      ports.map((port) => clusterProcess(database, { PORT: String(port), DEFAULT_REGISTER: device.address, CLUSTER_LEASE_MS: "3000" })),
    );
    const servers = made.map(({ server }) => server);
    await Promise.all(servers.map((server) => server.start()));
    const shop = new ShopBehindProxy(await startProxy(folder, ports), device, servers);
    await shop.#open();
    return shop;
  }

  async sellUntil(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const { call } = this.#shop.versionOf(saleDraft(this.#random).draft, 0);
      // A till repeats a request that is still being processed.
      const answer = await sendFiscalCall(this.#base, call, systemClock);
      if (answer.kind === "answer" && answer.status === 200) this.sold += 1;
      else this.refused.push(answer.kind === "answer" ? `${answer.status} ${answer.body}` : answer.reason);
    }
  }

  /** Waits until so many further sales were answered. */
  async soldFurther(sales: number): Promise<void> {
    const due = this.sold + sales;
    while (this.sold < due) await pause(systemClock, LOOK_EVERY_MS);
  }

  /** The number of receipts in the drive. */
  async receipts(): Promise<number> {
    const documents = documentsAnswer.parse((await this.#device.control.order({ do: "documents" })).documents);
    return documents.filter((document) => document.kind === "receipt").length;
  }

  async #open(): Promise<void> {
    const resource = "http://127.0.0.1:9/api/remap/1.2";
    const install = activation(SOLUTION, this.#shop.installation, "Install", { clock: systemClock, chance: systemChance, resource });
    expect(await sendVendorCall(this.#base, install, systemClock)).toMatchObject({ status: 200 });
    this.#shop.takeNewShift();
    const opening = this.#shop.versionOf(shiftDraft("open", this.#shop.till), 0).call;
    expect(await send(this.#base, opening, systemClock)).toMatchObject({ status: 200 });
  }
}

/**
 * Starts HAProxy with the configuration of the compose file and addresses of this machine. Returns its address once both servers are
 * ready for it.
 */
async function startProxy(folder: string, ports: readonly [number, number]): Promise<string> {
  const port = await freePort();
  const file = join(folder, "haproxy.cfg");
  const [first, second] = ports;
  const text = COMPOSE.configs.proxy.content
    .replace("bind :8080", `bind 127.0.0.1:${port}`)
    .replace("server-1:8080", `127.0.0.1:${first}`)
    .replace("server-2:8080", `127.0.0.1:${second}`);
  writeFileSync(file, text);
  const proxy = spawn("haproxy", ["-f", file, "-db"], { stdio: "ignore" });
  onTestFinished(() => void proxy.kill());
  const base = `http://127.0.0.1:${port}`;
  while (!(await isServed(base))) await pause(systemClock, LOOK_EVERY_MS);
  expect((await fetch(`${base}/metrics`)).status).toBe(404);
  return base;
}

/** Before its first check the proxy knows no ready server. */
async function isServed(base: string): Promise<boolean> {
  try {
    return (await fetch(`${base}/docs`)).ok;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}
