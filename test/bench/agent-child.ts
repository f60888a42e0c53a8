import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const AGENT = fileURLToPath(new URL("../../src/agent.ts", import.meta.url));

type Line = Record<string, unknown>;

/** A process of a measurement. It takes one command on each line, and prints one JSON object on each line. */
export class AgentChild {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  private constructor(child: ChildProcess, lines: AsyncIterator<string>) {
    this.#child = child;
    this.#lines = lines;
  }

  /** Starts a file of this folder. */
  static start(file: string, ...args: string[]): AgentChild {
    return AgentChild.#of([fileURLToPath(new URL(file, import.meta.url)), ...args]);
  }

  /** Starts the real program of the shop, and returns when the server has welcomed it. */
  static async startAgent(data: string): Promise<AgentChild> {
    const agent = AgentChild.#of([AGENT, "run", "--data", data, "--register", "main=emulator:main"]);
    await agent.line();
    return agent;
  }

  static #of(args: string[]): AgentChild {
    const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"], env: { LOG_LEVEL: "error" } });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    return new AgentChild(child, lines);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Returns the next line. Throws when the process has ended. */
  async line(): Promise<Line> {
    const { value, done } = await this.#lines.next();
    if (done === true) throw new Error(`${this.#child.spawnargs.join(" ")} has ended`);
    return JSON.parse(value) as Line;
  }

  /** Sends a command and returns the next line. */
  ask(command: string): Promise<Line> {
    this.#child.stdin?.write(`${command}\n`);
    return this.line();
  }

  async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await ended;
  }
}
