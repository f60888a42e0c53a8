import { createServer, connect as dial, type Socket } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { systemChance, systemClock } from "../../../src/kernel/clock.ts";
import { openStore, type Store, type StoreOptions } from "../../../src/store/database.ts";
import { freePort } from "../../../src/tools/demo/processes/free-port.ts";
import type { ServerProcess } from "../../../src/tools/demo/processes/server-process.ts";
import { type Call, type Exchange, send } from "../../../src/tools/sandbox/caller/call.ts";
import { sendFiscalCall } from "../../../src/tools/sandbox/caller/fiscal-call.ts";
import { activation, sendVendorCall } from "../../../src/tools/sandbox/caller/installation.ts";
import { SeededRandom } from "../../../src/tools/seeded-random.ts";
import { MigratedSchema } from "../../support/migrated-schema.ts";
import { POSTGRES_URL } from "../../support/postgres-admin.ts";
import { serverProcess, temporaryFolder } from "../../support/server-process.ts";
import { Shop, SOLUTION, saleDraft, shiftDraft } from "../processes/shop.ts";

/** The address of a schema for this test alone. A whole database would take seconds to make and to drop. */
export async function ownDatabase(): Promise<string> {
  const schema = await MigratedSchema.take();
  onTestFinished(() => schema.giveBack());
  const url = new URL(POSTGRES_URL);
  url.searchParams.set("options", `-c search_path=${schema.name}`);
  return url.href.replaceAll("+", "%20");
}

/**
 * The database with a search path that puts the functions of its schema before those of PostgreSQL, so that a test can state
 * another timeline.
 */
export function shadowed(options: StoreOptions): StoreOptions {
  if (options.kind !== "postgres") throw new Error("only PostgreSQL has timelines");
  const url = new URL(options.url);
  url.searchParams.set("options", `-c search_path=${options.schema},pg_catalog`);
  return { kind: "postgres", url: url.href.replaceAll("+", "%20") };
}

/** Opens the database for a test that looks into it beside the servers. */
export async function lookInto(url: string): Promise<Store> {
  const store = await openStore({ kind: "postgres", url });
  onTestFinished(() => store.close());
  return store;
}

export interface ClusterProcess {
  server: ServerProcess;
  clusterUrl: string;
}

/** A server of a cluster, not yet started. */
export async function clusterProcess(databaseUrl: string, environment: Record<string, string> = {}): Promise<ClusterProcess> {
  const clusterUrl = `http://127.0.0.1:${await freePort()}`;
  const server = serverProcess(join(temporaryFolder(), "data"), {
    DATABASE_URL: databaseUrl,
    CLUSTER_URL: clusterUrl,
    CLUSTER_LEASE_MS: "1000",
    // Nobody listens at this port. The test needs only the answers to the platform's calls.
    PLATFORM_BASE_URL: "http://127.0.0.1:9",
    ...environment,
  });
  return { server, clusterUrl };
}

/** Two servers of one cluster, running. */
export async function twoProcesses(environment: Record<string, string>): Promise<readonly [ServerProcess, ServerProcess]> {
  const database = await ownDatabase();
  const [one, two] = [await clusterProcess(database, environment), await clusterProcess(database, environment)];
  await Promise.all([one.server.start(), two.server.start()]);
  return [one.server, two.server];
}

/** A till of one point of sale. It may send its requests to any process. */
export class ClusterTill {
  readonly shop: Shop;
  readonly #random: SeededRandom;

  constructor(seed: number) {
    this.#random = new SeededRandom(seed);
    this.shop = new Shop(this.#random);
  }

  async install(server: ServerProcess): Promise<void> {
    const resource = "http://127.0.0.1:9/api/remap/1.2";
    const call = activation(SOLUTION, this.shop.installation, "Install", { clock: systemClock, chance: systemChance, resource });
    const installed = await sendVendorCall(server.base, call, systemClock);
    if (installed.kind !== "answer" || installed.status !== 200) throw new Error(`not installed: ${JSON.stringify(installed)}`);
  }

  openShift(server: ServerProcess) {
    return this.newShift().decidedAt(server);
  }

  /** The opening of a shift that may be sent as often as the test likes. */
  newShift() {
    this.shop.takeNewShift();
    const { call } = this.shop.versionOf(shiftDraft("open", this.shop.till), 0);
    return this.#sending(call);
  }

  /** A sale that may be sent as often as the test likes. */
  newSale() {
    const { sold, draft } = saleDraft(this.#random);
    const { call } = this.shop.versionOf(draft, 0);
    return { id: sold.id, ...this.#sending(call) };
  }

  /** `decidedAt` repeats the request while it is still being processed, as a till does: a busy machine may need longer than an answer. */
  #sending(call: Call) {
    return {
      at: async (server: ServerProcess) => told(await send(server.base, call, systemClock, CALL_LIMIT_MS)),
      decidedAt: async (server: ServerProcess) => told(await sendFiscalCall(server.base, call, systemClock, DECIDED_WITHIN)),
    };
  }
}

/** `status` 0: no answer came. */
export interface TillAnswer {
  status: number;
  body: string;
}

function told(exchange: Exchange): TillAnswer {
  return exchange.kind === "answer"
    ? { status: exchange.status, body: exchange.body.toString("utf8") }
    : { status: 0, body: exchange.reason };
}

/** A server answers within ten seconds, but the test may have stopped it meanwhile, and a busy machine takes longer for the way. */
const CALL_LIMIT_MS = 60_000;
const DECIDED_WITHIN = { windowMs: 120_000, intervalMs: 250 };

/** A connection through the wire tap, with what its host has sent. */
export interface TappedConnection {
  sent: Buffer[];
}

/** Passes bytes on to a device, and notes for each connection what its host has sent. */
export async function wireTap(
  address: string,
  heard: (bytes: Buffer) => void = () => {},
): Promise<{ address: string; connections: TappedConnection[] }> {
  const [, host = "", port = ""] = /^shtrih-m\+tcp:\/\/([^:]+):(\d+)$/.exec(address) ?? [];
  const connections: TappedConnection[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = dial({ host, port: Number(port) });
    const connection: TappedConnection = { sent: [] };
    connections.push(connection);
    near.on("data", (bytes: Buffer) => {
      connection.sent.push(bytes);
      heard(bytes);
      far.write(bytes);
    });
    far.pipe(near);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on("error", () => other.destroy());
      one.on("close", () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const place = server.address();
  if (place === null || typeof place === "string") throw new Error("the tap has no port");
  return { address: `shtrih-m+tcp://127.0.0.1:${place.port}`, connections };
}
