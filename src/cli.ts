import { COMMANDS } from "./cli/commands.ts";
import { runCommand } from "./cli/run.ts";

const stop = new AbortController();
for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => stop.abort());

process.exitCode = await runCommand(COMMANDS, process.argv.slice(2), {
  out: (text) => process.stdout.write(`${text}\n`),
  err: (text) => process.stderr.write(`${text}\n`),
  signal: stop.signal,
});
