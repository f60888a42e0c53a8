import { readArguments } from "../../src/cli/arguments.ts";
import { type Command, type CommandIo, UsageError } from "../../src/cli/command.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { type ClusterChoice, clusterMutationNamed, simulateCluster } from "./cluster/command.ts";
import { CLUSTER_MUTATIONS } from "./cluster/play.ts";
import { runOnAllCores } from "./crew.ts";
import { AGENT_MUTATIONS } from "./devices/agent-mutation.ts";
import { deathAt, deathsAt, optionsOf, undisturbed } from "./every-await.ts";
import { playFleet } from "./fleet/command.ts";
import { type LoyaltyChoice, simulateLoyaltyMonth, simulateLoyaltyParts } from "./loyalty/command.ts";
import { LOYALTY_MUTATIONS } from "./loyalty/mutation.ts";
import { MUTATIONS } from "./mutation.ts";
import { type PaymentChoice, simulatePaymentParts } from "./payment/command.ts";
import { playMonths } from "./payment/months.ts";
import { PAYMENT_MUTATIONS } from "./payment/mutation.ts";
import { playProcesses } from "./processes/run-processes.ts";
import { add, emptyTally, type Job, runAll, type Tally } from "./range.ts";
import type { WorldKind } from "./world.ts";

const USAGE = `Usage: npm run simulate -- [options]

Whole runs of the server with virtual time and chance from a seed

  --part NAME         fiscal, agent (the register stands behind a shop's agent), payment or loyalty; without it these four, unless
                      another option belongs to one part; or cluster, three processes on PostgreSQL, whose --without is one of
                      ${CLUSTER_MUTATIONS.join(", ")}
  --seeds N           so many runs (default 100)
  --seed FIRST        from this one (default 1); an even seed drives the byte-level device, an odd one the emulator
  --crash-points N    instead of --seeds: until the server has died so often
  --every-await       one short run of the seed again and again, dying at its first await, its second, …; with
                      --seeds N that of N seeds
  --at N [--after]    one such run: dies at await N, before or after it
  --world KIND        emulator or shtrih-m for every seed
  --restored          an older copy of the database is restored in every run, not in every third
  --without SAFEGUARD one of ${MUTATIONS.join(", ")}: a broken promise is then the rule
                      for --part agent one of ${AGENT_MUTATIONS.join(", ")}
                      for --part payment one of ${PAYMENT_MUTATIONS.join(", ")}
                      for --part loyalty one of ${LOYALTY_MUTATIONS.join(", ")}
  --processes N       instead of all that: N operations at the real server and device, two processes killed with -9
  --month             instead of all that: a month of QR payments of one shop at each fake bank, which must reconcile
                      to zero; --seed decides it. Takes about twenty minutes
  --part loyalty --month [--receipts N]
                      a month of N sales and returns (default 100000) on two processes that die: every account must equal
                      the slow recount, verify must be silent, and one altered row must be named
  --part cluster --minutes N [--update-from DIR] [--standby]
                      N minutes of two real servers behind HAProxy, each killed, paused, cut off from the database and updated
                      again and again; with DIR they begin with the version of that checkout and are updated to this one; with
                      --standby the database is lost in the middle, and its synchronous standby is promoted
  --help              this text

Prints every failing run with the command that makes it again, and ends with 1 when there is one.
`;
const MONTH_RECEIPTS = 100_000;
const WORLDS: readonly WorldKind[] = ["emulator", "shtrih-m"];

const PARTS = ["fiscal", "agent", "payment", "loyalty", "cluster"] as const;
/** The parts that run when none is named. They need no PostgreSQL. */
const USUAL_PARTS = ["fiscal", "agent", "payment", "loyalty"] as const;
type Part = (typeof PARTS)[number];
/** The safeguards that can be switched off in each part. */
const SAFEGUARDS: Readonly<Record<Part, readonly string[]>> = {
  fiscal: MUTATIONS,
  agent: AGENT_MUTATIONS,
  payment: PAYMENT_MUTATIONS,
  loyalty: LOYALTY_MUTATIONS,
  cluster: CLUSTER_MUTATIONS,
};
/** The options that ask for the fiscal part when no part is named. */
const OF_FISCAL = ["every-await", "world", "restored", "processes", "at", "crash-points"] as const;
/** Those of them that are allowed with every part. */
const OF_ALL = ["at", "crash-points"] as const;
/** The options of the agents' part beside the common ones. */
const OF_AGENT = ["every-await", "restored"] as const;

const CREW = { worker: new URL("./worker.ts", import.meta.url), empty: emptyTally, add };

const OPTIONS = {
  part: { type: "string" },
  seeds: { type: "string", default: "100" },
  seed: { type: "string", default: "1" },
  "crash-points": { type: "string" },
  "every-await": { type: "boolean", default: false },
  at: { type: "string" },
  after: { type: "boolean", default: false },
  world: { type: "string" },
  restored: { type: "boolean", default: false },
  without: { type: "string" },
  processes: { type: "string" },
  month: { type: "boolean", default: false },
  receipts: { type: "string" },
  minutes: { type: "string" },
  "update-from": { type: "string" },
  standby: { type: "boolean", default: false },
} as const;

export const simulateCommand: Command = {
  name: "simulate",
  summary: "whole runs of the server with virtual time and chance from a seed",
  usage: USAGE,
  async run(args, io) {
    const values = readOptions(args);
    if (values.processes !== undefined) return playProcesses(Number(values.processes), Number(values.seed));
    if (values.minutes !== undefined) return playFleet(fleetChoice(values, values.minutes), io);
    if (values.month && values.part === "loyalty") {
      return simulateLoyaltyMonth({ seed: Number(values.seed), receipts: Number(values.receipts ?? MONTH_RECEIPTS) }, io);
    }
    if (values.month) return playMonths(Number(values.seed), io);
    const parts = partsOf(values);
    const ends: number[] = [];
    if (parts.includes("fiscal")) ends.push(await simulate(values, io));
    if (parts.includes("agent")) ends.push(await simulate({ ...values, part: "agent" }, io));
    if (parts.includes("payment")) ends.push(await simulatePaymentParts(paymentChoice(values), io));
    if (parts.includes("loyalty")) ends.push(await simulateLoyaltyParts(loyaltyChoice(values), io));
    if (parts.includes("cluster")) ends.push(await simulateCluster(clusterChoice(values), io));
    return Math.max(...ends);
  },
};

type Values = ReturnType<typeof readOptions>;

/** Throws a `UsageError` with one line that names the wrong option. */
function readOptions(args: string[]) {
  const read = readArguments({ args, options: OPTIONS }).values;
  for (const name of ["seeds", "seed", "crash-points", "at", "processes", "receipts", "minutes"] as const) {
    const text = read[name];
    // A number of 0 would run nothing, and a run of nothing keeps every promise.
    if (text !== undefined && !/^0*[1-9]\d{0,14}$/.test(text)) throw new UsageError(`--${name} takes a whole number from 1, not "${text}"`);
  }
  if (read.world !== undefined && !WORLDS.some((known) => known === read.world)) {
    throw new UsageError(`--world is ${WORLDS.join(" or ")}, not "${read.world}"`);
  }
  const part = PARTS.find((known) => known === (read.part ?? "fiscal"));
  if (part === undefined) throw new UsageError(`--part is ${PARTS.join(" or ")}, not "${read.part}"`);
  const safeguards = SAFEGUARDS[part];
  if (read.without !== undefined && !safeguards.includes(read.without))
    throw new UsageError(`--without is one of ${safeguards.join(", ")}, not "${read.without}"`);
  const foreign = OF_FISCAL.find(
    (name) =>
      part !== "fiscal" &&
      !(part === "agent" && OF_AGENT.some((known) => known === name)) &&
      !OF_ALL.some((known) => known === name) &&
      isAsked(read[name]),
  );
  if (foreign !== undefined) throw new UsageError(`--${foreign} belongs to --part fiscal`);
  if (read.receipts !== undefined && !(read.month && part === "loyalty"))
    throw new UsageError("--receipts belongs to --part loyalty --month");
  const ofFleet = read.minutes !== undefined || read["update-from"] !== undefined || read.standby;
  if (ofFleet && (part !== "cluster" || read.minutes === undefined))
    throw new UsageError("--minutes belongs to --part cluster, and --update-from and --standby to --minutes");
  if (read.after && read.at === undefined) throw new UsageError("--after is about the await of --at, which is missing");
  return read;
}

function isAsked(value: string | boolean | undefined): boolean {
  return value !== undefined && value !== false;
}

/** The named part. Without a name: the fiscal part when an option belongs to it, otherwise the usual parts. */
function partsOf(values: Values): readonly string[] {
  if (values.part !== undefined) return [values.part];
  return values.without !== undefined || OF_FISCAL.some((name) => isAsked(values[name])) ? ["fiscal"] : USUAL_PARTS;
}

function paymentChoice(values: Values): PaymentChoice {
  const mutation = PAYMENT_MUTATIONS.find((known) => known === values.without);
  return { ...runsOf(values), ...(mutation === undefined ? {} : { mutation }) };
}

function clusterChoice(values: Values): ClusterChoice {
  const mutation = clusterMutationNamed(values.without);
  return { seed: Number(values.seed), seeds: Number(values.seeds), ...(mutation === undefined ? {} : { mutation }) };
}

function fleetChoice(values: Values, minutes: string) {
  const updateFrom = values["update-from"];
  return {
    minutes: Number(minutes),
    seed: Number(values.seed),
    standby: values.standby,
    ...(updateFrom === undefined ? {} : { updateFrom }),
  };
}

function loyaltyChoice(values: Values): LoyaltyChoice {
  const mutation = LOYALTY_MUTATIONS.find((known) => known === values.without);
  return { ...runsOf(values), ...(mutation === undefined ? {} : { mutation }) };
}

/** The runs of a part that has neither worlds nor sweeps. */
function runsOf(values: Values): Omit<PaymentChoice & LoyaltyChoice, "mutation"> {
  const crashPoints = values["crash-points"];
  return {
    seed: Number(values.seed),
    seeds: Number(values.seeds),
    ...(crashPoints === undefined ? {} : { crashPoints: Number(crashPoints) }),
    ...(values.at === undefined ? {} : { at: { await: Number(values.at), fate: values.after ? "die-after" : "die-before" } }),
  };
}

async function simulate(values: Values, io: CommandIo): Promise<number> {
  const goal = values["crash-points"] === undefined ? Number.POSITIVE_INFINITY : Number(values["crash-points"]);
  const startedMs = systemClock.monotonicMs();
  let shown = 0;
  const show = (tally: Tally) => {
    for (; shown < tally.broken.length; shown += 1) {
      const { job, why } = tally.broken[shown] ?? { job: { seed: 0 }, why: "" };
      io.out(`seed ${job.seed}: ${why}\n  npm run simulate -- ${optionsOf(job)}`);
    }
  };
  const tally = await runOnAllCores(CREW, await jobs(values, goal), ({ crashPoints }) => crashPoints >= goal, show);
  const seconds = (systemClock.monotonicMs() - startedMs) / 1000;
  io.out(summaryOf(tally, seconds));
  return tally.broken.length === 0 ? 0 : 1;
}

/** The runs that the options ask for. */
async function jobs(values: Values, goal: number): Promise<Iterator<Job>> {
  const first = Number(values.seed);
  const count = Number(values.seeds);
  if (values.at !== undefined)
    return [chosen(values, deathAt(first, Number(values.at), values.after ? "die-after" : "die-before"))].values();
  if (!values["every-await"]) return seeds(values, first, Number.isFinite(goal) ? Number.POSITIVE_INFINITY : count);
  return sweeps(values, first, count, await awaitsOf(values, first, count));
}

/** The number of awaits in the short run of each seed. */
async function awaitsOf(values: Values, first: number, count: number): Promise<number[]> {
  const awaits: number[] = [];
  for (let seed = first; seed < first + count; seed += 1) awaits.push((await runAll([chosen(values, undisturbed(seed))])).awaits);
  return awaits;
}

function* sweeps(values: Values, first: number, count: number, awaits: readonly number[]): Generator<Job> {
  for (let at = 0; at < count; at += 1) for (const job of deathsAt(first + at, awaits[at] ?? 0)) yield chosen(values, job);
}

function* seeds(values: Values, first: number, count: number): Generator<Job> {
  for (let seed = first; seed < first + count; seed += 1) yield chosen(values, { seed });
}

/** The run with the world, the restored copies and the missing safeguard that the options name. */
function chosen(values: Values, job: Job): Job {
  const kind = values.part === "agent" ? "agent" : WORLDS.find((known) => known === values.world);
  const mutation = [...MUTATIONS, ...AGENT_MUTATIONS].find((known) => known === values.without);
  const asked = { ...job, ...(kind === undefined ? {} : { kind }), ...(mutation === undefined ? {} : { mutation }) };
  return values.restored ? { ...asked, restores: true } : asked;
}

function summaryOf({ runs, crashPoints, awaits, documents, byHand, places, broken }: Tally, seconds: number): string {
  return [
    `${runs} runs, ${awaits} awaits of the server, ${documents} documents in the drives, ${byHand} doubts settled by hand`,
    `${crashPoints} crash points at ${places.size} different places, ${(crashPoints / seconds).toFixed(0)} a second, ${seconds.toFixed(0)} s`,
    broken.length === 0 ? "every promise was kept" : `${broken.length} runs broke a promise`,
  ].join("\n");
}
