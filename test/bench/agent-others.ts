import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Settings } from "../../src/accounts/settings.ts";
import { pause, systemClock } from "../../src/kernel/clock.ts";
import { Secret } from "../../src/kernel/secret.ts";
import { parseAddress } from "../../src/registers/catalogue.ts";
import { createSeal } from "../../src/security/seal.ts";
import { openStore, type Store } from "../../src/store/database.ts";
import { freePort } from "../../src/tools/demo/processes/free-port.ts";
import { AgentChild } from "./agent-child.ts";
import { enrolAgents } from "./agent-folders.ts";
import { AGENTS, FleetServer, fleetFolder, remove, startFleet } from "./agent-many.ts";
import { Shop, SMALL_BASKET } from "./bench-shop.ts";
import { medianRow, percentile, type Row, rounded, withFloor } from "./row.ts";
import { runLoad } from "./sale.ts";

const KEY = "key-of-the-bench-only";
const NAME = "shop";
const ROUNDS = 5;
const SALES = 200;
const WARM_UP = 20;
/** After this time each agent has reported the state of its register. */
const SETTLE_MS = 3_000;

/** How long a sale over HTTP through one agent takes while a thousand other agents are connected, and while none is. */
export async function agentOthersRows(note: (text: string) => void): Promise<Row[]> {
  const [folder, root] = [mkdtempSync(join(tmpdir(), "fiscal-bench-agent-")), fleetFolder()];
  const dataDir = join(folder, "data");
  const server = await FleetServer.prepare(dataDir, root, { port: await freePort(), secretKey: KEY });
  const shop = new Shop({ tills: 1, basket: SMALL_BASKET });
  const data = await enrolTill(dataDir, folder, shop, server);
  let [agent, fleet]: (AgentChild | undefined)[] = [];
  try {
    await server.start();
    agent = await AgentChild.startAgent(data);
    fleet = await startFleet(root);
    await server.connected(1);
    await shop.open(server.base, () => withStore(dataDir, (store) => bind(store, shop)));
    return await compare(new Windows(folder, shop, server, fleet), note);
  } finally {
    await fleet?.end();
    await agent?.end();
    await server.kill();
    remove(folder, root);
  }
}

/** Windows with the other agents and windows without them follow each other in changing order, so that a busy machine affects both. */
async function compare(windows: Windows, note: (text: string) => void): Promise<Row[]> {
  await windows.alone();
  const rows: ReturnType<typeof withFloor>[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    const before = round % 2 === 0 ? await windows.beside() : undefined;
    const alone = await windows.alone();
    const beside = before ?? (await windows.beside());
    const p = (percent: number) => `${rounded(percentile(beside, percent))} ms, alone ${rounded(percentile(alone, percent))} ms`;
    note(`round ${round}: p50 ${p(50)}; p99 ${p(99)}`);
    rows.push(withFloor({ name: "agent.others", value: rounded(percentile(beside, 99)), unit: "ms" }, percentile(alone, 99)));
  }
  return [medianRow(rows)];
}

class Windows {
  readonly #folder: string;
  readonly #shop: Shop;
  readonly #server: FleetServer;
  readonly #fleet: AgentChild;

  constructor(folder: string, shop: Shop, server: FleetServer, fleet: AgentChild) {
    this.#folder = folder;
    this.#shop = shop;
    this.#server = server;
    this.#fleet = fleet;
  }

  async alone(): Promise<number[]> {
    await this.#server.connected(1);
    return this.#sell();
  }

  async beside(): Promise<number[]> {
    await this.#fleet.ask(`dial ${this.#server.url}`);
    await this.#server.connected(1 + AGENTS);
    await pause(systemClock, SETTLE_MS);
    const latenciesMs = await this.#sell();
    await this.#fleet.ask("close");
    return latenciesMs;
  }

  async #sell(): Promise<number[]> {
    const load = { base: this.#server.base, tills: this.#shop.sales(1, WARM_UP + SALES), warmUp: WARM_UP };
    return (await runLoad(this.#folder, load)).latenciesMs;
  }
}

/** Enrols the agent of the till, for the account that sells there. Returns its data folder. */
function enrolTill(dataDir: string, root: string, shop: Shop, server: FleetServer): Promise<string> {
  return withStore(dataDir, async (store) => {
    const [enrolled] = await enrolAgents(store, shop.places, { names: [NAME], root, url: server.url });
    return enrolled?.data ?? "";
  });
}

/** Does the same as `npm run cli -- settings set … register=agent:shop`. */
async function bind(store: Store, shop: Shop): Promise<void> {
  const { appId, accountId, storeIds } = shop.places;
  const settings = new Settings({
    store,
    seal: createSeal(new Secret(KEY)),
    clock: systemClock,
    defaults: {},
    parseRegister: parseAddress,
    parseAcquirer: () => ({ kind: "none" as const }),
  });
  for (const storeId of storeIds) await settings.set({ appId, accountId }, storeId, "register", `agent:${NAME}`);
}

async function withStore<T>(dataDir: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore({ kind: "sqlite", file: join(dataDir, "fiscal.sqlite") });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
