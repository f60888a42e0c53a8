import type { CommandIo } from "../../../src/cli/command.ts";
import { systemClock } from "../../../src/kernel/clock.ts";
import { runOnAllCores } from "../crew.ts";
import type { DeathPlan } from "../deaths.ts";
import { playLoyaltyMonth } from "./month.ts";
import type { LoyaltyMutation } from "./mutation.ts";
import { addLoyalty, emptyLoyaltyTally, type LoyaltyTally } from "./range.ts";
import type { LoyaltyJob } from "./simulate.ts";

export interface LoyaltyChoice {
  seed: number;
  seeds: number;
  /** Runs until the processes have died so often. It replaces the number of seeds. */
  crashPoints?: number;
  mutation?: LoyaltyMutation;
  at?: { await: number; fate: "die-before" | "die-after" };
}

const CREW = { worker: new URL("./worker.ts", import.meta.url), empty: emptyLoyaltyTally, add: addLoyalty };
const DAYS = 30;

/** Makes the runs of loyalty, prints each that broke a promise, and ends with 1 when there is one. */
export async function simulateLoyaltyParts(choice: LoyaltyChoice, io: CommandIo): Promise<number> {
  const goal = choice.crashPoints ?? Number.POSITIVE_INFINITY;
  const startedMs = systemClock.monotonicMs();
  let shown = 0;
  const show = ({ broken }: LoyaltyTally) => {
    for (const { job, why } of broken.slice(shown)) io.out(`loyalty seed ${job.seed}: ${why}\n  npm run simulate -- ${optionsOf(job)}`);
    shown = broken.length;
  };
  const tally = await runOnAllCores(CREW, jobs(choice), ({ crashPoints }) => crashPoints >= goal, show);
  io.out(summaryOf(tally, (systemClock.monotonicMs() - startedMs) / 1000));
  return tally.broken.length === 0 ? 0 : 1;
}

/** Plays a month of so many receipts. Prints the progress and the result, and ends with 1 when anything was wrong. */
export async function simulateLoyaltyMonth({ seed, receipts }: { seed: number; receipts: number }, { out }: CommandIo): Promise<number> {
  const startedMs = systemClock.monotonicMs();
  const { sales, returns, members, entries, deaths, broken } = await playLoyaltyMonth({ seed, receipts, days: DAYS }, out);
  const seconds = (systemClock.monotonicMs() - startedMs) / 1000;
  out(`seed ${seed}: ${sales} sales and ${returns} returns of ${members} members in ${DAYS} days, ${entries} entries`);
  out(`${deaths} deaths of a process, ${seconds.toFixed(0)} s`);
  out(broken ?? "every account equals the recount, verify was silent, and the altered row was named");
  return broken === undefined ? 0 : 1;
}

function* jobs({ seed: first, seeds, crashPoints, mutation, at }: LoyaltyChoice): Generator<LoyaltyJob> {
  const count = at !== undefined ? 1 : crashPoints === undefined ? seeds : Number.POSITIVE_INFINITY;
  const deaths: DeathPlan | undefined = at === undefined ? undefined : { kind: "at", ...at };
  for (let seed = first; seed < first + count; seed += 1)
    yield { seed, ...(mutation === undefined ? {} : { mutation }), ...(deaths === undefined ? {} : { deaths }) };
}

/** The options that make the same run again. */
function optionsOf({ seed, mutation, deaths }: LoyaltyJob): string {
  const at = deaths?.kind === "at" ? ` --at ${deaths.await}${deaths.fate === "die-after" ? " --after" : ""}` : "";
  return `--part loyalty --seeds 1 --seed ${seed}${mutation === undefined ? "" : ` --without ${mutation}`}${at}`;
}

function summaryOf({ runs, crashPoints, awaits, sales, returns, places, broken }: LoyaltyTally, seconds: number): string {
  return [
    `${runs} runs of loyalty, ${awaits} awaits and statements of the processes, ${sales} sales, ${returns} returns`,
    `${crashPoints} crash points at ${places.size} different places, ${(crashPoints / seconds).toFixed(0)} a second, ${seconds.toFixed(0)} s`,
    broken.length === 0 ? "every promise was kept" : `${broken.length} runs broke a promise`,
  ].join("\n");
}
