import { nextTurn, pause } from "../../../src/kernel/clock.ts";
import { Failure } from "../../../src/kernel/failure.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";
import { type DeathPlan, Deaths } from "../deaths.ts";
import { Life } from "../life.ts";
import { SeededChance } from "../seeded-chance.ts";
import { UnreliableStore } from "../unreliable-store.ts";
import { type LoyaltyMutation, returnsOf, rowsOf, switchOff } from "./mutation.ts";
import type { Operation } from "./operation.ts";
import { type ProgrammeChoice, programmeOf, programmeText } from "./programme.ts";
import { broken, Recount } from "./recount.ts";
import { type LoyaltyServer, loyaltyServer } from "./server.ts";
import type { LoyaltyStorage } from "./storage.ts";
import { CALM, LONGEST_ABSENCE_MS, LONGEST_OFF_MS, type LoyaltyTroubles, stormOf } from "./troubles.ts";
import { WatchedStore } from "./watched-store.ts";

export interface WorldOptions {
  storage: LoyaltyStorage;
  deaths: DeathPlan;
  mutation?: LoyaltyMutation;
  /** Troubles that replace those of chance. */
  troubles?: LoyaltyTroubles;
  processes?: number;
  /** The virtual time between two looks at whether some work has ended. */
  stepMs?: number;
}

/** 28 November 2026, 21:00 in Moscow. Midnight is near, so days end during a run. */
const START_MS = Date.UTC(2026, 10, 28, 18);
/** Share of runs with two processes on one database. */
const TWO_PROCESSES = 0.6;
const STEP_MS = 250;
/** In so many turns of the event loop all work that needs no time ends, also with a database in another process. */
const MOST_TURNS = 1_000_000;
/** When nothing was under way for so many turns, the work has ended. */
const QUIET_TURNS = 3;
/** The largest number of tries of a call. No storm lasts for so many. */
const MOST_TRIES = 500;
const LONGEST_RETRY_MS = 3_000;

/** The database and the clock, which outlive the processes, the living processes, and the ledgers as they must be. */
export class LoyaltyWorld {
  readonly chance: SeededChance;
  readonly clock = new VirtualClock(START_MS);
  readonly deaths: Deaths;
  readonly choice: ProgrammeChoice;
  readonly recount: Recount;
  readonly storage: LoyaltyStorage;
  readonly mutation: LoyaltyMutation | undefined;
  readonly #watched: WatchedStore;
  readonly #processes: number;
  readonly #stepMs: number;
  readonly #servers = new Set<LoyaltyServer>();
  #troubles: LoyaltyTroubles;
  #broken: unknown;

  private constructor(seed: number, { storage, deaths, mutation, troubles, processes, stepMs = STEP_MS }: WorldOptions) {
    this.chance = new SeededChance(seed);
    const { chance } = this;
    this.storage = storage;
    this.#stepMs = stepMs;
    this.mutation = mutation;
    this.deaths = new Deaths(deaths, chance);
    this.#troubles = troubles ?? stormOf(chance);
    this.choice = programmeOf(chance);
    this.recount = new Recount(this.choice);
    this.#processes = processes ?? (chance.happens(TWO_PROCESSES) ? 2 : 1);
    this.#watched = new WatchedStore({
      store: storage.counted,
      fail: (error) => this.fail(error),
      withoutTransactions: mutation === "one-transaction",
    });
  }

  static async begin(seed: number, options: WorldOptions): Promise<LoyaltyWorld> {
    await switchOff(options.storage.store, undefined);
    await options.storage.clear();
    await switchOff(options.storage.store, options.mutation);
    const world = new LoyaltyWorld(seed, options);
    for (let count = 0; count < world.#processes; count += 1) world.#start();
    return world;
  }

  get troubles(): LoyaltyTroubles {
    return this.#troubles;
  }

  /** A process that can answer now. Undefined: there is none. */
  get server(): LoyaltyServer | undefined {
    const living = [...this.#servers];
    return living.length < 2 ? living[0] : this.chance.pick(living);
  }

  /** The programme as the owner sets it now. */
  get programmeText(): string {
    return programmeText(this.choice, this.recount.percent, returnsOf(this.mutation));
  }

  /** Asks one process after the other until an answer has come. By chance, calls are doubled and answers are lost. */
  async carryOut<Answer>(operation: Operation<Answer>): Promise<Answer> {
    const { chance } = this;
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const { server } = this;
      const second = operation.mayDouble && chance.happens(this.#troubles.doubled) ? this.server : undefined;
      const calls = [server, second].filter((each) => each !== undefined).map((each) => this.#ask(each, operation));
      const [heard] = (await Promise.all(calls)).filter((answer) => answer !== undefined);
      if (heard !== undefined && !chance.happens(this.#troubles.lostAnswer)) return heard.answer;
      await pause(this.clock, chance.below(LONGEST_RETRY_MS));
    }
    throw broken("calls-are-answered", `no answer after ${MOST_TRIES} tries`);
  }

  /** Keeps the first error. `mustBeWhole` throws it. */
  fail(error: unknown): void {
    this.#broken ??= error;
  }

  mustBeWhole(): void {
    if (this.#broken !== undefined) throw this.#broken;
  }

  /** Ends all troubles and starts new processes. */
  heal(): void {
    this.#troubles = CALM;
    for (const { life } of this.#servers) life.kill();
    this.#servers.clear();
    for (let count = 0; count < this.#processes; count += 1) this.#start();
  }

  /** Waits for work while the time of the world goes on. */
  async wait<T>(work: Promise<T>, each: () => Promise<void> = async () => {}): Promise<T> {
    let ended: { value: T } | { error: unknown } | undefined;
    work.then(
      (value) => {
        ended = { value };
      },
      (error: unknown) => {
        ended = { error };
      },
    );
    await this.settle();
    while (ended === undefined) {
      await this.clock.advance(this.#stepMs);
      await this.settle();
      this.mustBeWhole();
      await each();
    }
    this.mustBeWhole();
    if ("error" in ended) throw ended.error;
    return ended.value;
  }

  /** Waits until all work that needs the database but no time has ended. */
  async settle(): Promise<void> {
    let quiet = 0;
    for (let turn = 0; turn < MOST_TURNS && quiet < QUIET_TURNS; turn += 1) {
      await nextTurn();
      quiet = this.storage.isIdle ? quiet + 1 : 0;
    }
  }

  /** Ends every process at the end of the run. */
  async end(): Promise<void> {
    this.#troubles = CALM;
    for (const { life } of this.#servers) life.kill();
    this.#servers.clear();
    await this.settle();
    await switchOff(this.storage.store, undefined);
  }

  /** Returns undefined when the process has died, or its database has failed. */
  async #ask<Answer>(server: LoyaltyServer, operation: Operation<Answer>): Promise<{ answer: Answer } | undefined> {
    const { life } = server;
    try {
      const asked = this.#watched.watched(operation, () => operation.act(server)).then((answer) => ({ answer }));
      const heard = await Promise.race([asked, life.died.then(() => undefined)]);
      if (heard !== undefined) operation.answered(heard.answer);
      return heard;
    } catch (error) {
      if (error instanceof Failure && error.kind === "dependency") return undefined;
      this.fail(error instanceof Failure ? broken("calls-are-answered", `${error.code}: ${error.message}`) : error);
      return undefined;
    }
  }

  #start(): void {
    const { chance, clock } = this;
    const life = new Life((point) => this.deaths.fate(point, this.#deadly(point)));
    const offMs = chance.happens(this.#troubles.clockOff) ? chance.below(LONGEST_OFF_MS) - LONGEST_OFF_MS / 2 : 0;
    const own = life.clock(clock, () => offMs);
    const store = new UnreliableStore(this.#watched.of(life, own, rowsOf(this.mutation)), {
      clock,
      chance,
      troubles: () => this.#troubles.server,
    });
    const server = loyaltyServer(life, {
      ...{ clock: own, store: store.of(life), chance, keepsQuotes: this.mutation !== "kept-quote" },
      isDatabaseOutside: this.storage.store.kind === "postgres",
    });
    this.#servers.add(server);
    server.quotes.start();
    void life.died.then(() => this.#bury(server));
  }

  #deadly(point: string) {
    const { server, deathAtStatement } = this.#troubles;
    return point === "statement" ? { ...server, deathAtAwait: deathAtStatement } : server;
  }

  /** Removes a dead process. A supervisor starts the next one. */
  #bury(server: LoyaltyServer): void {
    if (!this.#servers.delete(server)) return;
    this.clock.after(this.chance.below(LONGEST_ABSENCE_MS), () => {
      if (this.#servers.size < this.#processes) this.#start();
    });
  }
}
