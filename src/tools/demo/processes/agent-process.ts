import { execFile } from "node:child_process";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Clock, pause } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import { makeFolder } from "../../../kernel/folder.ts";
import { readyAgent, writtenCode } from "./agent-answer-schema.ts";
import { ChildProgram } from "./child-program.ts";

const AGENT = fileURLToPath(new URL("../../../agent.ts", import.meta.url));
const CLI = fileURLToPath(new URL("../../../cli.ts", import.meta.url));
/** The agent's name, if the options state none. The server's address for its register is then `agent:demo`. */
const OF_THE_DAY = "demo";
/** The time limit of one command. A command starts, opens the database and ends, which takes seconds on a busy machine. */
const COMMAND_LIMIT_MS = 120_000;
const STOP_LIMIT_MS = 20_000;
/** The longest wait for a connection. An agent pauses at most 30 s between two tries. */
const CONNECTED_LIMIT_MS = 90_000;
const LOOK_EVERY_MS = 50;

interface AgentOptions {
  /** The folder of the run, with a subfolder for the agent. */
  dataDir: string;
  name?: string;
  /** The register's address on the agent's side. */
  register: string;
  clock: Clock;
  detached: boolean;
}

interface AgentServer {
  base: string;
  dataDir: string;
  environment: Readonly<Record<string, string>>;
}

/** The shop's agent as a child process, with its register. */
export class AgentProcess {
  readonly #options: AgentOptions;
  readonly #name: string;
  readonly #folder: string;
  readonly #program: ChildProgram;

  constructor(options: AgentOptions) {
    const dataDir = resolve(options.dataDir);
    this.#options = options;
    this.#name = options.name ?? OF_THE_DAY;
    const folder = options.name === undefined ? "agent" : `agent-${options.name}`;
    this.#folder = join(dataDir, folder);
    makeFolder(this.#folder);
    this.#program = new ChildProgram({
      name: "the agent",
      outFile: join(dataDir, `demo-${folder}.out`),
      errorFile: join(dataDir, `demo-${folder}.err`),
      cwd: this.#folder,
      clock: options.clock,
      detached: options.detached,
    });
  }

  /** The register's address on the server's side. */
  get address(): string {
    return `agent:${this.#name}`;
  }

  get pid(): number {
    return this.#program.pid;
  }

  get alive(): boolean {
    return this.#program.alive;
  }

  /** Makes a code, as the server's operator does, then enrols the agent with it, as a person in the shop does. */
  async enrol(server: AgentServer, accountId: string): Promise<void> {
    const written = await command(CLI, ["agents", "enrol", this.#name, "--account", accountId, "--json"], {
      cwd: server.dataDir,
      env: { ...server.environment, DATA_DIR: server.dataDir, AGENTS_URL: `${server.base.replace(/^http/, "ws")}/agents` },
    });
    const { code, server: url } = writtenCode.parse(JSON.parse(written));
    await command(AGENT, ["enrol", "--server", url, "--code", code, "--data", this.#folder], { cwd: this.#folder, env: {} });
  }

  async start(): Promise<void> {
    const { register } = this.#options;
    await this.#program.start([AGENT, "run", "--data", this.#folder, "--register", `main=${register}`], welcomed);
  }

  /** Waits until the server counts one connected agent. No other agent may use this server. Throws a Failure after the time limit. */
  async connected(serverBase: string): Promise<void> {
    const { clock } = this.#options;
    const untilMs = clock.monotonicMs() + CONNECTED_LIMIT_MS;
    for (;;) {
      const text = await (await fetch(`${serverBase}/metrics`)).text();
      if (/^agents_connected 1$/m.test(text)) return;
      if (clock.monotonicMs() >= untilMs) throw new Failure("agent-away", "fault", `the agent did not connect in ${CONNECTED_LIMIT_MS} ms`);
      await pause(clock, LOOK_EVERY_MS);
    }
  }

  kill(): Promise<void> {
    return this.#program.kill();
  }

  stop(): Promise<void> {
    return this.#program.stop(STOP_LIMIT_MS);
  }

  endForGood(): Promise<void> {
    return this.#program.endForGood();
  }

  release(): void {
    this.#program.release();
  }

  tail(): string[] {
    return this.#program.tail();
  }
}

/** Runs one command and returns its standard output. Throws when the command fails or exceeds the time limit. */
async function command(program: string, args: readonly string[], place: { cwd: string; env: Record<string, string> }): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], { ...place, timeout: COMMAND_LIMIT_MS });
  return stdout;
}

/** Reads the line of standard output. Undefined: the line is not complete yet. */
function welcomed(output: string): true | undefined {
  const [line, rest] = output.split("\n", 2);
  if (line === undefined || rest === undefined) return undefined;
  readyAgent.parse(JSON.parse(line));
  return true;
}
