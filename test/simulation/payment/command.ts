import type { CommandIo } from "../../../src/cli/command.ts";
import { systemClock } from "../../../src/kernel/clock.ts";
import { runOnAllCores } from "../crew.ts";
import type { DeathPlan } from "../deaths.ts";
import type { PaymentMutation } from "./mutation.ts";
import { addPayments, emptyPaymentTally, type PaymentJob, type PaymentTally } from "./range.ts";

export interface PaymentChoice {
  seed: number;
  seeds: number;
  /** Runs until the processes have died so often. It replaces the number of seeds. */
  crashPoints?: number;
  mutation?: PaymentMutation;
  at?: { await: number; fate: "die-before" | "die-after" };
}

const CREW = { worker: new URL("./worker.ts", import.meta.url), empty: emptyPaymentTally, add: addPayments };

/** Makes the runs of QR payments, prints each that broke a promise, and ends with 1 when there is one. */
export async function simulatePaymentParts(choice: PaymentChoice, io: CommandIo): Promise<number> {
  const goal = choice.crashPoints ?? Number.POSITIVE_INFINITY;
  const startedMs = systemClock.monotonicMs();
  let shown = 0;
  const show = ({ broken }: PaymentTally) => {
    for (const { job, why } of broken.slice(shown)) io.out(`payment seed ${job.seed}: ${why}\n  npm run simulate -- ${optionsOf(job)}`);
    shown = broken.length;
  };
  const tally = await runOnAllCores(CREW, jobs(choice), ({ crashPoints }) => crashPoints >= goal, show);
  io.out(summaryOf(tally, (systemClock.monotonicMs() - startedMs) / 1000));
  return tally.broken.length === 0 ? 0 : 1;
}

function* jobs({ seed: first, seeds, crashPoints, mutation, at }: PaymentChoice): Generator<PaymentJob> {
  const count = at !== undefined ? 1 : crashPoints === undefined ? seeds : Number.POSITIVE_INFINITY;
  const deaths: DeathPlan | undefined = at === undefined ? undefined : { kind: "at", ...at };
  for (let seed = first; seed < first + count; seed += 1)
    yield { seed, ...(mutation === undefined ? {} : { mutation }), ...(deaths === undefined ? {} : { deaths }) };
}

/** The options that make the same run again. */
function optionsOf({ seed, mutation, deaths }: PaymentJob): string {
  const at = deaths?.kind === "at" ? ` --at ${deaths.await}${deaths.fate === "die-after" ? " --after" : ""}` : "";
  return `--part payment --seeds 1 --seed ${seed}${mutation === undefined ? "" : ` --without ${mutation}`}${at}`;
}

function summaryOf({ runs, crashPoints, awaits, payments, done, returned, places, broken }: PaymentTally, seconds: number): string {
  return [
    `${runs} runs of QR payments, ${awaits} awaits of the processes, ${payments} payments, ${done} told DONE, ${returned} with money returned`,
    `${crashPoints} crash points at ${places.size} different places, ${(crashPoints / seconds).toFixed(0)} a second, ${seconds.toFixed(0)} s`,
    broken.length === 0 ? "every promise was kept" : `${broken.length} runs broke a promise`,
  ].join("\n");
}
