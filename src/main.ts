import { runCommand } from "./cli/run.ts";
import { serverCommand } from "./cli/server.ts";
import { visible } from "./kernel/visible.ts";

const complain = (line: string) => process.stderr.write(`${visible(line)}\n`);

// The server's parts are loaded when it starts, so that a wrong argument is answered at once.
const command = serverCommand(async () => {
  const { run } = await import("./app/lifecycle.ts");
  await run({
    onStop: (callback) => {
      for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => callback(signal));
    },
    onCrash: (callback) => {
      process.on("uncaughtException", callback);
      process.on("unhandledRejection", callback);
    },
    complain,
    exit: (code) => process.exit(code),
  });
});

process.exitCode = await runCommand([{ name: command.name, load: async () => command }], [command.name, ...process.argv.slice(2)], {
  out: (text) => process.stdout.write(`${text}\n`),
  err: complain,
  signal: new AbortController().signal,
});
