import { Journal } from "../../src/journal/journal.ts";
import { Failure } from "../../src/kernel/failure.ts";
import type { RegisterDocument } from "../../src/model/document.ts";
import type { StoreRules } from "../../src/operations/services.ts";
import type { Lock } from "../../src/store/lock.ts";
import { VirtualClock } from "../support/virtual-clock.ts";
import { BrokenPromise } from "./broken-promise.ts";
import { type DeathPlan, Deaths } from "./deaths.ts";
import type { SimulatedDevice } from "./devices/device.ts";
import { SimulatedEmulator } from "./devices/emulator.ts";
import { SimulatedShtrih } from "./devices/shtrih-m.ts";
import type { Ground } from "./ground.ts";
import { Life } from "./life.ts";
import type { Mutation } from "./mutation.ts";
import { SeededChance } from "./seeded-chance.ts";
import { type Server, serverOf } from "./server.ts";
import { CALM, LONGEST_ABSENCE_MS, LONGEST_DRIVE_BACK_MS, LONGEST_JUMP_MS, MOST_FORGOTTEN, stormOf, type Troubles } from "./troubles.ts";
import { UnreliableStore } from "./unreliable-store.ts";

export type WorldKind = "emulator" | "shtrih-m";

export interface WorldOptions {
  ground: Ground;
  kind: WorldKind;
  deaths: DeathPlan;
  mutation?: Mutation;
}

const ZONE = "Europe/Moscow";
/** 13 November 2026, 09:00 in Moscow. */
const START_MS = Date.UTC(2026, 10, 13, 6);
/** Virtual time between two looks at whether something has ended. */
const STEP_MS = 500;
/** Where nothing keeps a second server out, one is started at every look that finds a single one: the lock is what is tried then. */
const WITHOUT_LOCK = 1;
/** Entries looked at: more than any simulated run makes. */
const ALL = 10_000;
/** What the log says of a drive that the journal knows less of. */
const DOCUMENTS_LOST = "the drive has documents of ours that the journal does not have";
/** Share of runs in which the point of sale lets the server open and close shifts. */
const AUTOMATIC = 0.35;

/** Database, device and clock, which outlive the server's processes, and the processes that live now. */
export class World {
  readonly chance: SeededChance;
  readonly clock = new VirtualClock(START_MS);
  readonly deaths: Deaths;
  readonly rules: StoreRules;
  readonly mutation: Mutation | undefined;
  /** The journal as a person reads it, past every process. */
  readonly journal: Journal;
  readonly #ground: Ground;
  readonly #store: UnreliableStore;
  #device: SimulatedDevice | undefined;
  #troubles: Troubles;
  readonly #servers = new Set<Server>();
  #locks = new Map<Server, Lock>();
  #broken: unknown;
  /** How far the wall clock of the server's machine is off. */
  #wallOffsetMs = 0;
  /** When the right drive is put in again, while another one is there. */
  #rightAtMs: number | undefined;

  private constructor(seed: number, { ground, deaths, mutation }: WorldOptions) {
    this.chance = new SeededChance(seed);
    this.#ground = ground;
    this.deaths = new Deaths(deaths, this.chance);
    this.mutation = mutation;
    this.#troubles = stormOf(this.chance);
    this.rules = rulesOf(this.chance);
    this.journal = new Journal({ store: ground.store, clock: this.clock });
    this.#store = new UnreliableStore(ground.store, this.#around);
  }

  static async begin(seed: number, options: WorldOptions): Promise<World> {
    await options.ground.clear();
    const world = new World(seed, options);
    world.#device = await (options.kind === "emulator" ? SimulatedEmulator : SimulatedShtrih).begin(world.#around);
    await world.#start();
    return world;
  }

  get device(): SimulatedDevice {
    if (this.#device === undefined) throw new Error("the world has not begun");
    return this.#device;
  }

  get troubles(): Troubles {
    return this.#troubles;
  }

  /** A server that answers now, if one does. */
  get server(): Server | undefined {
    const living = [...this.#servers];
    return living.length < 2 ? living[0] : this.chance.pick(living);
  }

  /** Nothing goes wrong any more, and what was broken works again. */
  async heal(): Promise<void> {
    this.#troubles = CALM;
    if (this.#rightAtMs !== undefined) await this.#putDriveRight();
    if (this.#servers.size === 0) await this.#start();
  }

  /** What happens between two looks: somebody starts a second server, a clock is set. Throws what a promise was broken by. */
  async happen(): Promise<void> {
    if (this.#broken !== undefined) throw this.#broken;
    if (this.#troubles === CALM) this.device.tend();
    if (this.#rightAtMs !== undefined && this.clock.monotonicMs() >= this.#rightAtMs) await this.#putDriveRight();
    if (this.chance.happens(this.#troubles.clockJump)) this.#wallOffsetMs += this.chance.below(LONGEST_JUMP_MS) - LONGEST_JUMP_MS / 2;
    const share = this.mutation === "no-lock" && this.#troubles !== CALM ? WITHOUT_LOCK : this.#troubles.secondProcess;
    if (this.#servers.size === 1 && this.chance.happens(share)) await this.#startSecond();
  }

  /**
   * Somebody puts an earlier copy of the drive in. Only while no operation is under way and nothing is in doubt: what
   * a drive has forgotten of that nobody could know. The server finds out by the number of the newest document.
   */
  async putDriveBack(): Promise<void> {
    const { chance, device, journal } = this;
    if (this.#rightAtMs !== undefined) return;
    const newest = device.drive.lastNumber;
    const forgotten = Math.min(1 + chance.below(MOST_FORGOTTEN), newest - 1);
    const numbers = (await journal.list({ limit: ALL })).map(({ state, facts }) =>
      state === "done" && facts?.kind === "fiscal" ? facts.documentNumber : 0,
    );
    const unfinished = (await journal.unfinished()).length;
    const isKnown = unfinished === 0 && Math.max(0, ...numbers) === newest;
    const isIdle = [...this.#servers].every((server) => !server.isBusy());
    if (forgotten < 1 || !isKnown || !isIdle || device.drive.lastNumber !== newest) return;
    this.#rightAtMs = this.clock.monotonicMs() + chance.below(LONGEST_DRIVE_BACK_MS);
    device.drive.toldNumber = newest - forgotten;
    await device.putBack(forgotten);
  }

  /** To be thrown at the next look, whoever has noticed. */
  fail(error: unknown): void {
    this.#broken ??= error;
  }

  /** Waits for something of the world while its time goes on: a device that hesitates answers when it is done. */
  async wait<T>(work: Promise<T>, each: () => Promise<void> = async () => {}, stepMs = STEP_MS): Promise<T> {
    let ended: { value: T } | { error: unknown } | undefined;
    work.then(
      (value) => {
        ended = { value };
      },
      (error: unknown) => {
        ended = { error };
      },
    );
    while (ended === undefined) {
      await this.clock.advance(stepMs);
      await each();
    }
    if ("error" in ended) throw ended.error;
    return ended.value;
  }

  /** The run is over: every process ends, and the lock with it. */
  async end(): Promise<void> {
    this.#troubles = CALM;
    for (const { life } of this.#servers) life.kill();
    for (const lock of this.#locks.values()) await lock.release();
    this.#locks.clear();
  }

  get #around() {
    return { clock: this.clock, chance: this.chance, zone: ZONE, troubles: () => this.#troubles };
  }

  async #start(): Promise<void> {
    const lock = this.mutation === "no-lock" ? undefined : await this.#ground.lock();
    const life = new Life((point) => this.deaths.fate(point, this.#troubles));
    const server = serverOf(life, {
      clock: life.clock(this.clock, () => this.#wallOffsetMs),
      store: this.#store.of(life),
      device: this.device,
      rules: this.rules,
      mutation: this.mutation,
      errors: (text) => this.#nothingLost(text),
      sending: (document) => this.#nothingInDoubt(document),
    });
    this.#servers.add(server);
    if (lock !== undefined) this.#locks.set(server, lock);
    void life.died.then(() => this.#bury(server));
  }

  /** No copy of the database is ever restored here: what the drive has of ours the journal has too. */
  #nothingLost(text: string): void {
    if (text === DOCUMENTS_LOST) this.fail(new BrokenPromise(`the server tells of what never was: ${text}`));
  }

  async #putDriveRight(): Promise<void> {
    this.#rightAtMs = undefined;
    await this.device.putRight();
  }

  /** Nothing is sent to a register while it is not known what became of the document before. */
  async #nothingInDoubt({ kind }: RegisterDocument): Promise<void> {
    const doubt = (await this.journal.unfinished()).find(({ state }) => state === "in-doubt");
    if (doubt !== undefined) this.fail(new BrokenPromise(`a ${kind} was sent while entry ${doubt.id} was in doubt`));
  }

  /** The system gives back what the process held; a supervisor starts the next. */
  async #bury(server: Server): Promise<void> {
    this.#servers.delete(server);
    await this.#locks.get(server)?.release();
    this.#locks.delete(server);
    this.clock.after(this.chance.below(LONGEST_ABSENCE_MS), () => {
      if (this.#servers.size === 0) this.#start().catch((error: unknown) => this.fail(error));
    });
  }

  /** Somebody starts a server beside the one that lives: the lock keeps it out. */
  async #startSecond(): Promise<void> {
    try {
      await this.#start();
    } catch (error) {
      if (error instanceof Failure && error.code === "store-locked") return;
      throw error;
    }
    if (this.mutation !== "no-lock") throw new BrokenPromise("a second server started on the same data");
  }
}

function rulesOf(chance: SeededChance): StoreRules {
  const shiftOpening = chance.happens(AUTOMATIC) ? "automatic" : "platform";
  return { taxSystem: "osn", vatPayer: true, buyerContact: "email", timeZone: ZONE, paper: "80", shiftOpening };
}
