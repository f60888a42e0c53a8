import type { Command } from "../../src/cli/command.ts";
import { runCommand } from "../../src/cli/run.ts";

/** Runs a command as a program of its own, which a signal ends. */
export async function runProgram(command: Command): Promise<void> {
  process.exitCode = await runCommand([{ name: command.name, load: async () => command }], [command.name, ...process.argv.slice(2)], {
    out: (text) => process.stdout.write(`${text}\n`),
    err: (text) => process.stderr.write(`${text}\n`),
    signal: new AbortController().signal,
  });
}
