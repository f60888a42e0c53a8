import { createHash } from "node:crypto";
import { BrokenPromise } from "../broken-promise.ts";
import type { DeathPlan } from "../deaths.ts";
import { PaymentInvariants } from "./invariants.ts";
import type { PaymentMutation } from "./mutation.ts";
import type { PaymentStorage } from "./storage.ts";
import { Till } from "./till.ts";
import { broken, PaymentWorld } from "./world.ts";

export interface PaymentRun {
  seed: number;
  mutation?: PaymentMutation;
  deaths?: DeathPlan;
  tills?: number;
  operations?: number;
}

export interface PaymentRunResult {
  seed: number;
  deaths: number;
  awaits: number;
  places: string[];
  payments: number;
  done: number;
  returned: number;
  /** A digest of everything that is stored at the end. */
  digest: string;
  broken?: string;
}

/** The longest calm. Five attempts at a refund take five hours, and a code with the bank's own life takes two more. */
const LONGEST_CALM_MS = 9 * 3_600_000;
const LEAST_STEP_MS = 250;
const LONGEST_STEP_MS = 60_000;
/** After this time every paid payment has been compared with the sales. */
const UNSOLD_MS = 31 * 60_000;
/** Steps of the world between two looks at the invariants: a second. */
const LOOKED_AT_EVERY = 4;
/** The longest storm. The number of operations and their waits are bounded, so every storm ends. */
const LONGEST_STORM_MS = 6 * 3_600_000;

/** Makes one whole run that a seed decides: first storms, then calm. The invariants are checked during all of it. */
export async function simulatePayments(storage: PaymentStorage, options: PaymentRun): Promise<PaymentRunResult> {
  const { seed, mutation, deaths = { kind: "random" }, tills = 2, operations = 3 } = options;
  const world = await PaymentWorld.begin(seed, { storage, deaths, ...(mutation === undefined ? {} : { mutation }) });
  const run = new Run(world, tills);
  let found: string | undefined;
  try {
    await run.storm(operations);
    await run.calm();
  } catch (error) {
    if (!(error instanceof BrokenPromise)) throw error;
    found = error.message;
  } finally {
    await world.end();
  }
  const rows = await storage.store.db.selectFrom("payments").selectAll().orderBy("created_at_ms").orderBy("id").execute();
  const moves = await storage.store.db.selectFrom("payment_moves").selectAll().orderBy("payment_id").orderBy("number").execute();
  return {
    seed,
    deaths: world.deaths.count,
    awaits: world.deaths.awaits,
    places: [...world.deaths.places],
    payments: rows.length,
    done: rows.filter(({ told }) => told === "DONE").length,
    returned: rows.filter(({ refunded_kopecks: kopecks }) => kopecks > 0).length,
    digest: createHash("sha256")
      .update(JSON.stringify([rows, moves, world.bank.records]))
      .digest("hex"),
    ...(found === undefined ? {} : { broken: found }),
  };
}

class Run {
  readonly #world: PaymentWorld;
  readonly #tills: readonly Till[];
  readonly #invariants: PaymentInvariants;

  constructor(world: PaymentWorld, tills: number) {
    this.#world = world;
    this.#tills = Array.from({ length: tills }, (_, count) => new Till(world, `till-${count + 1}`));
    this.#invariants = new PaymentInvariants(world);
  }

  async storm(operations: number): Promise<void> {
    const world = this.#world;
    const untilMs = world.clock.monotonicMs() + LONGEST_STORM_MS;
    let steps = 0;
    await world.wait(Promise.all(this.#tills.map((till) => till.work(operations))), async () => {
      if (world.clock.monotonicMs() > untilMs) throw broken("run-ends", "the tills never finish");
      steps += 1;
      if (steps % LOOKED_AT_EVERY === 0) await this.#invariants.checkAlways();
    });
  }

  async calm(): Promise<void> {
    const world = this.#world;
    world.heal();
    await this.#follow();
    await world.clock.advance(UNSOLD_MS);
    for (const till of this.#tills) await world.wait(till.askAgain());
    await world.clock.advance(UNSOLD_MS);
    await world.lookForSales();
    await this.#invariants.checkAtTheEnd();
  }

  /** Moves the time from one due reading to the next, until only payments that wait for a person are followed. */
  async #follow(): Promise<void> {
    const world = this.#world;
    const untilMs = world.clock.monotonicMs() + LONGEST_CALM_MS;
    for (;;) {
      await world.follow();
      await this.#invariants.checkAlways();
      const due = await this.#due();
      if (due.every(({ waits }) => waits) && world.clock.monotonicMs() > untilMs - LONGEST_CALM_MS + UNSOLD_MS) return;
      if (world.clock.monotonicMs() > untilMs) return;
      const nextMs = Math.min(...due.map(({ atMs }) => atMs), Number.POSITIVE_INFINITY) - world.wallMs;
      await world.clock.advance(Math.min(Math.max(nextMs, LEAST_STEP_MS), LONGEST_STEP_MS));
      world.mustBeWhole();
    }
  }

  async #due(): Promise<{ atMs: number; waits: boolean }[]> {
    const rows = await this.#world.storage.store.db
      .selectFrom("payments")
      .select(["next_read_at_ms", "state", "doubt"])
      .where("next_read_at_ms", "is not", null)
      .execute();
    return rows.map(({ next_read_at_ms: atMs, state, doubt }) => ({ atMs: atMs ?? 0, waits: state === "unknown" && doubt !== "lost" }));
  }
}
