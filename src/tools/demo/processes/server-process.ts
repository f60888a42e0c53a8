import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Clock } from "../../../kernel/clock.ts";
import { makeFolder } from "../../../kernel/folder.ts";
import { ChildProgram } from "./child-program.ts";

const MAIN = fileURLToPath(new URL("../../../main.ts", import.meta.url));
/** The options of `npm start`. */
const NODE_OPTIONS = ["--max-semi-space-size=8"];
/** A graceful stop waits for running work at the device. */
const STOP_LIMIT_MS = 20_000;

interface ServerProcessOptions {
  dataDir: string;
  /**
   * The environment of the child, to which DATA_DIR and Node's compile cache folder are added. Nothing else is inherited, so every machine
   * gives the same run.
   */
  environment: Record<string, string>;
  clock: Clock;
  /** True: the server outlives this process. */
  detached: boolean;
  /** The server's main file, for a run of another project version. Absent: this version's main file. */
  main?: string;
}

/** The real server as a child process. Its log and standard error go to files in the data folder. */
export class ServerProcess {
  readonly dataDir: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly #program: ChildProgram;
  readonly #main: string;
  #base = "";
  #startedMs = 0;

  constructor({ dataDir, environment, clock, detached, main = MAIN }: ServerProcessOptions) {
    this.#main = main;
    this.dataDir = resolve(dataDir);
    this.environment = environment;
    makeFolder(this.dataDir);
    this.#program = new ChildProgram({
      name: "the server",
      outFile: join(this.dataDir, "demo-server.log"),
      errorFile: join(this.dataDir, "demo-server.err"),
      // The server must not read the repository's `.env`, and this folder has none.
      cwd: this.dataDir,
      env: { ...environment, DATA_DIR: this.dataDir },
      clock,
      detached,
    });
  }

  get pid(): number {
    return this.#program.pid;
  }

  /** The address of the running server. It may change with each start, unless the environment sets PORT. */
  get base(): string {
    return this.#base;
  }

  get startedInMs(): number {
    return this.#startedMs;
  }

  get alive(): boolean {
    return this.#program.alive;
  }

  get ended(): Promise<string> {
    return this.#program.ended;
  }

  /** Starts the server and waits until it listens. With `killAfterMs` kills it after this time instead, whether it listens or not. */
  async start(killAfterMs?: number): Promise<"listening" | "killed"> {
    const started = await this.#program.start([...NODE_OPTIONS, this.#main], listeningAddress, killAfterMs);
    if (started.kind === "killed") return "killed";
    this.#base = started.value;
    this.#startedMs = started.elapsedMs;
    return "listening";
  }

  kill(): Promise<void> {
    return this.#program.kill();
  }

  endForGood(): Promise<void> {
    return this.#program.endForGood();
  }

  stop(): Promise<void> {
    return this.#program.stop(STOP_LIMIT_MS);
  }

  release(): void {
    this.#program.release();
  }

  tail(): string[] {
    return this.#program.tail();
  }
}

/** Returns the address of the log line `{"msg":"listening","address":"http://127.0.0.1:PORT"}`. */
export function listeningAddress(log: string): string | undefined {
  for (const line of log.split("\n")) {
    if (!line.includes('"listening"')) continue;
    const entry = parseLine(line);
    if (entry?.msg === "listening" && typeof entry.address === "string") return entry.address;
  }
  return undefined;
}

/** Reads a line of the log. Undefined: the line is not complete, or is no JSON object. */
function parseLine(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
