import { renameSync } from "node:fs";
import { join } from "node:path";
import { pause, systemClock } from "../../../src/kernel/clock.ts";
import { messageOf } from "../../../src/kernel/failure.ts";
import { ServerProcess } from "../../../src/tools/demo/processes/server-process.ts";
import { freePort } from "../../support/free-port.ts";
import { type Cut, CuttableLine } from "./line.ts";

/** How soon a server that ended by itself is started again, as a supervisor does. */
const RESTART_AFTER_MS = 500;
const LOOK_EVERY_MS = 100;

interface MemberOptions {
  folder: string;
  databaseUrl: string;
  platformUrl: string;
  /** Programs of the versions that follow each other at updates. The last one stays. */
  versions: readonly string[];
}

/** One server of the cluster, with its own line to the database, and a supervisor. */
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
  /** One strike at a time, and the supervisor between them. */
  #busy: Promise<void> = Promise.resolve();
  #isOver = false;
  #problems: string[] = [];

  constructor(options: MemberOptions) {
    this.#options = options;
    const { hostname, port } = new URL(options.databaseUrl);
    this.#line = new CuttableLine({ host: hostname, port: Number(port || 5432) });
  }

  get port(): number {
    return this.#port;
  }

  get endedByItself(): number {
    return this.#endedByItself;
  }

  /** Its environment, with a way to the database that is never cut, for commands beside it. */
  get commandEnvironment(): Record<string, string> {
    return { ...this.#environment, DATABASE_URL: this.#options.databaseUrl, DATA_DIR: join(this.#options.folder, "data") };
  }

  async open(): Promise<void> {
    await this.#line.open();
    this.#port = await freePort();
    const url = new URL(this.#options.databaseUrl);
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

  /** kill -9; it is started again after a time. */
  async kill(downMs: number): Promise<void> {
    await this.#strike(async () => {
      await this.#server?.kill();
      await pause(systemClock, downMs);
      await this.#startOrLeave();
    });
  }

  /** Its process stands still for a time, and goes on as if nothing had been. */
  async pause(stillMs: number): Promise<void> {
    await this.#strike(async () => {
      this.#signal("SIGSTOP");
      this.#isPaused = true;
      await pause(systemClock, stillMs);
      this.#wake();
    });
  }

  /** Its line to the database is cut for a time. */
  async cutOff(how: Cut, cutMs: number): Promise<void> {
    this.#line.cut(how);
    await pause(systemClock, cutMs);
    this.#line.mend();
  }

  /** It is asked to end, and the next version starts in its place. Rejects when it does not end by itself with 0. */
  async update(): Promise<void> {
    await this.#strike(async () => {
      await this.#server?.stop();
      this.#version += 1;
      await this.#startOrLeave();
    });
  }

  /** Rejects when it does not end by itself with 0. */
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
    // A start looks through its whole log, which grows for an hour.
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

  /** Without its database it does not start, nor when a newer version has changed the tables: the supervisor tries again, with the next. */
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
