import { availableParallelism } from "node:os";
import { parentPort, Worker } from "node:worker_threads";

/** The runs that a thread gets at once. They are few, so that all threads end at about the same time. */
const BATCH = 10;

/** A part of the simulation as the threads play it. */
export interface Crew<Tally> {
  /** The program of a thread. It must call `serveCrew` at its end. */
  worker: URL;
  empty(): Tally;
  add(tally: Tally, more: Tally): void;
}

type Told<Tally> = { kind: "tally"; tally: Tally } | { kind: "failed"; error: string };

/**
 * Makes runs on as many threads as the machine has cores, until there are no more jobs or `enough` says so. Rejects
 * when a run throws anything but a broken promise, because this is a fault of the simulation.
 */
export async function runOnAllCores<Job extends { seed: number }, Tally>(
  crew: Crew<Tally>,
  jobs: Iterator<Job>,
  enough: (tally: Tally) => boolean,
  watch: (tally: Tally) => void,
): Promise<Tally> {
  const total = crew.empty();
  const work = async () => {
    const worker = new Worker(crew.worker);
    try {
      for (let batch = take(jobs); batch.length > 0 && !enough(total); batch = take(jobs)) {
        crew.add(total, await done<Job, Tally>(worker, batch));
        watch(total);
      }
    } finally {
      await worker.terminate();
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return total;
}

/** The program of a thread: makes the runs that the thread is given and sends their results. */
export function serveCrew<Job, Tally>(runAll: (jobs: Job[]) => Promise<Tally>): void {
  parentPort?.on("message", (jobs: Job[]) => {
    runAll(jobs).then(
      (tally) => parentPort?.postMessage({ kind: "tally", tally }),
      (error: unknown) =>
        parentPort?.postMessage({ kind: "failed", error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    );
  });
}

function take<Job>(jobs: Iterator<Job>): Job[] {
  const batch: Job[] = [];
  while (batch.length < BATCH) {
    const next = jobs.next();
    if (next.done === true) break;
    batch.push(next.value);
  }
  return batch;
}

function done<Job extends { seed: number }, Tally>(worker: Worker, batch: Job[]): Promise<Tally> {
  return new Promise((resolve, reject) => {
    const seeds = batch.map(({ seed }) => seed).join(", ");
    const end = (act: () => void) => {
      worker.off("message", told).off("error", failed).off("exit", ended);
      act();
    };
    const told = (heard: Told<Tally>) =>
      end(() => (heard.kind === "tally" ? resolve(heard.tally) : reject(new Error(`among seeds ${seeds}: ${heard.error}`))));
    const failed = (error: unknown) => end(() => reject(new Error(`among seeds ${seeds}`, { cause: error })));
    const ended = (code: number) => end(() => reject(new Error(`a thread ended with ${code} among seeds ${seeds}`)));
    worker.on("message", told).on("error", failed).on("exit", ended);
    worker.postMessage(batch);
  });
}
