import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { add, emptyTally, type Job, type Tally } from "./range.ts";

/** Runs that a thread gets at once: few enough that all threads end together. */
const BATCH = 10;

type Told = { kind: "tally"; tally: Tally } | { kind: "failed"; error: string };

/**
 * Makes runs on as many threads as the machine has cores, taking jobs until there are no more or `enough`
 * says so. Rejects when a run ends in a way that no promise covers: a fault of the simulation.
 */
export async function runOnAllCores(jobs: Iterator<Job>, enough: (tally: Tally) => boolean, watch: (tally: Tally) => void): Promise<Tally> {
  const total = emptyTally();
  const work = async () => {
    const worker = new Worker(new URL("./worker.ts", import.meta.url));
    try {
      for (let batch = take(jobs); batch.length > 0 && !enough(total); batch = take(jobs)) {
        add(total, await done(worker, batch));
        watch(total);
      }
    } finally {
      await worker.terminate();
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return total;
}

function take(jobs: Iterator<Job>): Job[] {
  const batch: Job[] = [];
  while (batch.length < BATCH) {
    const next = jobs.next();
    if (next.done === true) break;
    batch.push(next.value);
  }
  return batch;
}

function done(worker: Worker, batch: Job[]): Promise<Tally> {
  return new Promise((resolve, reject) => {
    const seeds = batch.map(({ seed }) => seed).join(", ");
    const end = (act: () => void) => {
      worker.off("message", told).off("error", failed).off("exit", ended);
      act();
    };
    const told = (heard: Told) =>
      end(() => (heard.kind === "tally" ? resolve(heard.tally) : reject(new Error(`among seeds ${seeds}: ${heard.error}`))));
    const failed = (error: unknown) => end(() => reject(new Error(`among seeds ${seeds}`, { cause: error })));
    const ended = (code: number) => end(() => reject(new Error(`a thread ended with ${code} among seeds ${seeds}`)));
    worker.on("message", told).on("error", failed).on("exit", ended);
    worker.postMessage(batch);
  });
}
