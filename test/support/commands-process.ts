import { createInterface } from "node:readline";
import { COMMANDS } from "../../src/cli/commands.ts";
import { runCommand } from "../../src/cli/run.ts";

/**
 * Runs one command after the other, as `src/cli.ts` runs one. Each line of standard input is a JSON list with the words of a command. The
 * answer is a JSON line with the exit code and the output. Starting a program for each of many commands would take a minute.
 */
for await (const line of createInterface({ input: process.stdin })) {
  const said: string[] = [];
  const say = (text: string) => void said.push(text);
  const code = await runCommand(COMMANDS, JSON.parse(line), { out: say, err: say, signal: new AbortController().signal });
  process.stdout.write(`${JSON.stringify({ code, text: said.join("\n") })}\n`);
}
