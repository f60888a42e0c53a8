import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Clock } from "../../kernel/clock.ts";
import { makeFolder } from "../../kernel/folder.ts";
import { ChildProgram } from "./child-program.ts";

const MAIN = fileURLToPath(new URL("../../main.ts", import.meta.url));
/** As `npm start` has them. */
const NODE_OPTIONS = ["--max-semi-space-size=8"];
/** A graceful stop finishes what is at the device. */
const STOP_LIMIT_MS = 20_000;

interface ServerProcessOptions {
  dataDir: string;
  /** The whole environment of the child but for DATA_DIR: nothing is inherited, so that the run is the same everywhere. */
  environment: Record<string, string>;
  clock: Clock;
  /** The server is to outlive us. */
  detached: boolean;
}

/** The real server as a child process; its log and its standard error go to files in the data folder. */
export class ServerProcess {
  readonly dataDir: string;
  readonly #program: ChildProgram;
  #base = "";
  #startedMs = 0;

  constructor({ dataDir, environment, clock, detached }: ServerProcessOptions) {
    this.dataDir = resolve(dataDir);
    makeFolder(this.dataDir);
    this.#program = new ChildProgram({
      name: "the server",
      outFile: join(this.dataDir, "demo-server.log"),
      errorFile: join(this.dataDir, "demo-server.err"),
      // A `.env` of ours is not read there.
      cwd: this.dataDir,
      env: { ...environment, DATA_DIR: this.dataDir },
      clock,
      detached,
    });
  }

  get pid(): number {
    return this.#program.pid;
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
    return this.#program.alive;
  }

  /** Starts the server and waits until it listens; `killAfterMs` kills it on the way, wherever it is then. */
  async start(killAfterMs?: number): Promise<"listening" | "killed"> {
    const started = await this.#program.start([...NODE_OPTIONS, MAIN], listeningAddress, killAfterMs);
    if (started.kind === "killed") return "killed";
    this.#base = started.value;
    this.#startedMs = started.elapsedMs;
    return "listening";
  }

  /** kill -9, and waits until the process is gone. */
  kill(): Promise<void> {
    return this.#program.kill();
  }

  /** The same, and it is never started again. */
  endForGood(): Promise<void> {
    return this.#program.endForGood();
  }

  /** Asks the server to finish; a Failure when it does not, or not with exit code 0. */
  stop(): Promise<void> {
    return this.#program.stop(STOP_LIMIT_MS);
  }

  /** Lets the server run on after us. */
  release(): void {
    this.#program.release();
  }

  /** The last lines of what it said, for whoever looks for the reason. */
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
