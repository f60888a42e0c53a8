import { run } from "./app/lifecycle.ts";
import { visible } from "./kernel/visible.ts";

await run({
  onStop: (callback) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => callback(signal));
  },
  onCrash: (callback) => {
    process.on("uncaughtException", callback);
    process.on("unhandledRejection", callback);
  },
  complain: (line) => process.stderr.write(`${visible(line)}\n`),
  exit: (code) => process.exit(code),
});
