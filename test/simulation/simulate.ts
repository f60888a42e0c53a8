import { createHash } from "node:crypto";
import { BrokenPromise } from "./broken-promise.ts";
import type { DeathPlan } from "./deaths.ts";
import { Invariants } from "./invariants.ts";
import type { Mutation } from "./mutation.ts";
import { Person } from "./person.ts";
import { Platform } from "./platform.ts";
import type { ServerStorage } from "./server-storage.ts";
import { World, type WorldKind } from "./world.ts";

/** The virtual time between two looks at the invariants. */
const STEP_MS = 5_000;
/** The longest run. Every wait in a run is bounded, so no run needs more. */
const LONGEST_RUN_MS = 12 * 3_600_000;
/**
 * The length of the calm at the end of a run. A turn at a register takes 180 s at most, so everything that was begun has ended or is
 * on the list by then.
 */
const CALM_MS = 240_000;

export interface RunOptions {
  seed: number;
  /** The kind of world, instead of the one that the seed decides. */
  kind?: WorldKind;
  mutation?: Mutation;
  /** Whether an older copy of the database is restored, instead of what the seed decides. */
  restores?: boolean;
  /** Where the server dies. Undefined: by chance. */
  deaths?: DeathPlan;
  shifts?: number;
  documentsAShift?: number;
}

export interface RunResult {
  seed: number;
  kind: WorldKind;
  /** The number of deaths at an await. A restart and a look at all invariants follow each. */
  deaths: number;
  /** The number of the server's awaits in the whole run. */
  awaits: number;
  /** The ways through the code to the awaits at which the server died. */
  places: string[];
  documents: number;
  /** The number of doubts that only a person could end. */
  byHand: number;
  /** A digest of the journal and the drive. The same run must have the same digest. */
  digest: string;
  /** The promise that was broken; undefined when all held. */
  broken?: string;
}

/** Half of the seeds drive the emulator, half the byte-level device. */
export function kindOf(seed: number): WorldKind {
  return seed % 2 === 0 ? "shtrih-m" : "emulator";
}

/**
 * Copies are restored in every third pair of seeds, and only when deaths come by chance. When a safeguard is switched off, copies are
 * restored only if they are needed to notice it.
 */
function doesRestore(seed: number, mutation: Mutation | undefined, deaths: DeathPlan): boolean {
  if (mutation !== undefined) return mutation === "close-whatever-is-open";
  return deaths.kind === "random" && Math.floor(seed / 2) % 3 === 0;
}

/** Makes one whole run that a seed decides: first storms, then calm. The invariants are checked during all of it. */
export async function simulate(storage: ServerStorage, options: RunOptions): Promise<RunResult> {
  const { seed, kind = kindOf(seed), mutation, deaths = { kind: "random" } } = options;
  const restores = options.restores ?? doesRestore(seed, mutation, deaths);
  const world = await World.begin(seed, { storage, kind, deaths, restores, ...(mutation === undefined ? {} : { mutation }) });
  const run = new Run(world, storage);
  let broken: string | undefined;
  try {
    await run.storm(options.shifts ?? 2, options.documentsAShift ?? 8);
    await run.calm();
  } catch (error) {
    if (!(error instanceof BrokenPromise)) throw error;
    broken = error.message;
    storage.leave();
  } finally {
    await world.end();
  }
  return {
    seed,
    kind,
    deaths: world.deaths.count,
    awaits: world.deaths.awaits,
    places: [...world.deaths.places],
    documents: world.device.drive.printed.length,
    byHand: run.person.settled,
    digest: await digestOf(world),
    ...(broken === undefined ? {} : { broken }),
  };
}

class Run {
  readonly person: Person;
  readonly #world: World;
  readonly #platform: Platform;
  readonly #invariants: Invariants;
  #passedMs = 0;

  constructor(world: World, storage: ServerStorage) {
    this.#world = world;
    this.#platform = new Platform(world);
    this.#invariants = new Invariants(world, this.#platform, storage.store);
    this.person = new Person(world);
  }

  async storm(shifts: number, documents: number): Promise<void> {
    for (let shift = 1; shift <= shifts; shift += 1) await this.#watch(this.#platform.workShift(shift, documents));
  }

  async calm(): Promise<void> {
    const { clock } = this.#world;
    await this.#watch(this.#world.heal());
    for (let passedMs = 0; passedMs < CALM_MS; passedMs += STEP_MS) {
      await clock.advance(STEP_MS);
      await this.#look();
    }
    await this.#world.wait(this.#invariants.checkListed());
    await this.#world.wait(this.person.look(0));
    await this.#watch(this.#platform.finishEverything());
    await this.#world.wait(this.#invariants.checkAtTheEnd());
  }

  /** Lets time pass until the work is done, and checks everything after each step. */
  #watch(work: Promise<void>): Promise<void> {
    return this.#world.wait(work, () => this.#look(), STEP_MS);
  }

  async #look(): Promise<void> {
    this.#passedMs += STEP_MS;
    if (this.#passedMs > LONGEST_RUN_MS) throw new BrokenPromise("the run never ends");
    await this.#world.happen();
    await this.#world.wait(this.#invariants.checkAlways(), async () => {}, 0);
    await this.#world.wait(this.person.look(), async () => {}, 0);
  }
}

async function digestOf({ journal, device }: World): Promise<string> {
  const hash = createHash("sha256");
  for (const entry of await journal.list({ limit: 10_000 })) hash.update(JSON.stringify([entry, await journal.moves(entry.id)]));
  return hash.update(JSON.stringify(device.drive.printed)).digest("hex");
}
