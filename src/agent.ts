import { enableCompileCache, flushCompileCache } from "node:module";
import { fileURLToPath } from "node:url";

// The compiled sources are kept beside the packages. A start then needs half the time, and some 15 MB less for as long as the agent runs.
// Without the right to write there nothing is kept.
enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/node-compile", import.meta.url)));
const { runAgentCommand } = await import("./agent/command-line.ts");
const { AGENT_COMMANDS } = await import("./agent/commands/list.ts");
flushCompileCache();

/** Exit codes as a shell reports them: 128 plus the number of the signal. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

const stop = new AbortController();
const waits = process.argv[2] === "run";
for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.on(signal, () => {
    if (stop.signal.aborted || !waits) process.exit(EXIT_CODES[signal]);
    stop.abort();
  });
}
// The reader of the output may end early (`| head`). The agent works on.
process.stdout.on("error", () => {});
process.stderr.on("error", () => {});

process.exitCode = await runAgentCommand(AGENT_COMMANDS, process.argv.slice(2), {
  out: (text) => process.stdout.write(`${text}\n`),
  err: (text) => process.stderr.write(`${text}\n`),
  signal: stop.signal,
});
// A connection that is still being made would keep the process alive.
process.stdout.write("", () => process.exit());
