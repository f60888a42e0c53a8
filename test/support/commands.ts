import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const PROCESS = fileURLToPath(new URL("./commands-process.ts", import.meta.url));

/** The output of a command, and its exit code. */
export interface CommandSaid {
  code: number;
  /** Standard output and standard error together. */
  text: string;
}

/**
 * Runs commands of the command line, one after the other, in one program with a folder and an environment of its own. The program
 * ends with the test.
 */
export class Commands {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  #errors = "";

  constructor(cwd: string, env: Record<string, string>) {
    this.#child = spawn(process.execPath, [PROCESS], { cwd, env });
    this.#child.stderr.on("data", (chunk: Buffer) => (this.#errors += chunk.toString("utf8")));
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
    onTestFinished(() => void this.#child.kill());
  }

  async run(...args: string[]): Promise<CommandSaid> {
    this.#child.stdin.write(`${JSON.stringify(args)}\n`);
    const { done, value } = await this.#lines.next();
    if (done === true) throw new Error(`the program ended at ${args.join(" ")}: ${this.#errors}`);
    return JSON.parse(value);
  }

  /** Returns what the program itself has written to standard error since the last call. */
  takeErrors(): string {
    const errors = this.#errors;
    this.#errors = "";
    return errors;
  }
}
