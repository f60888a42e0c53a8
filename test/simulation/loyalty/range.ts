import { type LoyaltyJob, type LoyaltyRunResult, simulateLoyalty } from "./simulate.ts";
import { LoyaltyStorage } from "./storage.ts";

/** The results of several runs. */
export interface LoyaltyTally {
  runs: number;
  crashPoints: number;
  awaits: number;
  sales: number;
  returns: number;
  places: Set<string>;
  broken: { job: LoyaltyJob; why: string }[];
}

export function emptyLoyaltyTally(): LoyaltyTally {
  return { runs: 0, crashPoints: 0, awaits: 0, sales: 0, returns: 0, places: new Set(), broken: [] };
}

/** Makes the runs one after another on storage of their own. */
export async function runAllLoyalty(jobs: readonly LoyaltyJob[]): Promise<LoyaltyTally> {
  const storage = await LoyaltyStorage.open();
  const tally = emptyLoyaltyTally();
  try {
    for (const job of jobs) count(tally, job, await simulateLoyalty(storage, job));
    return tally;
  } finally {
    await storage.close();
  }
}

export function addLoyalty(tally: LoyaltyTally, more: LoyaltyTally): void {
  for (const name of ["runs", "crashPoints", "awaits", "sales", "returns"] as const) tally[name] += more[name];
  for (const place of more.places) tally.places.add(place);
  tally.broken.push(...more.broken);
}

function count(tally: LoyaltyTally, job: LoyaltyJob, result: LoyaltyRunResult): void {
  const { deaths, awaits, sales, returns, places, broken } = result;
  const why = broken === undefined ? [] : [{ job, why: broken }];
  addLoyalty(tally, { runs: 1, crashPoints: deaths, awaits, sales, returns, places: new Set(places), broken: why });
}
