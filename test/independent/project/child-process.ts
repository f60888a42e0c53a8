import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { COMPILE_CACHE } from "../../support/compile-cache.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
/** The time limit of a start. A loaded machine takes long to compile the program. */
const readyMs = 120_000;
const endMs = 20_000;

export type Line = Readonly<Record<string, unknown>>;

/** One program of the project. The tests know of it only what it prints. */
export class Program {
  readonly #child: ChildProcessByStdio<null, Readable, Readable>;
  readonly #said: string[] = [];
  readonly ready: Line;

  private constructor(child: ChildProcessByStdio<null, Readable, Readable>, said: string[], ready: Line) {
    this.#child = child;
    this.#said = said;
    this.ready = ready;
  }

  /** Returns at the first line of standard output that is JSON and that `isReady` accepts. */
  static async start(args: readonly string[], env: Record<string, string>, isReady: (line: Line) => boolean): Promise<Program> {
    const child = spawn(process.execPath, args, { cwd: root, env: { ...env, ...COMPILE_CACHE }, stdio: ["ignore", "pipe", "pipe"] });
    const said: string[] = [];
    child.stderr.on("data", (chunk: Buffer) => said.push(chunk.toString()));
    const lines = createInterface({ input: child.stdout });
    const ready = new Promise<Line>((resolve, reject) => {
      lines.on("line", (text) => {
        said.push(text);
        const line = parsed(text);
        if (line !== undefined && isReady(line)) resolve(line);
      });
      child.once("exit", (code) => reject(new Error(`${args.join(" ")} ended with ${code}: ${said.join("\n")}`)));
      AbortSignal.timeout(readyMs).onabort = () =>
        reject(new Error(`${args.join(" ")} was not ready in ${readyMs} ms: ${said.join("\n")}`));
    });
    try {
      return new Program(child, said, await ready);
    } catch (error) {
      child.kill("SIGKILL");
      throw error;
    }
  }

  get said(): string {
    return this.#said.join("\n");
  }

  /** Asks the program to end, and returns its exit code. Undefined: the program had to be killed. */
  async stop(): Promise<number | null | undefined> {
    const child = this.#child;
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
    const exit = once(child, "exit", { signal: AbortSignal.timeout(endMs) });
    child.kill("SIGTERM");
    try {
      await exit;
      return child.exitCode;
    } catch {
      child.kill("SIGKILL");
      return undefined;
    }
  }
}

const parsed = (text: string): Line | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
};
