import type { StoreSettings } from "../../../src/accounts/settings-schema.ts";
import { nextTurn } from "../../../src/kernel/clock.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";
import { BrokenPromise } from "../broken-promise.ts";
import { type DeathPlan, Deaths } from "../deaths.ts";
import { Life } from "../life.ts";
import { SeededChance } from "../seeded-chance.ts";
import { UnreliableStore } from "../unreliable-store.ts";
import { Bank } from "./bank.ts";
import type { NoticeBody } from "./bank-client.ts";
import { BankLine } from "./bank-line.ts";
import type { BankRecord, Character } from "./bank-payment.ts";
import { type PaymentMutation, switchOff } from "./mutation.ts";
import { type PaymentServer, serverOf } from "./server.ts";
import type { PaymentStorage } from "./storage.ts";
import { CALM, LONGEST_ABSENCE_MS, LONGEST_OFF_MS, type PaymentTroubles, stormOf } from "./troubles.ts";

export interface WorldOptions {
  storage: PaymentStorage;
  deaths: DeathPlan;
  mutation?: PaymentMutation;
}

/** 2 March 2026, 12:00 in Moscow. */
const START_MS = Date.UTC(2026, 2, 2, 9);
/** Share of runs with two processes on one database. */
const TWO_PROCESSES = 0.4;
/** Virtual time between two looks at whether something has ended. */
const STEP_MS = 250;
/** In so many turns of the event loop all work that needs no time ends. */
const MOST_TURNS = 500;
/** When nothing was under way for so many turns, the work has ended. */
const QUIET_TURNS = 3;
/** Longer than any work of the world takes, including a whole storm. */
const LONGEST_WAIT_MS = 24 * 3_600_000;
/** The largest number of tries in calm. Fewer processes die in it. */
const MOST_LOOKS = 5;
const LONGEST_NOTICE_MS = 20_000;
const JUMPS_EACH_MS = 1_000;

/** The database, the bank and the clock, which outlive the processes, and the living processes. */
export class PaymentWorld {
  readonly chance: SeededChance;
  readonly clock = new VirtualClock(START_MS);
  readonly deaths: Deaths;
  readonly bank: Bank;
  readonly settings: Pick<StoreSettings, "lateMoney" | "qrExpiryMinutes">;
  readonly storage: PaymentStorage;
  /** What a person was told: the text, and the payment that it is about. */
  readonly alerts: { payment: unknown; text: string }[] = [];
  /** True once the wall clock was set. */
  hasJumped = false;
  readonly #mutation: PaymentMutation | undefined;
  readonly #line: BankLine;
  readonly #store: UnreliableStore;
  readonly #processes: number;
  readonly #servers = new Set<PaymentServer>();
  #troubles: PaymentTroubles;
  #wallOffsetMs = 0;
  #jumpAtMs = 0;
  #broken: unknown;

  private constructor(seed: number, { storage, deaths, mutation }: WorldOptions) {
    this.chance = new SeededChance(seed);
    const { chance, clock } = this;
    const character: Character = seed % 2 === 0 ? "keyed" : "unkeyed";
    this.storage = storage;
    this.#mutation = mutation;
    this.deaths = new Deaths(deaths, chance);
    this.#troubles = stormOf(chance);
    this.settings = { lateMoney: chance.happens(0.75) ? "refund" : "person", qrExpiryMinutes: chance.pick([1, 1, 2, 3]) };
    this.#processes = chance.happens(TWO_PROCESSES) ? 2 : 1;
    const around = { clock, chance, troubles: () => this.#troubles };
    this.bank = new Bank(character, {
      ...around,
      changed: (record, status) => this.#notify(record, status),
      fail: (error) => this.fail(error),
    });
    this.#line = new BankLine(around);
    this.#store = new UnreliableStore(storage.counted, { clock, chance, troubles: () => this.#troubles.server });
  }

  static async begin(seed: number, options: WorldOptions): Promise<PaymentWorld> {
    await options.storage.clear();
    await switchOff(options.storage.store, options.mutation);
    const world = new PaymentWorld(seed, options);
    for (let count = 0; count < world.#processes; count += 1) world.#start(true);
    return world;
  }

  /** A process that can answer now. Undefined: there is none. */
  get server(): PaymentServer | undefined {
    const living = [...this.#servers];
    return living.length < 2 ? living[0] : this.chance.pick(living);
  }

  /** The wall clock of the server's machine. */
  get wallMs(): number {
    return this.clock.nowMs() + this.#wallOffsetMs;
  }

  /** Keeps an error, which the next look throws. */
  fail(error: unknown): void {
    this.#broken ??= error;
  }

  /** Ends all troubles and starts new processes, whose readings are driven by `follow`. */
  heal(): void {
    this.#troubles = CALM;
    this.#line.heal();
    for (const { life } of this.#servers) life.kill();
    this.#servers.clear();
    for (let count = 0; count < this.#processes; count += 1) this.#start(false);
  }

  /** Does the readings that are due now. */
  async follow(): Promise<void> {
    for (const server of this.#servers) await this.#waitAt(server, server.follower.look());
    for (const server of this.#servers) await this.#waitAt(server, server.turns.idle());
  }

  /** Has a process look for sales of paid payments. If the process dies meanwhile, another one does it. */
  async lookForSales(): Promise<void> {
    for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
      const { server } = this;
      if (server !== undefined) await this.#waitAt(server, server.sales.look());
      if (server?.life.alive === true) return;
      await this.clock.advance(LONGEST_ABSENCE_MS);
    }
    throw broken("run-ends", "no process lives");
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
    await this.#settle();
    const untilMs = this.clock.monotonicMs() + LONGEST_WAIT_MS;
    while (ended === undefined) {
      if (this.clock.monotonicMs() > untilMs) throw broken("run-ends", "what is waited for never ends");
      await this.clock.advance(STEP_MS);
      await this.#settle();
      this.#happen();
      await each();
      this.mustBeWhole();
    }
    if ("error" in ended) throw ended.error;
    return ended.value;
  }

  mustBeWhole(): void {
    if (this.#broken !== undefined) throw this.#broken;
  }

  /** Ends every process at the end of the run. */
  async end(): Promise<void> {
    this.#troubles = CALM;
    for (const { life } of this.#servers) life.kill();
    this.#servers.clear();
    await this.#settle();
    await switchOff(this.storage.store, undefined);
  }

  /** Waits for the work of a process. When the process ends, its work ends too. */
  async #waitAt({ life }: PaymentServer, work: Promise<unknown>): Promise<void> {
    await this.wait(Promise.race([work, life.died]));
  }

  /** Waits until all work that needs the database but no time has ended. */
  async #settle(): Promise<void> {
    let quiet = 0;
    for (let turn = 0; turn < MOST_TURNS && quiet < QUIET_TURNS; turn += 1) {
      await nextTurn();
      quiet = this.storage.isIdle ? quiet + 1 : 0;
    }
  }

  #happen(): void {
    const { chance, clock } = this;
    if (clock.monotonicMs() < this.#jumpAtMs) return;
    this.#jumpAtMs = clock.monotonicMs() + JUMPS_EACH_MS;
    const { clockJump, forgedNotification } = this.#troubles;
    if (chance.happens(clockJump)) {
      this.hasJumped = true;
      this.#wallOffsetMs = chance.below(LONGEST_OFF_MS) - LONGEST_OFF_MS / 2;
    }
    if (chance.happens(forgedNotification)) this.#forge();
  }

  /** Sends the bank's notification of a change: early, late, twice or never. */
  #notify(record: BankRecord, status: string): void {
    const { chance, clock } = this;
    const { noNotification, doubleNotification, earlyNotification } = this.#troubles;
    if (record.notificationUrl === undefined || chance.happens(noNotification)) return;
    const times = chance.happens(doubleNotification) ? 2 : 1;
    for (let time = 0; time < times; time += 1) {
      const delayMs = chance.happens(earlyNotification) ? 0 : chance.below(LONGEST_NOTICE_MS);
      clock.after(delayMs, () => this.#tell(record, { bankId: record.bankId, status, proof: chance.happens(0.7) ? "token" : "none" }));
    }
  }

  /** Sends a forged notification that a payment is paid. The server must not believe it. */
  #forge(): void {
    if (this.bank.records.length === 0) return;
    const record = this.chance.pick(this.bank.records);
    this.#tell(record, { bankId: record.bankId, status: "paid", proof: this.chance.happens(0.5) ? "forged" : "none" });
  }

  #tell(record: BankRecord, body: NoticeBody): void {
    const secret = record.notificationUrl?.split("/").at(-1) ?? "";
    const call = { acquirer: this.bank.character, secret, headers: {}, body: Buffer.from(JSON.stringify(body)), source: "10.0.0.1" };
    this.server?.notifications.take(call).catch((error: unknown) => this.alerts.push({ payment: undefined, text: String(error) }));
  }

  #start(follows: boolean): void {
    const life = new Life((point) => this.deaths.fate(point, this.#troubles.server));
    const server = serverOf(life, {
      clock: life.clock(this.clock, () => this.#wallOffsetMs),
      store: this.#store.of(life),
      chance: this.chance,
      reach: { bank: this.bank, line: this.#line },
      settings: this.settings,
      mutation: this.#mutation,
      alert: ({ payment }, text) => void this.alerts.push({ payment, text }),
    });
    this.#servers.add(server);
    if (follows) {
      server.follower.start();
      server.sales.start();
      server.notifications.start();
    }
    void life.died.then(() => this.#bury(server));
  }

  /** Removes a dead process. A supervisor starts the next one. */
  #bury(server: PaymentServer): void {
    if (!this.#servers.delete(server)) return;
    this.clock.after(this.chance.below(LONGEST_ABSENCE_MS), () => {
      if (this.#servers.size < this.#processes) this.#start(true);
    });
  }
}

/** A promise of the payments was broken. */
export function broken(name: string, what: string): BrokenPromise {
  return new BrokenPromise(`${name}: ${what}`);
}
