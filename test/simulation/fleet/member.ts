import { renameSync } from "node:fs";
import { join } from "node:path";
import { pause, systemClock } from "../../../src/kernel/clock.ts";
import { messageOf } from "../../../src/kernel/failure.ts";
import { freePort } from "../../../src/tools/demo/processes/free-port.ts";
import { ServerProcess } from "../../../src/tools/demo/processes/server-process.ts";
import { type Cut, CuttableLine } from "./line.ts";

/** How soon a server that ended by itself is started again, as a supervisor does. */
const RESTART_AFTER_MS = 500;
const LOOK_EVERY_MS = 100;
/** What a server logs last when it loses its database. */
const LOCK_LOST = "the lock of the database is lost";

interface MemberOptions {
  folder: string;
  /** The present address of the database. Only its host and port may change. */
  databaseUrl(): string;
  platformUrl: string;
  /** The programs of the versions that follow each other at updates. The last one stays. */
  versions: readonly string[];
}

/** One server of the cluster, with a line of its own to the database, and with a supervisor. */
export class Member {
  readonly #options: MemberOptions;
  readonly #line: CuttableLine;
  #port = 0;
  #environment: Record<string, string> = {};
  #server: ServerProcess | undefined;
  #starts = 0;
  #version = 0;
  #endedByItself = 0;
  #isPaused = false;
  /** The running strike, or the running work of the supervisor: only one of them runs at a time. */
  #busy: Promise<void> = Promise.resolve();
  #isOver = false;
  #problems: string[] = [];

  constructor(options: MemberOptions) {
    this.#options = options;
    this.#line = new CuttableLine(targetOf(options.databaseUrl()));
  }

  get port(): number {
    return this.#port;
  }

  get endedByItself(): number {
    return this.#endedByItself;
  }

  /** The environment for commands beside the server. Their line to the database is never cut. */
  get commandEnvironment(): Record<string, string> {
    return { ...this.#environment, DATABASE_URL: this.#options.databaseUrl(), DATA_DIR: join(this.#options.folder, "data") };
  }

  async open(): Promise<void> {
    await this.#line.open();
    this.#port = await freePort();
    const url = new URL(this.#options.databaseUrl());
    url.hostname = "127.0.0.1";
    url.port = String(this.#line.port);
    this.#environment = {
      HOST: "127.0.0.1",
      PORT: String(this.#port),
      DATABASE_URL: url.href.replaceAll("+", "%20"),
      CLUSTER_URL: `http://127.0.0.1:${await freePort()}`,
      PLATFORM_BASE_URL: this.#options.platformUrl,
      TRUSTED_PROXIES: "127.0.0.1",
    };
    await this.#start();
    void this.#supervise();
  }

  /** Kills the server with -9. It is started again after a time. */
  async kill(downMs: number): Promise<void> {
    await this.#strike(async () => {
      await this.#server?.kill();
      await pause(systemClock, downMs);
      await this.#startOrLeave();
    });
  }

  /** Stops the process for a time. Then it goes on as if nothing had happened. */
  async pause(stillMs: number): Promise<void> {
    await this.#strike(async () => {
      this.#signal("SIGSTOP");
      this.#isPaused = true;
      await pause(systemClock, stillMs);
      this.#wake();
    });
  }

  /** Cuts the server's line to the database for a time. */
  async cutOff(how: Cut, cutMs: number): Promise<void> {
    this.#line.cut(how);
    await pause(systemClock, cutMs);
    this.#line.mend();
  }

  /** Points the server's line at the present address of the database. */
  followDatabase(): void {
    this.#line.lead(targetOf(this.#options.databaseUrl()));
  }

  /** Asks the server to end and starts the next version. Rejects when the server ends neither with exit code 0 nor without its database. */
  async update(): Promise<void> {
    await this.#strike(async () => {
      await this.#askToEnd();
      this.#version += 1;
      await this.#startOrLeave();
    });
  }

  /** Rejects when the server does not end with exit code 0. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#busy;
    await this.#server?.stop();
    this.#line.close();
  }

  async end(): Promise<void> {
    this.#isOver = true;
    this.#wake();
    await this.#server?.kill();
    this.#line.close();
  }

  tail(): string[] {
    return [...this.#problems.slice(-3), ...(this.#server?.tail() ?? [])];
  }

  async #start(): Promise<void> {
    const { folder, versions } = this.#options;
    const dataDir = join(folder, "data");
    // A start reads through its whole log, so the log must not grow for an hour.
    for (const file of this.#starts === 0 ? [] : ["demo-server.log", "demo-server.err"]) {
      renameSync(join(dataDir, file), join(folder, `${this.#starts}-${file}`));
    }
    this.#starts += 1;
    const main = versions[Math.min(this.#version, versions.length - 1)];
    const server = new ServerProcess({
      dataDir,
      environment: this.#environment,
      clock: systemClock,
      detached: false,
      ...(main === undefined ? {} : { main }),
    });
    this.#server = server;
    await server.start();
  }

  /** The primary of the database may be lost while the server ends. Then the server ends at once, with exit code 1. */
  async #askToEnd(): Promise<void> {
    const server = this.#server;
    try {
      await server?.stop();
    } catch (error) {
      if (server?.tail().some((line) => line.includes(LOCK_LOST)) !== true) throw error;
      this.#endedByItself += 1;
    }
  }

  #strike(how: () => Promise<void>): Promise<void> {
    const struck = this.#busy.then(how);
    this.#busy = struck.then(undefined, (error: unknown) => void this.#problems.push(messageOf(error)));
    return struck;
  }

  async #supervise(): Promise<void> {
    while (!this.#isOver) {
      await pause(systemClock, LOOK_EVERY_MS);
      await this.#strike(async () => {
        if (this.#isOver || this.#server?.alive === true) return;
        this.#endedByItself += 1;
        await pause(systemClock, RESTART_AFTER_MS);
        await this.#startOrLeave();
      });
    }
  }

  /**
   * Starts the server. The start fails while the database cannot be reached, or when a newer version has changed the tables. Then the
   * supervisor tries again later, with the next version.
   */
  async #startOrLeave(): Promise<void> {
    try {
      await this.#start();
    } catch (error) {
      this.#problems.push(messageOf(error));
      this.#version += 1;
    }
  }

  #wake(): void {
    if (this.#isPaused) this.#signal("SIGCONT");
    this.#isPaused = false;
  }

  #signal(name: NodeJS.Signals): void {
    const pid = this.#server?.pid ?? 0;
    if (pid > 0 && this.#server?.alive === true) process.kill(pid, name);
  }
}

function targetOf(databaseUrl: string): { host: string; port: number } {
  const { hostname, port } = new URL(databaseUrl);
  return { host: hostname, port: Number(port || 5432) };
}
