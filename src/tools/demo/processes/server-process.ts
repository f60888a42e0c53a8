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
  /** The whole environment of the child except DATA_DIR. Nothing is inherited, so that the run is the same everywhere. */
  environment: Record<string, string>;
  clock: Clock;
  /** True when the server outlives this process. */
  detached: boolean;
  /** The server's main file, for a run of another version of the project. Absent: the main file of this version. */
  main?: string;
}

/** The real server as a child process. Its log and standard error go to files in the data folder. */
export class ServerProcess {
  readonly dataDir: string;
  /** The environment of the server, without DATA_DIR. */
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
      // In this folder the server does not read the `.env` of the repository.
      cwd: this.dataDir,
      env: { ...environment, DATA_DIR: this.dataDir },
      clock,
      detached,
    });
  }

  get pid(): number {
    return this.#program.pid;
  }

  /** The address of the running server. It changes with each start. */
  get base(): string {
    return this.#base;
  }

  /** How long the last start took until the server listened. */
  get startedInMs(): number {
    return this.#startedMs;
  }

  /** Whether the server runs. False after it has ended, by a signal or by itself. */
  get alive(): boolean {
    return this.#program.alive;
  }

  /** Resolves when the server has ended. The text says how it ended: `exit code 1` or `signal SIGKILL`. */
  get ended(): Promise<string> {
    return this.#program.ended;
  }

  /** Starts the server and waits until it listens. `killAfterMs` kills it after this time, even during the start. */
  async start(killAfterMs?: number): Promise<"listening" | "killed"> {
    const started = await this.#program.start([...NODE_OPTIONS, this.#main], listeningAddress, killAfterMs);
    if (started.kind === "killed") return "killed";
    this.#base = started.value;
    this.#startedMs = started.elapsedMs;
    return "listening";
  }

  /** Kills the server with kill -9 and waits until its process is gone. */
  kill(): Promise<void> {
    return this.#program.kill();
  }

  /** Kills the server and prevents a later start. */
  endForGood(): Promise<void> {
    return this.#program.endForGood();
  }

  /** Asks the server to end. Throws a Failure when it does not end, or not with exit code 0. */
  stop(): Promise<void> {
    return this.#program.stop(STOP_LIMIT_MS);
  }

  /** Lets the server run on after this process. */
  release(): void {
    this.#program.release();
  }

  /** The last lines of its output, to find the reason of a failure. */
  tail(): string[] {
    return this.#program.tail();
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

/** Reads a line of the log. Undefined: the line is incomplete, or no JSON object. */
function parseLine(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
