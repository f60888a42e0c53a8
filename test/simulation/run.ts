import { parseArgs } from "node:util";
import { systemClock } from "../../src/kernel/clock.ts";
import { messageOf } from "../../src/kernel/failure.ts";
import { runOnAllCores } from "./crew.ts";
import { deathAt, deathsAt, optionsOf, undisturbed } from "./every-await.ts";
import { MUTATIONS } from "./mutation.ts";
import { playProcesses } from "./processes/run-processes.ts";
import { type Job, runAll, type Tally } from "./range.ts";
import type { WorldKind } from "./world.ts";

const HELP = `npm run simulate -- [options]: whole runs of the server with virtual time and chance from a seed

  --seeds N           so many runs (default 100)
  --seed FIRST        from this one (default 1); an even seed drives the byte-level device, an odd one the emulator
  --crash-points N    instead of --seeds: until the server has died so often
  --every-await       one short run of the seed again and again, dying at its first await, its second, …; with
                      --seeds N that of N seeds
  --at N [--after]    one such run: dies at await N, before or after it
  --world KIND        emulator or shtrih-m for every seed
  --without SAFEGUARD one of ${MUTATIONS.join(", ")}: a broken promise is then the rule
  --processes N       instead of all that: N operations at the real server and device, two processes killed with -9

Prints every failing run with the command that makes it again, and ends with 1 when there is one.
`;
const WORLDS: readonly WorldKind[] = ["emulator", "shtrih-m"];

const OPTIONS = {
  seeds: { type: "string", default: "100" },
  seed: { type: "string", default: "1" },
  "crash-points": { type: "string" },
  "every-await": { type: "boolean", default: false },
  at: { type: "string" },
  after: { type: "boolean", default: false },
  world: { type: "string" },
  without: { type: "string" },
  processes: { type: "string" },
  help: { type: "boolean", default: false },
} as const;

const values = readOptions();
if (values.help) process.stdout.write(HELP);
else if (values.processes !== undefined) process.exitCode = await playProcesses(Number(values.processes), Number(values.seed));
else process.exitCode = await main();

/** A wrong option ends the program with the line that names it. */
function readOptions() {
  try {
    const read = parseArgs({ options: OPTIONS }).values;
    for (const name of ["seeds", "seed", "crash-points", "at", "processes"] as const) {
      const text = read[name];
      // Nothing that was run keeps every promise.
      if (text !== undefined && !/^0*[1-9]\d{0,14}$/.test(text)) throw new Error(`--${name} takes a whole number from 1, not ${text}`);
    }
    if (read.world !== undefined && !WORLDS.some((known) => known === read.world)) throw new Error(`--world is ${WORLDS.join(" or ")}`);
    if (read.without !== undefined && !MUTATIONS.some((known) => known === read.without)) {
      throw new Error(`--without is one of ${MUTATIONS.join(", ")}`);
    }
    return read;
  } catch (error) {
    process.stderr.write(`simulate: ${messageOf(error)}\n`);
    process.exit(2);
  }
}

async function main(): Promise<number> {
  const goal = values["crash-points"] === undefined ? Number.POSITIVE_INFINITY : Number(values["crash-points"]);
  const startedMs = systemClock.monotonicMs();
  let shown = 0;
  const show = (tally: Tally) => {
    for (; shown < tally.broken.length; shown += 1) {
      const { job, why } = tally.broken[shown] ?? { job: { seed: 0 }, why: "" };
      process.stdout.write(`seed ${job.seed}: ${why}\n  npm run simulate -- ${optionsOf(job)}\n`);
    }
  };
  const tally = await runOnAllCores(await jobs(goal), ({ crashPoints }) => crashPoints >= goal, show);
  const seconds = (systemClock.monotonicMs() - startedMs) / 1000;
  process.stdout.write(`${summaryOf(tally, seconds)}\n`);
  return tally.broken.length === 0 ? 0 : 1;
}

/** The runs that the options ask for. */
async function jobs(goal: number): Promise<Iterator<Job>> {
  const first = Number(values.seed);
  const count = Number(values.seeds);
  if (values.at !== undefined) return [chosen(deathAt(first, Number(values.at), values.after ? "die-after" : "die-before"))].values();
  if (!values["every-await"]) return seeds(first, Number.isFinite(goal) ? Number.POSITIVE_INFINITY : count);
  return sweeps(first, count, await awaitsOf(first, count));
}

/** How many awaits the short run of each seed has. */
async function awaitsOf(first: number, count: number): Promise<number[]> {
  const awaits: number[] = [];
  for (let seed = first; seed < first + count; seed += 1) awaits.push((await runAll([chosen(undisturbed(seed))])).awaits);
  return awaits;
}

function* sweeps(first: number, count: number, awaits: readonly number[]): Generator<Job> {
  for (let at = 0; at < count; at += 1) for (const job of deathsAt(first + at, awaits[at] ?? 0)) yield chosen(job);
}

function* seeds(first: number, count: number): Generator<Job> {
  for (let seed = first; seed < first + count; seed += 1) yield chosen({ seed });
}

/** The run in the world and without the safeguard that the options name. */
function chosen(job: Job): Job {
  const kind = WORLDS.find((known) => known === values.world);
  const mutation = MUTATIONS.find((known) => known === values.without);
  return { ...job, ...(kind === undefined ? {} : { kind }), ...(mutation === undefined ? {} : { mutation }) };
}

function summaryOf({ runs, crashPoints, awaits, documents, byHand, places, broken }: Tally, seconds: number): string {
  return [
    `${runs} runs, ${awaits} awaits of the server, ${documents} documents in the drives, ${byHand} doubts settled by hand`,
    `${crashPoints} crash points at ${places.size} different places, ${(crashPoints / seconds).toFixed(0)} a second, ${seconds.toFixed(0)} s`,
    broken.length === 0 ? "every promise was kept" : `${broken.length} runs broke a promise`,
  ].join("\n");
}
