import { enableCompileCache, flushCompileCache } from "node:module";
import { fileURLToPath } from "node:url";

// The compiled sources are cached beside the packages. This halves the start time and saves some 15 MB while the agent runs. Without write
// permission nothing is cached.
enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/node-compile", import.meta.url)));
const { runAgentCommand } = await import("./agent/command-line.ts");
const { AGENT_COMMANDS } = await import("./agent/commands/list.ts");
flushCompileCache();

/** Exit codes as in a shell: 128 plus the signal's number. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

const stop = new AbortController();
const waits = process.argv[2] === "run";
for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.on(signal, () => {
    if (stop.signal.aborted || !waits) process.exit(EXIT_CODES[signal]);
    stop.abort();
  });
}
// The reader of the output may end early (`| head`). The agent keeps running.
process.stdout.on("error", () => {});
process.stderr.on("error", () => {});

process.exitCode = await runAgentCommand(AGENT_COMMANDS, process.argv.slice(2), {
  out: (text) => process.stdout.write(`${text}\n`),
  err: (text) => process.stderr.write(`${text}\n`),
  signal: stop.signal,
});
// An unfinished connection attempt would keep the process alive.
process.stdout.write("", () => process.exit());
