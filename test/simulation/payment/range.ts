import type { DeathPlan } from "../deaths.ts";
import type { PaymentMutation } from "./mutation.ts";
import { type PaymentRunResult, simulatePayments } from "./simulate.ts";
import { PaymentStorage } from "./storage.ts";

/** One run to make. These values decide everything in it. */
export interface PaymentJob {
  seed: number;
  mutation?: PaymentMutation;
  deaths?: DeathPlan;
  tills?: number;
  operations?: number;
}

/** The results of several runs. */
export interface PaymentTally {
  runs: number;
  crashPoints: number;
  awaits: number;
  payments: number;
  done: number;
  returned: number;
  places: Set<string>;
  broken: { job: PaymentJob; why: string }[];
}

export function emptyPaymentTally(): PaymentTally {
  return { runs: 0, crashPoints: 0, awaits: 0, payments: 0, done: 0, returned: 0, places: new Set(), broken: [] };
}

/** Makes the runs one after another on storage of their own. */
export async function runAllPayments(jobs: readonly PaymentJob[]): Promise<PaymentTally> {
  const storage = await PaymentStorage.open();
  const tally = emptyPaymentTally();
  try {
    for (const job of jobs) count(tally, job, await simulatePayments(storage, job));
    return tally;
  } finally {
    await storage.close();
  }
}

export function addPayments(tally: PaymentTally, more: PaymentTally): void {
  for (const name of ["runs", "crashPoints", "awaits", "payments", "done", "returned"] as const) tally[name] += more[name];
  for (const place of more.places) tally.places.add(place);
  tally.broken.push(...more.broken);
}

function count(tally: PaymentTally, job: PaymentJob, result: PaymentRunResult): void {
  const { deaths, awaits, payments, done, returned, places, broken } = result;
  const why = broken === undefined ? [] : [{ job, why: broken }];
  addPayments(tally, { runs: 1, crashPoints: deaths, awaits, payments, done, returned, places: new Set(places), broken: why });
}
