import type { CommandIo } from "../../../src/cli/command.ts";
import { systemClock } from "../../../src/kernel/clock.ts";
import { openStore } from "../../../src/store/database.ts";
import { DATABASE_KINDS } from "../../support/databases.ts";
import { CLUSTER_MUTATIONS, type ClusterMutation, type ClusterRun, playCluster } from "./play.ts";
import { shadowed } from "./shared-database.ts";

export interface ClusterChoice {
  seed: number;
  seeds: number;
  mutation?: ClusterMutation;
}

/** How long troubles last in a run, in the time of the simulation. */
const LASTING_MS = 60_000;

/** `npm run simulate -- --part cluster`: runs on a schema of its own. Returns the exit code. */
export async function simulateCluster({ seed, seeds, mutation }: ClusterChoice, io: CommandIo): Promise<number> {
  const postgres = DATABASE_KINDS.find(({ kind }) => kind === "postgres");
  if (postgres === undefined || postgres.missing !== undefined) {
    io.err(`--part cluster needs PostgreSQL: ${postgres?.missing ?? "there is none"}`);
    return 1;
  }
  const startedMs = systemClock.monotonicMs();
  const database = await postgres.make();
  await (await database.open()).migrate();
  const store = await openStore(shadowed(database.options));
  const runs: ClusterRun[] = [];
  try {
    for (let next = seed; next < seed + seeds && !io.signal.aborted; next += 1) {
      const run = await playCluster({ store, seed: next, lastingMs: LASTING_MS, ...(mutation === undefined ? {} : { mutation }) });
      runs.push(run);
      const without = mutation === undefined ? "" : ` --without ${mutation}`;
      if (run.broken !== undefined)
        io.out(`seed ${next}: ${run.broken}\n  npm run simulate -- --part cluster --seed ${next} --seeds 1${without}`);
    }
  } finally {
    await store.close();
    await database.drop();
  }
  for (const line of summaryOf(runs, (systemClock.monotonicMs() - startedMs) / 1_000)) io.out(line);
  return runs.some(({ broken }) => broken !== undefined) ? 1 : 0;
}

function summaryOf(runs: readonly ClusterRun[], seconds: number): string[] {
  const sum = (name: "documents" | "commands" | "changes" | "lost" | "switches") => runs.reduce((total, run) => total + run[name], 0);
  const broken = runs.filter((run) => run.broken !== undefined).length;
  return [
    `${runs.length} runs of three processes, ${sum("documents")} documents by ${sum("commands")} commands, ${seconds.toFixed(0)} s`,
    `${sum("changes")} changes of hands, ${sum("lost")} losses of all leases, ${sum("switches")} switches of the database`,
    broken === 0 ? "every promise was kept" : `${broken} runs broke a promise`,
  ];
}

export function clusterMutationNamed(text: string | undefined): ClusterMutation | undefined {
  return CLUSTER_MUTATIONS.find((known) => known === text);
}
