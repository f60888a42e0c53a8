import type { Entry } from "../../src/journal/entry.ts";
import { Journal } from "../../src/journal/journal.ts";
import { Failure } from "../../src/kernel/failure.ts";
import { type WallTime, wallTimeAt } from "../../src/kernel/moment.ts";
import type { RegisterDocument } from "../../src/model/document.ts";
import type { StoreRules } from "../../src/operations/services.ts";
import type { Lock } from "../../src/store/lock.ts";
import { type Copy, copyOf, restore } from "../support/restored.ts";
import { VirtualClock } from "../support/virtual-clock.ts";
import { drawerChange } from "./agreement.ts";
import { BrokenPromise } from "./broken-promise.ts";
import { type DeathPlan, Deaths } from "./deaths.ts";
import { SimulatedAgent } from "./devices/agent.ts";
import type { SimulatedDevice } from "./devices/device.ts";
import { SimulatedEmulator } from "./devices/emulator.ts";
import { SimulatedShtrih } from "./devices/shtrih-m.ts";
import { Life } from "./life.ts";
import type { Mutation } from "./mutation.ts";
import { SeededChance } from "./seeded-chance.ts";
import { type Server, serverOf } from "./server.ts";
import type { ServerStorage } from "./server-storage.ts";
import { CALM, LONGEST_ABSENCE_MS, LONGEST_DRIVE_BACK_MS, LONGEST_JUMP_MS, MOST_FORGOTTEN, stormOf, type Troubles } from "./troubles.ts";
import { UnreliableStore } from "./unreliable-store.ts";

/** `agent`: a device of one of the other kinds, behind a shop's agent. */
export type WorldKind = "emulator" | "shtrih-m" | "agent";

export interface WorldOptions {
  storage: ServerStorage;
  kind: WorldKind;
  deaths: DeathPlan;
  mutation?: Mutation;
  /** Whether somebody restores an older copy of the database. */
  restores: boolean;
}

/** What is missing after a copy of the database was restored. */
interface Lost {
  /** How often a copy was restored. */
  restored: number;
  /** The references of documents that the drive has made since the copy. */
  references: Set<string>;
  /** The cash that was put into the drawer since the copy. It is not sent again, because a person has compared it. */
  cashKopecks: number;
}

const ZONE = "Europe/Moscow";
/** 13 November 2026, 09:00 in Moscow. */
const START_MS = Date.UTC(2026, 10, 13, 6);
/** The virtual time between two looks at whether some work has ended. */
const STEP_MS = 500;
/** When the lock is switched off, a second server is started at every look that finds one server, because these runs try the lock. */
const WITHOUT_LOCK = 1;
/** The largest number of entries that are looked at: more than any simulated run makes. */
const ALL = 10_000;
/** The line of the log for a drive whose documents the journal lacks. */
const DOCUMENTS_LOST = "the drive has documents of this server that the journal does not have";
/** The share of runs in which the server may open and close shifts at the point of sale. */
const AUTOMATIC = 0.35;
const HOUR_MS = 3_600_000;
/** After each document of the platform: how likely it is that a copy of the database is kept, and that the kept copy is restored. */
const COPY_KEPT = 0.1;
const COPY_RESTORED = 0.04;
/**
 * The chance of a restoration when a shift was closed since the copy. It is higher, because repeats of sales alone
 * would not show whose shift is closed.
 */
const COPY_OF_ANOTHER_SHIFT_RESTORED = 0.3;
/** The seed of the chance for copies is the run's seed plus this number, so that it is no seed of another run. */
const FIRST_OF_COPIES = 1_000_003;

/** The database, the device and the clock, which outlive the server's processes, and the living processes. */
export class World {
  readonly chance: SeededChance;
  readonly clock = new VirtualClock(START_MS);
  readonly deaths: Deaths;
  readonly rules: StoreRules;
  readonly mutation: Mutation | undefined;
  /** The chance for copies. It is separate, so that runs without copies stay unchanged. Undefined: nobody restores a copy. */
  readonly #copies: SeededChance | undefined;
  readonly lost: Lost = { restored: 0, references: new Set(), cashKopecks: 0 };
  isRestoring = false;
  #kept: { copy: Copy; printed: number } | undefined;
  /** The journal for a person, who reads it without a server. */
  readonly journal: Journal;
  readonly #storage: ServerStorage;
  readonly #store: UnreliableStore;
  #device: SimulatedDevice | undefined;
  #troubles: Troubles;
  readonly #servers = new Set<Server>();
  #locks = new Map<Server, Lock>();
  #broken: unknown;
  #attempts = 0;
  /** How far the wall clock of the server's machine is off. */
  #wallOffsetMs = 0;
  /** When the right drive is put in again. Undefined: it is in. */
  #rightAtMs: number | undefined;

  private constructor(seed: number, { storage, deaths, mutation, restores }: WorldOptions) {
    this.chance = new SeededChance(seed);
    this.#storage = storage;
    this.deaths = new Deaths(deaths, this.chance);
    this.mutation = mutation;
    this.#copies = restores ? new SeededChance(seed + FIRST_OF_COPIES) : undefined;
    this.#troubles = stormOf(this.chance);
    this.rules = rulesOf(this.chance);
    this.journal = new Journal({ store: storage.store, clock: this.clock });
    this.#store = new UnreliableStore(storage.store, this.#around);
  }

  static async begin(seed: number, options: WorldOptions): Promise<World> {
    await options.storage.clear();
    const world = new World(seed, options);
    world.#device = await world.#made(options.kind);
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

  /**
   * The time in the shop. The clocks of till and register differ by less than the time between a closing and an opening, so one time stands
   * for both.
   */
  get wall(): WallTime {
    return wallTimeAt(this.clock.nowMs() + this.device.drive.clockOffsetMs, ZONE);
  }

  /** Lets an hour pass where copies are restored, so that shifts last long enough to tell their reports apart by their moments. */
  passHour(): void {
    if (this.#copies !== undefined) this.device.jumpClock(HOUR_MS);
  }

  /** A server that can answer now. Undefined: there is none. */
  get server(): Server | undefined {
    const living = [...this.#servers];
    return living.length < 2 ? living[0] : this.chance.pick(living);
  }

  /** Ends all troubles and mends what was broken. */
  async heal(): Promise<void> {
    this.#troubles = CALM;
    if (this.#rightAtMs !== undefined) await this.#putDriveRight();
    if (this.#servers.size === 0) await this.#start();
  }

  /** Lets things happen between two looks: a second server is started, a clock is set. Throws when a promise was broken. */
  async happen(): Promise<void> {
    if (this.#broken !== undefined) throw this.#broken;
    if (this.#storage.isGone) throw new BrokenPromise("a server took the database for replaced: its rows were as they were before");
    if (this.#troubles === CALM) this.device.tend();
    if (this.#rightAtMs !== undefined && this.clock.monotonicMs() >= this.#rightAtMs) await this.#putDriveRight();
    if (this.chance.happens(this.#troubles.clockJump)) this.#wallOffsetMs += this.chance.below(LONGEST_JUMP_MS) - LONGEST_JUMP_MS / 2;
    const share = this.mutation === "no-lock" && this.#troubles !== CALM ? WITHOUT_LOCK : this.#troubles.secondProcess;
    if (this.#servers.size === 1 && this.chance.happens(share)) await this.#startSecond();
  }

  /**
   * Puts an earlier copy of the drive in. This happens only while no operation is under way and nothing is in doubt,
   * because nobody could end a doubt about a document that the drive has forgotten. The server notices the copy by the
   * number of the newest document.
   */
  async putDriveBack(): Promise<void> {
    const { chance, device } = this;
    if (this.#rightAtMs !== undefined || this.#copies !== undefined) return;
    const newest = device.drive.lastNumber;
    const forgotten = Math.min(1 + chance.below(MOST_FORGOTTEN), newest - 1);
    if (forgotten < 1 || !(await this.#isQuiet())) return;
    this.#rightAtMs = this.clock.monotonicMs() + chance.below(LONGEST_DRIVE_BACK_MS);
    device.drive.toldNumber = newest - forgotten;
    await device.putBack(forgotten);
  }

  /**
   * Keeps a copy of the database, or restores the kept copy, once. Returns the entries that the copy lacks. Both happen only
   * while no operation is under way and nothing is in doubt, as people do it.
   */
  async maybeRestore(): Promise<Entry[]> {
    const copies = this.#copies;
    if (copies === undefined || this.lost.restored > 0 || !copies.happens(this.#shareOfCopies())) return [];
    const { store } = this.#storage;
    if (!(await this.#isQuiet())) return [];
    if (this.#kept === undefined) {
      const printed = this.device.drive.printed.length;
      const copy = await copyOf(store);
      // Something was begun while the copy was made.
      if (!(await this.#isQuiet()) || this.device.drive.printed.length !== printed) return [];
      this.#kept = { copy, printed };
      return [];
    }
    this.isRestoring = true;
    for (const { life } of this.#servers) life.kill();
    const before = await this.journal.list({ limit: ALL, state: "done" });
    await restore(store, this.#kept.copy);
    const left = new Set((await this.journal.list({ limit: ALL, state: "done" })).map(({ document }) => document.reference));
    const lost = before.filter(({ document }) => !left.has(document.reference));
    for (const { reference } of this.device.drive.printed.slice(this.#kept.printed)) this.lost.references.add(reference);
    const cash = lost.filter(({ document }) => document.kind === "cash-in" || document.kind === "cash-out");
    this.lost.cashKopecks = cash.map(drawerChange).reduce((sum, change) => sum + change, 0);
    this.lost.restored += 1;
    this.isRestoring = false;
    this.#startLater();
    return lost;
  }

  #shareOfCopies(): number {
    if (this.#kept === undefined) return COPY_KEPT;
    const since = this.device.drive.printed.slice(this.#kept.printed);
    const isAnother = since.some(({ record }) => record.kind === "fiscal" && record.facts.document === "close-shift");
    return isAnother ? COPY_OF_ANOTHER_SHIFT_RESTORED : COPY_RESTORED;
  }

  /**
   * Whether no operation is under way, nothing is in doubt, and the journal has all documents of the drive. A slow commit of a process
   * that has died counts as under way: no database takes it after the database was replaced.
   */
  async #isQuiet(): Promise<boolean> {
    const { device, journal } = this;
    const newest = device.drive.lastNumber;
    const numbers = (await journal.list({ limit: ALL })).map(({ state, facts }) =>
      state === "done" && facts?.kind === "fiscal" ? facts.documentNumber : 0,
    );
    const unfinished = (await journal.unfinished()).length;
    const isKnown = unfinished === 0 && Math.max(0, ...numbers) === newest;
    const isIdle = [...this.#servers].every((server) => !server.isBusy());
    return isKnown && isIdle && !this.#store.isCommitting && device.drive.lastNumber === newest;
  }

  /** Keeps an error, which the next look throws. */
  fail(error: unknown): void {
    this.#broken ??= error;
  }

  /** Waits for work while the time of the world goes on, because a slow device answers only after some time. */
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

  /** Ends every process at the end of the run, and releases the lock. */
  async end(): Promise<void> {
    this.#troubles = CALM;
    for (const { life } of this.#servers) life.kill();
    for (const lock of this.#locks.values()) await lock.release();
    this.#locks.clear();
    await this.device.end?.();
  }

  async #made(kind: WorldKind): Promise<SimulatedDevice> {
    if (kind === "emulator") return SimulatedEmulator.begin(this.#around);
    if (kind === "shtrih-m") return SimulatedShtrih.begin(this.#around);
    const unfinishedAttempts = async () =>
      new Set((await this.journal.unfinished()).flatMap(({ checkpoint }) => checkpoint?.attemptId ?? []));
    const inner = await this.#made(this.chance.pick(["emulator", "shtrih-m"] as const));
    return SimulatedAgent.begin({ ...this.#around, unfinishedAttempts, mutation: this.mutation }, inner);
  }

  get #around() {
    return { clock: this.clock, chance: this.chance, zone: ZONE, troubles: () => this.#troubles };
  }

  async #start(): Promise<void> {
    const lock = this.mutation === "no-lock" ? undefined : await this.#storage.lock();
    const life = new Life((point) => this.deaths.fate(point, this.#troubles));
    const server = serverOf(life, {
      clock: life.clock(this.clock, () => this.#wallOffsetMs),
      store: this.#store.of(life),
      device: this.device,
      rules: this.rules,
      mutation: this.mutation,
      errors: (text) => this.#nothingLost(text),
      sending: (document) => this.#nothingInDoubt(document),
      attemptId: () => `attempt-${++this.#attempts}`,
    });
    this.#servers.add(server);
    if (lock !== undefined) this.#locks.set(server, lock);
    void life.died.then(() => this.#bury(server));
  }

  /** Unless a copy of the database was restored, the journal must have all documents of the server that the drive has. */
  #nothingLost(text: string): void {
    if (text === DOCUMENTS_LOST && this.lost.restored === 0) this.fail(new BrokenPromise(`the server tells of what never was: ${text}`));
  }

  async #putDriveRight(): Promise<void> {
    this.#rightAtMs = undefined;
    await this.device.putRight();
  }

  /** No document may be sent to a register while the outcome of the document before is unknown. */
  async #nothingInDoubt({ kind }: RegisterDocument): Promise<void> {
    const doubt = (await this.journal.unfinished()).find(({ state }) => state === "in-doubt");
    if (doubt !== undefined) this.fail(new BrokenPromise(`a ${kind} was sent while entry ${doubt.id} was in doubt`));
  }

  /** Removes a dead process and frees what it held, as the system does. A supervisor starts the next one. */
  async #bury(server: Server): Promise<void> {
    this.#servers.delete(server);
    await this.#locks.get(server)?.release();
    this.#locks.delete(server);
    this.#startLater();
  }

  #startLater(): void {
    this.clock.after(this.chance.below(LONGEST_ABSENCE_MS), () => {
      if (this.#servers.size === 0 && !this.isRestoring) this.#start().catch((error: unknown) => this.fail(error));
    });
  }

  /** Starts a server beside the living one. The lock must keep it out. */
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
