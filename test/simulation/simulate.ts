import { checkAlways, checkAtTheEnd } from "./invariants.ts";
import type { Mutation } from "./mutation.ts";
import { BrokenPromise, Platform } from "./platform.ts";
import { STORMY, World } from "./world.ts";

const SHIFTS = 2;
const DOCUMENTS_A_SHIFT = 8;
/** Virtual time between two looks at the invariants. */
const STEP_MS = 5_000;
/** No run needs more: every wait in it is bounded. */
const LONGEST_RUN_MS = 6 * 3_600_000;

export interface RunResult {
  seed: number;
  deaths: number;
  documents: number;
  /** Doubts that only a person could end. */
  byHand: number;
  /** The promise that was broken; undefined when all held. */
  broken?: string;
}

/** One whole run that a seed decides: storms, then calm; the invariants are looked at all the while. */
export async function simulate(seed: number, mutation?: Mutation): Promise<RunResult> {
  const world = await World.begin(seed, STORMY, mutation);
  const platform = new Platform(world);
  const result: RunResult = { seed, deaths: 0, documents: 0, byHand: 0 };
  try {
    await watch(world, platform, workDays(platform));
    world.heal();
    await world.clock.advance(120_000);
    await watch(world, platform, platform.finishEverything());
    result.byHand = await settleWhatIsLeft(world);
    await watch(world, platform, platform.finishEverything());
    await world.wait(checkAtTheEnd(world, platform));
  } catch (error) {
    if (!(error instanceof BrokenPromise)) throw error;
    result.broken = error.message;
  } finally {
    await world.store.close();
  }
  return { ...result, deaths: world.deaths, documents: platform.documents.length };
}

async function workDays(platform: Platform): Promise<void> {
  for (let shift = 1; shift <= SHIFTS; shift += 1) await platform.workShift(shift, DOCUMENTS_A_SHIFT);
}

/** Lets time pass until the work is done, and looks at the invariants after each step of it. */
async function watch(world: World, platform: Platform, work: Promise<void>): Promise<void> {
  let passedMs = 0;
  const look = async () => {
    passedMs += STEP_MS;
    if (passedMs > LONGEST_RUN_MS) throw new BrokenPromise("the run never ends");
    await world.wait(checkAlways(world, platform));
  };
  await world.wait(work, look, STEP_MS);
}

/** The list of whoever runs the server: each doubt that is left is settled by what the register's paper says. */
async function settleWhatIsLeft(world: World): Promise<number> {
  const left = (await world.journal.unfinished()).filter(({ state }) => state === "in-doubt");
  for (const entry of left) await world.wait(world.settleByHand(entry));
  return left.length;
}
