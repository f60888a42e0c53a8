import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pause, systemClock } from "../../src/kernel/clock.ts";
import { openStore } from "../../src/store/database.ts";
import { ServerProcess } from "../../src/tools/demo/processes/server-process.ts";
import { AgentChild } from "./agent-child.ts";
import { enrolAgents, FLEET_ACCOUNT, fleetNames } from "./agent-folders.ts";
import { metricsOf } from "./server-work.ts";

export const AGENTS = 1_000;
const LOOK_EVERY_MS = 20;
const LIMIT_MS = 120_000;
/** A file system in memory. The disks of a thousand shops are independent of each other, but files on the disk of this machine are not. */
const IN_MEMORY = "/dev/shm";

/** A folder for the data of many agents. */
export function fleetFolder(): string {
  return mkdtempSync(join(existsSync(IN_MEMORY) ? IN_MEMORY : tmpdir(), "fiscal-bench-fleet-"));
}

/** Starts the process of agents whose folders exist. */
export async function startFleet(root: string): Promise<AgentChild> {
  const fleet = AgentChild.start("agent-fleet.ts", root, String(AGENTS));
  await fleet.line();
  return fleet;
}

interface Environment {
  port: number;
  secretKey: string;
}

/** The real server with the agents of a fleet. */
export class FleetServer {
  readonly #dataDir: string;
  readonly #environment: Record<string, string>;
  #server: ServerProcess | undefined;

  private constructor(dataDir: string, environment: Record<string, string>) {
    this.#dataDir = dataDir;
    this.#environment = environment;
  }

  /** Makes the database and the agents. The server does not run yet. */
  static async prepare(dataDir: string, root: string, { port, secretKey }: Environment): Promise<FleetServer> {
    mkdirSync(dataDir, { recursive: true });
    const store = await openStore({ kind: "sqlite", file: join(dataDir, "fiscal.sqlite") });
    try {
      await store.migrate();
      const url = `http://127.0.0.1:${port}/agents`;
      await enrolAgents(store, FLEET_ACCOUNT, { names: fleetNames(AGENTS), root, url });
    } finally {
      await store.close();
    }
    return new FleetServer(dataDir, { HOST: "127.0.0.1", PORT: String(port), LOG_LEVEL: "info", SECRET_KEY: secretKey });
  }

  async start(): Promise<void> {
    this.#server = new ServerProcess({
      dataDir: this.#dataDir,
      environment: this.#environment,
      clock: systemClock,
      detached: false,
    });
    await this.#server.start();
  }

  get base(): string {
    return this.#server?.base ?? "";
  }

  /** The address for its agents. It is known before the server runs. */
  get url(): string {
    return `http://127.0.0.1:${this.#environment.PORT}/agents`;
  }

  /** Waits until so many agents are connected. */
  async connected(count: number): Promise<void> {
    const limitMs = systemClock.monotonicMs() + LIMIT_MS;
    while (systemClock.monotonicMs() < limitMs) {
      if (Number(/^\w*agents_connected (\d+)/m.exec(await metricsOf(this.base))?.[1]) === count) return;
      await pause(systemClock, LOOK_EVERY_MS);
    }
    throw new Error(`there are no ${count} agents connected`);
  }

  async kill(): Promise<void> {
    await this.#server?.kill();
  }
}

export function remove(...folders: readonly string[]): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}
