import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type Clock, pause } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";

const MAIN = fileURLToPath(new URL("../../main.ts", import.meta.url));
/** A cold start compiles everything; a machine under load takes its time. */
const START_LIMIT_MS = 60_000;
/** A graceful stop finishes what is at the device. */
const STOP_LIMIT_MS = 20_000;
const LOOK_EVERY_MS = 10;
const TAIL_LINES = 20;

export interface ServerProcessOptions {
  dataDir: string;
  /** The whole environment of the child but for DATA_DIR: nothing is inherited, so that the run is the same everywhere. */
  environment: Record<string, string>;
  clock: Clock;
  /** The server is to outlive us. */
  detached: boolean;
}

/**
 * The real server as a child process. Its log and its standard error go to files in the data folder, so
 * that nothing is lost when it dies, or when we do.
 */
export class ServerProcess {
  readonly #options: ServerProcessOptions;
  readonly #logFile: string;
  readonly #errorFile: string;
  #child: ChildProcess | undefined;
  #ended: Promise<string> = Promise.resolve("never started");
  #base = "";
  #startedMs = 0;

  constructor(options: ServerProcessOptions) {
    this.#options = { ...options, dataDir: resolve(options.dataDir) };
    mkdirSync(this.#options.dataDir, { recursive: true });
    this.#logFile = join(this.#options.dataDir, "demo-server.log");
    this.#errorFile = join(this.#options.dataDir, "demo-server.err");
  }

  get dataDir(): string {
    return this.#options.dataDir;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Address of the running server; another one after each start. */
  get base(): string {
    return this.#base;
  }

  /** How long the last start took until the server listened. */
  get startedInMs(): number {
    return this.#startedMs;
  }

  /** Ended by a signal or by itself. */
  get alive(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Starts the server and waits until it listens; `killAfterMs` kills it on the way, wherever it is then. */
  async start(killAfterMs?: number): Promise<"listening" | "killed"> {
    const { clock } = this.#options;
    const beganMs = clock.monotonicMs();
    const logBytes = sizeOf(this.#logFile);
    this.#spawn();
    for (;;) {
      const elapsedMs = clock.monotonicMs() - beganMs;
      if (killAfterMs !== undefined && elapsedMs >= killAfterMs) {
        await this.kill();
        return "killed";
      }
      const address = listeningAddress(readFileSync(this.#logFile).subarray(logBytes).toString("utf8"));
      if (address !== undefined && killAfterMs === undefined) {
        this.#base = address;
        this.#startedMs = elapsedMs;
        return "listening";
      }
      if (!this.alive) throw new Failure("server-ended", "fault", `the server did not start: ${await this.#ended}`);
      if (elapsedMs > START_LIMIT_MS) throw new Failure("server-silent", "fault", `the server did not listen within ${START_LIMIT_MS} ms`);
      await pause(clock, LOOK_EVERY_MS);
    }
  }

  /** kill -9, and waits until the process is gone. */
  async kill(): Promise<void> {
    this.#child?.kill("SIGKILL");
    await this.#ended;
  }

  /** Asks the server to finish; a Failure when it does not, or not with exit code 0. */
  async stop(): Promise<void> {
    if (!this.alive) return;
    this.#child?.kill("SIGTERM");
    const limit = new AbortController();
    const late = pause(this.#options.clock, STOP_LIMIT_MS, limit.signal).then(() => "late");
    const how = await Promise.race([this.#ended, late]);
    limit.abort();
    if (how === "late") {
      await this.kill();
      throw new Failure("server-stays", "fault", `the server did not end within ${STOP_LIMIT_MS} ms of SIGTERM`);
    }
    if (how !== "exit code 0") throw new Failure("server-ended", "fault", `the server ended with ${how} when it was asked to stop`);
  }

  /** Lets the server run on after us. */
  release(): void {
    this.#child?.unref();
  }

  /** The last lines of standard error, or of the log when there are none: for whoever looks for the reason. */
  tail(): string[] {
    const errors = linesOf(this.#errorFile);
    return (errors.length > 0 ? errors : linesOf(this.#logFile)).slice(-TAIL_LINES);
  }

  /** The child's working folder is its data folder: a `.env` of ours is not read. */
  #spawn(): void {
    const { dataDir, environment, detached } = this.#options;
    const log = openSync(this.#logFile, "a");
    const errors = openSync(this.#errorFile, "a");
    const child = spawn(process.execPath, [MAIN], {
      cwd: dataDir,
      env: { ...environment, DATA_DIR: dataDir },
      detached,
      stdio: ["ignore", log, errors],
    });
    closeSync(log);
    closeSync(errors);
    this.#child = child;
    this.#ended = new Promise((resolve) => {
      child.once("exit", (code, signal) => resolve(signal === null ? `exit code ${code}` : `signal ${signal}`));
      child.once("error", (error) => resolve(error.message));
    });
  }
}

/** The address in the line `{"msg":"listening","address":"http://127.0.0.1:PORT"}` of the log. */
export function listeningAddress(log: string): string | undefined {
  for (const line of log.split("\n")) {
    if (!line.includes('"listening"')) continue;
    const entry = parseLine(line);
    if (entry?.msg === "listening" && typeof entry.address === "string") return entry.address;
  }
  return undefined;
}

/** A line may be half written. */
function parseLine(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function sizeOf(file: string): number {
  return linesOf(file).length === 0 ? 0 : readFileSync(file).length;
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, "utf8").split("\n").filter(Boolean);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}
