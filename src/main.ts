import { run } from "./app/lifecycle.ts";

await run({
  onStop: (callback) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => callback(signal));
  },
  onCrash: (callback) => {
    process.on("uncaughtException", callback);
    process.on("unhandledRejection", callback);
  },
  complain: (line) => process.stderr.write(`${line}\n`),
  exit: (code) => process.exit(code),
});
