import { join } from "node:path";
import { systemClock } from "../../src/kernel/clock.ts";
import { freePort } from "../../src/tools/demo/processes/free-port.ts";
import { ServerProcess } from "../../src/tools/demo/processes/server-process.ts";
import { ReverseProxy } from "../simulation/fleet/reverse-proxy.ts";
import { DeviceProgram } from "../simulation/processes/device-program.ts";
import { DATABASE_KINDS } from "../support/databases.ts";
import { missingProgram } from "../support/missing-program.ts";
import { REGISTERS } from "./bench-shop.ts";
import { benchServer } from "./cluster-servers.ts";

/** Servers that sell and are attacked. */
export interface AttackedPlace {
  /** The address at which the tills sell. */
  base: string;
  /** The address at which the shifts are opened. In a cluster it becomes the holder of the register. */
  openedAt: string;
  /** The port that is attacked. */
  port: number;
  /** The processes whose memory is measured, the attacked one first. */
  watched: readonly { name: string; pid: number }[];
  /** The number of registers. */
  registers: number;
  /** Whether long sales are measured too. A device behind a line takes seconds for one, whatever else the server does. */
  withLong: boolean;
  end(): Promise<void>;
}

/** A kind of place. */
export interface PlaceKind {
  /** The beginning of the names of its rows. */
  prefix: string;
  /** Whether a bare server is measured beside it. */
  hasFloor: boolean;
  /** Why it cannot be measured here. Undefined: it can. */
  missing(): string | undefined;
  /** `folder`: an empty folder for its files. */
  start(folder: string): Promise<AttackedPlace>;
}

export const PLACE_KINDS: readonly PlaceKind[] = [
  { prefix: "sale.under-attack.", hasFloor: true, missing: () => undefined, start: (folder) => alone(folder) },
  {
    prefix: "proxied.under-attack.",
    hasFloor: false,
    missing: () => missingProgram("haproxy"),
    start: behindProxy,
  },
  {
    prefix: "forwarded.under-attack.",
    hasFloor: false,
    missing: withoutPostgres,
    start: (folder) => ofTwo(folder, ({ holder }) => holder.base),
  },
  {
    prefix: "inside.under-attack.",
    hasFloor: false,
    missing: withoutPostgres,
    start: (folder) => ofTwo(folder, ({ holderInside }) => holderInside),
  },
];

async function alone(folder: string, environment: Record<string, string> = {}): Promise<AttackedPlace> {
  const all = { HOST: "127.0.0.1", PORT: "0", LOG_LEVEL: "info", ...environment };
  const server = new ServerProcess({ dataDir: join(folder, "data"), environment: all, clock: systemClock, detached: false });
  await server.start();
  return {
    base: server.base,
    openedAt: server.base,
    port: portOf(server.base),
    watched: [{ name: "memory", pid: server.pid }],
    registers: REGISTERS,
    withLong: true,
    end: () => server.kill(),
  };
}

/** One server behind HAProxy with the configuration of the compose file. Tills and attackers know only the proxy. */
async function behindProxy(folder: string): Promise<AttackedPlace> {
  const server = await alone(folder, { TRUSTED_PROXIES: "127.0.0.1" });
  const proxy = new ReverseProxy(folder, [{ port: server.port }]);
  await proxy.start();
  return {
    ...server,
    base: proxy.base,
    openedAt: proxy.base,
    port: portOf(proxy.base),
    watched: [...server.watched, { name: "proxy-memory", pid: proxy.pid }],
    end: async () => {
      proxy.stop();
      await server.end();
    },
  };
}

/** Two servers of one cluster. The tills sell at the server that does not hold the register, which passes each sale on to the holder. */
async function ofTwo(
  folder: string,
  attacked: (servers: { holder: ServerProcess; holderInside: string }) => string,
): Promise<AttackedPlace> {
  const database = await DATABASE_KINDS.find(({ kind }) => kind === "postgres")?.make();
  if (database === undefined) throw new Error("a cluster needs PostgreSQL");
  await (await database.open()).migrate();
  const device = new DeviceProgram(join(folder, "device"));
  await device.start();
  const holderInside = `http://127.0.0.1:${await freePort()}`;
  const server = async (name: string, clusterUrl: string) => {
    const made = benchServer(join(folder, name), { database, device, environment: { LOG_LEVEL: "info", CLUSTER_URL: clusterUrl } });
    await made.start();
    return made;
  };
  const holder = await server("holder", holderInside);
  const other = await server("other", `http://127.0.0.1:${await freePort()}`);
  return {
    base: other.base,
    openedAt: holder.base,
    port: portOf(attacked({ holder, holderInside })),
    watched: [
      { name: "memory", pid: holder.pid },
      { name: "memory-beside", pid: other.pid },
    ],
    registers: 1,
    withLong: false,
    end: async () => {
      for (const each of [other, holder]) await each.kill();
      await device.kill();
      await database.drop();
    },
  };
}

function withoutPostgres(): string | undefined {
  const kind = DATABASE_KINDS.find((one) => one.kind === "postgres");
  return kind === undefined ? "there is no such database" : kind.missing;
}

function portOf(base: string): number {
  return Number(new URL(base).port);
}
