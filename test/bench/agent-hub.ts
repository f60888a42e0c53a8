import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { AgentHub } from "../../src/agents/hub.ts";
import { HttpServer } from "../../src/http/server.ts";
import { systemChance, systemClock } from "../../src/kernel/clock.ts";
import { silentLog } from "../../src/kernel/log.ts";
import { WebSocketDoor } from "../../src/registers/agent/wire/web-socket.ts";
import { openStore, type Store } from "../../src/store/database.ts";
import { type Enrolled, enrolAgents, FLEET_ACCOUNT } from "./agent-folders.ts";

/** The heartbeat of a server with default settings. */
export const PING_MS = 5_000;
const SILENCE_MS = 12_000;
const LIMIT = 5_000;
const CLOSE_MS = 1_000;

interface Options {
  folder: string;
  /** Agents that are enrolled before the hub opens, with data folders in `root`. */
  fleet?: { names: readonly string[]; root: string };
  /** Called when the database and the sources are loaded, before any agent is read. */
  loaded?(): void;
}

/** The server's side of agents, with its real HTTP server and a database in a file, and without the other parts of a server. */
export class BenchHub {
  readonly hub: AgentHub;
  /** The address below which `connect` is. */
  readonly url: string;
  readonly #store: Store;
  readonly #server: HttpServer;

  private constructor(hub: AgentHub, url: string, store: Store, server: HttpServer) {
    this.hub = hub;
    this.url = url;
    this.#store = store;
    this.#server = server;
  }

  static async open({ folder, fleet, loaded = () => {} }: Options): Promise<BenchHub> {
    mkdirSync(folder, { recursive: true });
    const [clock, chance, log] = [systemClock, systemChance, silentLog];
    const store = await openStore({ kind: "sqlite", file: join(folder, "hub.sqlite") });
    await store.migrate();
    if (fleet !== undefined) await enrolAgents(store, FLEET_ACCOUNT, { ...fleet, url: "http://127.0.0.1/agents" });
    const hub = new AgentHub({
      store,
      clock,
      chance,
      log,
      pingMs: PING_MS,
      silenceMs: SILENCE_MS,
      limit: LIMIT,
      zone: "Europe/Moscow",
      unfinishedAttempts: async () => new Set(),
      observe: { bytes: () => {}, call: () => {}, connect: () => {}, refused: () => {}, logDropped: () => {} },
    });
    const door = new WebSocketDoor();
    const server = new HttpServer({
      application: (_request, response) => void response.end(),
      log,
      clock,
      upgrades: {
        takes: ({ url }) => url === "/agents/connect",
        take: (request, socket, head) =>
          door.upgrade(request, socket, head, (opened) => hub.take(opened, "127.0.0.1", () => opened.trust())),
      },
    });
    const { port } = await server.listen("127.0.0.1", 0);
    loaded();
    await hub.open();
    return new BenchHub(hub, `http://127.0.0.1:${port}/agents`, store, server);
  }

  /** Enrols one more agent. */
  async enrol(name: string, root: string): Promise<Enrolled> {
    const [enrolled] = await enrolAgents(this.#store, FLEET_ACCOUNT, { names: [name], root, url: this.url });
    if (enrolled === undefined) throw new Error("nobody was enrolled");
    await this.hub.refresh(name);
    return enrolled;
  }

  async close(): Promise<void> {
    await this.hub.close();
    await this.#server.close(CLOSE_MS);
    await this.#store.close();
  }
}
