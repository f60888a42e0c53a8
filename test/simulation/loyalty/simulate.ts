import { createHash } from "node:crypto";
import { BrokenPromise } from "../broken-promise.ts";
import type { DeathPlan } from "../deaths.ts";
import { LoyaltyInvariants } from "./invariants.ts";
import type { LoyaltyMutation } from "./mutation.ts";
import { broken } from "./recount.ts";
import { EVERYTHING, Shop } from "./shop.ts";
import type { LoyaltyStorage } from "./storage.ts";
import { LoyaltyWorld } from "./world.ts";

/** One run to make. These values decide everything in it. */
export interface LoyaltyJob {
  seed: number;
  mutation?: LoyaltyMutation;
  deaths?: DeathPlan;
  tills?: number;
  operations?: number;
}

export interface LoyaltyRunResult {
  seed: number;
  deaths: number;
  awaits: number;
  places: string[];
  sales: number;
  returns: number;
  members: number;
  /** A digest of everything that is stored at the end, without values that are sealed with random bytes. */
  digest: string;
  broken?: string;
}

const FIRST_MEMBERS = 3;
/** Steps of the world between two looks at the invariants: two and a half minutes. */
const LOOKED_AT_EVERY = 600;
/** The longest storm. The number of operations and their waits are bounded, so every storm ends. */
const LONGEST_STORM_MS = 24 * 3_600_000;

/** Makes one whole run that a seed decides: first storms, then calm. The invariants are checked during all of it. */
export async function simulateLoyalty(storage: LoyaltyStorage, job: LoyaltyJob): Promise<LoyaltyRunResult> {
  const { seed, mutation, deaths = { kind: "random" }, tills = 3, operations = 20 } = job;
  const world = await LoyaltyWorld.begin(seed, { storage, deaths, ...(mutation === undefined ? {} : { mutation }) });
  let found: string | undefined;
  try {
    await play(world, tills, operations);
  } catch (error) {
    if (!(error instanceof BrokenPromise)) throw error;
    found = error.message;
  } finally {
    await world.end();
  }
  const { db } = storage.store;
  const entries = await db.selectFrom("loyalty_entries").selectAll().orderBy("member_id").orderBy("number").execute();
  const orders = await db.selectFrom("loyalty_orders").selectAll().orderBy("id").execute();
  return {
    seed,
    deaths: world.deaths.count,
    awaits: world.deaths.awaits,
    places: [...world.deaths.places],
    sales: world.recount.sales.size,
    returns: world.recount.returns.size,
    members: world.recount.members.size,
    digest: createHash("sha256")
      .update(JSON.stringify([entries, orders]))
      .digest("hex"),
    ...(found === undefined ? {} : { broken: found }),
  };
}

async function play(world: LoyaltyWorld, tills: number, operations: number): Promise<void> {
  const shop = new Shop(world, EVERYTHING);
  const invariants = new LoyaltyInvariants(world);
  await world.wait(shop.open(FIRST_MEMBERS));
  const untilMs = world.clock.monotonicMs() + LONGEST_STORM_MS;
  let steps = 0;
  await world.wait(Promise.all(Array.from({ length: tills }, () => shop.work(operations))), async () => {
    if (world.clock.monotonicMs() > untilMs) throw broken("run-ends", "the tills never finish");
    steps += 1;
    if (steps % LOOKED_AT_EVERY === 0) await invariants.check();
  });
  await invariants.check();
  world.heal();
  await world.wait(shop.upkeep());
  await world.wait(shop.sendAgain());
  await invariants.checkAtTheEnd();
}
