import type { Entry } from "../../src/journal/entry.ts";
import { Journal, type JournalOutcome, type JournalStore } from "../../src/journal/journal.ts";
import { Failure } from "../../src/kernel/failure.ts";
import { silentLog } from "../../src/kernel/log.ts";
import { VirtualClock } from "../../src/kernel/virtual-clock.ts";
import type { DocumentFacts, RegisterIdentity } from "../../src/model/facts.ts";
import { Lanes } from "../../src/operations/lanes.ts";
import { Recovery } from "../../src/operations/recover.ts";
import type { OperationServices, StoreRules } from "../../src/operations/services.ts";
import { Operations } from "../../src/operations/submit.ts";
import { parseAddress } from "../../src/registers/catalogue.ts";
import { EmulatorRegister } from "../../src/registers/emulator/register.ts";
import type { Register } from "../../src/registers/register.ts";
import { VirtualDevice } from "../../src/registers/virtual/device.ts";
import { MemoryDrive } from "../../src/registers/virtual/drive.ts";
import type { After, Before } from "../../src/registers/virtual/faults.ts";
import { type CashRecord, decodeRecord, type FiscalRecord } from "../../src/registers/virtual/records.ts";
import { openStore, type Store } from "../../src/store/database.ts";
import { type Fate, Life } from "./life.ts";
import { type JournalMaker, type Mutation, mutatedJournal } from "./mutation.ts";
import { BrokenPromise } from "./platform.ts";
import { SeededChance } from "./seeded-chance.ts";

/** How often things go wrong: shares of the occasions at which they can. */
export interface Troubles {
  deathAtAwait: number;
  storeFailure: number;
  deviceFault: number;
  clockJump: number;
}

export const STORMY: Troubles = { deathAtAwait: 0.012, storeFailure: 0.006, deviceFault: 0.08, clockJump: 0.01 };
const CALM: Troubles = { deathAtAwait: 0, storeFailure: 0, deviceFault: 0, clockJump: 0 };

const ZONE = "Europe/Moscow";
/** 13 November 2026, 09:00 in Moscow. */
const START_MS = Date.UTC(2026, 10, 13, 6);
/** A supervisor starts the process again within this. */
const LONGEST_ABSENCE_MS = 20_000;
/** A shopkeeper finds the plug within this. */
const LONGEST_POWER_CUT_MS = 40_000;
/** A device that hesitates: longer than the platform waits, shorter than the server does. */
const LONGEST_HESITATION_MS = 30_000;
/** A time server corrects a clock by seconds, a person by minutes. */
const LONGEST_JUMP_MS = 180_000;

const RULES: StoreRules = {
  taxSystem: "osn",
  vatPayer: true,
  buyerContact: "email",
  timeZone: ZONE,
  paper: "80",
  shiftOpening: "platform",
};

export type Printed = FiscalRecord | CashRecord;

function factsFrom(record: Printed, identity: RegisterIdentity): DocumentFacts {
  if (record.kind === "fiscal") return { kind: "fiscal", identity, ...record.facts };
  const { document, time, shiftNumber, sumKopecks } = record;
  return { kind: "cash", identity, document, time, shiftNumber, sumKopecks, drawerKopecks: 0 };
}

/** A drive in memory that the test reads without asking the device. */
class ReadableDrive extends MemoryDrive {
  readonly #contents: Buffer[] = [];

  override append(record: Buffer): Promise<number> {
    this.#contents.push(record);
    return super.append(record);
  }

  contents(): Buffer[] {
    return this.#contents;
  }
}

/** Database, device and clock, which outlive the server's processes, and the process that lives now. */
export class World {
  readonly chance: SeededChance;
  readonly clock: VirtualClock;
  readonly store: Store;
  readonly device: VirtualDevice;
  readonly journal: Journal;
  readonly #storage: ReadableDrive;
  readonly #journalOf: JournalMaker;
  #troubles: Troubles;
  #server: { life: Life; operations: Operations } | undefined;
  /** Deaths at an await so far. */
  deaths = 0;
  clockOffsetMs = 0;

  private constructor(
    things: Pick<World, "chance" | "clock" | "store" | "device">,
    storage: ReadableDrive,
    troubles: Troubles,
    mutation: Mutation | undefined,
  ) {
    const { chance, clock, store, device } = things;
    this.chance = chance;
    this.clock = clock;
    this.store = store;
    this.device = device;
    this.#storage = storage;
    this.#troubles = troubles;
    this.#journalOf = mutatedJournal(mutation);
    this.journal = new Journal({ store, clock });
    device.setFaults({
      before: (command) => (command === "state" || command === "stored" ? this.#whileAsked() : this.#beforeMaking()),
      after: (command) => (command === "state" || command === "stored" ? { kind: "go-on" } : this.#afterMaking()),
      clockOffsetMs: () => this.clockOffsetMs,
    });
  }

  static async begin(seed: number, troubles: Troubles, mutation?: Mutation): Promise<World> {
    const chance = new SeededChance(seed);
    const clock = new VirtualClock(START_MS);
    const store = await openStore({ kind: "sqlite", file: ":memory:" }, { clock });
    await store.migrate();
    const storage = new ReadableDrive();
    const { device } = await VirtualDevice.open({ name: "simulated", storage, clock, chance, zone: ZONE });
    const world = new World({ chance, clock, store, device }, storage, troubles, mutation);
    world.start();
    return world;
  }

  /** The server that answers now, if one does. */
  get server(): { life: Life; operations: Operations } | undefined {
    return this.#server;
  }

  start(): void {
    const life = new Life((point) => this.#fate(point));
    const services = this.#servicesOf(life);
    const lanes = new Lanes();
    const operations = new Operations(services, lanes);
    new Recovery(services, lanes).start();
    this.#server = { life, operations };
    void life.died.then(() => {
      this.#server = undefined;
      this.clock.after(this.chance.below(LONGEST_ABSENCE_MS), () => this.start());
    });
  }

  /** Nothing goes wrong any more, and what was broken works again. */
  heal(): void {
    this.#troubles = CALM;
    this.device.powerOn();
    if (this.#server === undefined) this.start();
  }

  /** Waits for something of the world while its time goes on: a device that hesitates answers when it is done. */
  async wait<T>(work: Promise<T>, each: () => Promise<void> = async () => {}, stepMs = 500): Promise<T> {
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

  /** What the register's paper tells a person who settles a doubt by hand. */
  async settleByHand(entry: Entry): Promise<void> {
    const found = this.printed().find(({ reference }) => reference === entry.document.reference);
    const identity = await this.device.identify();
    if (identity.kind !== "answer") throw new BrokenPromise("the device does not say who it is");
    const outcome: JournalOutcome =
      found === undefined
        ? { kind: "refused", refusal: { code: "not-registered" } }
        : { kind: "done", facts: factsFrom(found, identity.value) };
    await this.journal.finish(entry, outcome, "person");
  }

  /** Everything that the drive holds, registration and confirmations left out; read past the device, as in a laboratory. */
  printed(): Printed[] {
    const records = this.#storage.contents().map(decodeRecord);
    return records.filter((record) => record.kind === "fiscal" || record.kind === "cash");
  }

  #servicesOf(life: Life): OperationServices {
    const clock = life.clock(this.clock);
    return {
      journal: this.#journalOf({ store: this.#storeOf(life), clock }),
      clock,
      log: silentLog,
      registers: { parse: parseAddress, at: () => this.#registerOf(life) },
      defaultRegister: "emulator:simulated",
      rulesOf: () => life.pass("settings", async () => RULES),
      drivesOf: () => "test",
      draw: ({ facts }) => life.pass("draw", async () => Buffer.from(JSON.stringify(facts))),
      observe: () => {},
    };
  }

  #storeOf(life: Life): JournalStore {
    return {
      commit: (work) => life.pass("commit", () => this.#unreliably(() => this.store.commit(work))),
      read: (work) => life.pass("read", () => this.store.read(work)),
    };
  }

  /** A commit that fails did nothing, or did all of it and could not say so. */
  async #unreliably<T>(commit: () => Promise<T>): Promise<T> {
    if (!this.chance.happens(this.#troubles.storeFailure)) return commit();
    const happened = this.chance.happens(0.5);
    if (happened) await commit();
    throw new Failure("database-failed", "dependency", "the disk is full", { retrySafe: !happened });
  }

  #registerOf(life: Life): Register {
    const register = new EmulatorRegister(life.clock(this.clock), async () => ({ device: this.device, close: async () => {} }));
    return {
      identity: (deadline) => life.pass("identity", () => register.identity(deadline)),
      inspect: (deadline) => life.pass("inspect", () => register.inspect(deadline)),
      perform: (document, deadline) => life.pass("perform", () => register.perform(document, deadline)),
      lookUp: (number, deadline) => life.pass("look-up", () => register.lookUp(number, deadline)),
      abandon: (deadline) => life.pass("abandon", () => register.abandon(deadline)),
      close: () => register.close(),
    };
  }

  #fate(_point: string): Fate {
    if (!this.chance.happens(this.#troubles.deathAtAwait)) return "live";
    this.deaths += 1;
    return this.chance.happens(0.5) ? "die-before" : "die-after";
  }

  #whileAsked(): Before {
    if (this.chance.happens(this.#troubles.clockJump)) this.clockOffsetMs += this.chance.below(LONGEST_JUMP_MS) - LONGEST_JUMP_MS / 3;
    return { kind: "go-on" };
  }

  #beforeMaking(): Before {
    if (!this.chance.happens(this.#troubles.deviceFault)) return { kind: "go-on" };
    const refusal: Before = { kind: "refuse", code: 0x11 };
    return this.chance.pick([() => this.#powerCut(), () => this.#hesitation(), () => refusal])();
  }

  #afterMaking(): After {
    if (!this.chance.happens(this.#troubles.deviceFault)) return { kind: "go-on" };
    const lost: After = { kind: "lose-reply" };
    return this.chance.pick([() => this.#powerCut(), () => this.#hesitation(), () => lost])();
  }

  #hesitation(): Before & After {
    return { kind: "wait", forMs: this.chance.below(LONGEST_HESITATION_MS) };
  }

  #powerCut(): Before & After {
    this.clock.after(this.chance.below(LONGEST_POWER_CUT_MS), () => this.device.powerOn());
    return { kind: "power-cut" };
  }
}
