import type { DeathPlan } from "./deaths.ts";
import type { Mutation } from "./mutation.ts";
import { ServerStorage } from "./server-storage.ts";
import { type RunResult, simulate } from "./simulate.ts";
import type { WorldKind } from "./world.ts";

/** One run to make. These values decide everything in it. */
export interface Job {
  seed: number;
  kind?: WorldKind;
  mutation?: Mutation;
  restores?: boolean;
  deaths?: DeathPlan;
  shifts?: number;
  documentsAShift?: number;
}

/** The results of several runs. */
export interface Tally {
  runs: number;
  crashPoints: number;
  awaits: number;
  documents: number;
  byHand: number;
  places: Set<string>;
  broken: { job: Job; why: string }[];
}

export function emptyTally(): Tally {
  return { runs: 0, crashPoints: 0, awaits: 0, documents: 0, byHand: 0, places: new Set(), broken: [] };
}

/** Makes the runs one after another on storage of their own. */
export async function runAll(jobs: readonly Job[]): Promise<Tally> {
  const storage = await ServerStorage.open();
  const tally = emptyTally();
  try {
    for (const job of jobs) count(tally, job, await simulate(storage, job));
    return tally;
  } finally {
    await storage.close();
  }
}

export function add(tally: Tally, more: Tally): void {
  tally.runs += more.runs;
  tally.crashPoints += more.crashPoints;
  tally.awaits += more.awaits;
  tally.documents += more.documents;
  tally.byHand += more.byHand;
  for (const place of more.places) tally.places.add(place);
  tally.broken.push(...more.broken);
}

function count(tally: Tally, job: Job, result: RunResult): void {
  tally.runs += 1;
  tally.crashPoints += result.deaths;
  tally.awaits += result.awaits;
  tally.documents += result.documents;
  tally.byHand += result.byHand;
  for (const place of result.places) tally.places.add(place);
  if (result.broken !== undefined) tally.broken.push({ job, why: result.broken });
}
