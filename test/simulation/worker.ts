import { parentPort } from "node:worker_threads";
import { type Job, runAll } from "./range.ts";

/** A thread of `run.ts`: makes the runs that it is given and tells what they came to. */
parentPort?.on("message", (jobs: Job[]) => {
  runAll(jobs).then(
    (tally) => parentPort?.postMessage({ kind: "tally", tally }),
    (error: unknown) =>
      parentPort?.postMessage({ kind: "failed", error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
});
