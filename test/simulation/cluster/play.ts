import { sql } from "kysely";
import { Fence } from "../../../src/cluster/fence.ts";
import { Holdings } from "../../../src/cluster/holdings.ts";
import { Membership } from "../../../src/cluster/membership.ts";
import { type Chance, pause } from "../../../src/kernel/clock.ts";
import { Failure } from "../../../src/kernel/failure.ts";
import { silentLog } from "../../../src/kernel/log.ts";
import type { Store } from "../../../src/store/database.ts";
import { Leases } from "../../../src/store/lease.ts";
import { SeededRandom } from "../../../src/tools/seeded-random.ts";
import { Conductor } from "./conductor.ts";
import { Devices } from "./devices.ts";

const LEASE_MS = 3_000;
const PROCESSES = ["one", "two", "three"];
const REGISTERS = ["front", "back", "cellar"];
const COMMANDS_OF_DOCUMENT = 4;
/** The longest pause and the longest cut, in leases. */
const LONGEST_LEASES = 10;
/** The length of the calm at the end of a run, in leases. In it everything must work again. */
const CALM_LEASES = 8;
/** How often in a second of the simulation something goes wrong. */
const TROUBLES_A_SECOND = 0.5;

export interface ClusterRun {
  seed: number;
  documents: number;
  commands: number;
  /** How often a register was sent a command by another process than before. */
  changes: number;
  lost: number;
  switches: number;
  /** The promise that was broken. */
  broken?: string;
}

/**
 * The safeguards that a run can switch off, to test that the simulation notices. `clock`: the holder asks its clock before each command.
 */
export const CLUSTER_MUTATIONS = ["clock"] as const;
export type ClusterMutation = (typeof CLUSTER_MUTATIONS)[number];

interface Played {
  store: Store;
  seed: number;
  lastingMs: number;
  mutation?: ClusterMutation;
}

/**
 * Three processes that use three registers by turns. Any process may be paused at any await for up to ten leases, or cut off from the
 * database; an answer of the database may be lost; the database may be switched to a standby that lacks the last commits. Between the first
 * command of a holder and its last there must be none of another, and in the end every register must be used again.
 */
export async function playCluster({ store, seed, lastingMs, mutation }: Played): Promise<ClusterRun> {
  const random = new SeededRandom(seed);
  const conductor = new Conductor(random);
  const devices = new Devices();
  const database = new UnreliableDatabase(store, conductor, random);
  await database.begin();
  const crew = PROCESSES.map(
    (name) => new SimulatedProcess(name, { conductor, devices, database, random, ...(mutation === undefined ? {} : { mutation }) }),
  );
  for (const process of crew) process.start();
  let troubledMs = 0;
  await conductor.playUntil(lastingMs, async () => {
    if (conductor.nowMs - troubledMs < 1_000 / TROUBLES_A_SECOND) return;
    troubledMs = conductor.nowMs;
    const name = PROCESSES[random.below(PROCESSES.length)] ?? "";
    const forMs = random.fraction() ** 3 * LONGEST_LEASES * LEASE_MS;
    const share = random.fraction();
    if (share < 0.5) conductor.pause(name, forMs);
    else if (share < 0.85) database.cut(name, forMs);
    else if (share < 0.95) await database.keepCopy();
    else await database.switchToCopy();
  });
  database.calm();
  devices.beginCalm();
  await conductor.playUntil(lastingMs + CALM_LEASES * LEASE_MS + LONGEST_LEASES * LEASE_MS, async () => {});
  const waiting = REGISTERS.filter((register) => !devices.worksInCalm(register));
  const broken = devices.broken ?? (waiting.length > 0 ? `nobody uses ${waiting.join(", ")} any more` : undefined);
  const lost = crew.reduce((sum, { losses }) => sum + losses, 0);
  return { seed, ...devices.counts, lost, switches: database.switches, ...(broken === undefined ? {} : { broken }) };
}

interface Around {
  conductor: Conductor;
  devices: Devices;
  database: UnreliableDatabase;
  random: SeededRandom;
  mutation?: ClusterMutation;
}

class SimulatedProcess {
  readonly #name: string;
  readonly #around: Around;
  readonly #membership: Membership;
  readonly #holdings: Holdings;
  readonly #fence: Fence;
  readonly #clock: ReturnType<Conductor["clockOf"]>;
  readonly #busy = new Set<string>();

  constructor(name: string, around: Around) {
    const { conductor, database } = around;
    this.#name = name;
    this.#around = around;
    const clock = conductor.clockOf(name);
    const store = database.of(name);
    const observe = { renewed() {}, takenOver() {}, fenced() {}, forwarded() {} };
    const self = { id: name, url: `http://${name}:9101`, version: "1", keyCheck: "key", sessionPid: 0 };
    const chance: Chance = { bytes: (count) => Buffer.alloc(count), uuid: () => name };
    this.#clock = clock;
    this.#membership = new Membership({ store, clock, log: silentLog, leaseMs: LEASE_MS, self, observe });
    const leases = new Leases({ store, clock, chance, leaseMs: LEASE_MS, keeper: this.#membership.keeperOf("register") });
    const idle = async (register: string) => {
      while (this.#busy.has(register)) await pause(clock, 10);
    };
    this.#holdings = new Holdings({ membership: this.#membership, leases, log: silentLog, observe, idle, release: async () => {} });
    this.#fence = new Fence({ store, membership: this.#membership, holdings: this.#holdings, observe });
  }

  get losses(): number {
    return this.#membership.losses;
  }

  start(): void {
    void this.#begin();
  }

  async #begin(): Promise<void> {
    await this.#again(() => this.#membership.join());
    this.#membership.start();
    for (const register of REGISTERS) void this.#sell(register);
  }

  /** Tries until the database answers. */
  async #again(work: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        await work();
        return;
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        await pause(this.#clock, 500);
      }
    }
  }

  async #sell(register: string): Promise<void> {
    const { random } = this.#around;
    for (;;) {
      await pause(this.#clock, 20 + random.below(600));
      await this.#again(async () => {
        if (!(await this.#holdings.enter(register))) return;
        this.#busy.add(register);
        try {
          await this.#document(register);
        } finally {
          this.#busy.delete(register);
        }
        if (random.fraction() < 0.1) await this.#holdings.giveAway(register);
      });
    }
  }

  async #document(register: string): Promise<void> {
    const { conductor, devices, database, random, mutation } = this.#around;
    const { token, maySend } = this.#fence.sending(register);
    const mayRegister = this.#fence.permission(register);
    if (!(await database.of(this.#name).commit((tx) => this.#fence.holds(tx, register)))) return;
    for (let command = 1; command <= COMMANDS_OF_DOCUMENT; command += 1) {
      await conductor.suspend(this.#name, 1 + random.below(40));
      if (command === COMMANDS_OF_DOCUMENT && !(await mayRegister())) return;
      // The question and the command are in one turn of the event loop, without an await between them.
      if (mutation !== "clock" && !maySend()) return;
      devices.send(register, { process: this.#name, token, registers: command === COMMANDS_OF_DOCUMENT });
    }
  }
}

type ProcessStore = Pick<Store, "commit" | "read">;

/** The tables that the processes share. A copy of them is what a standby has. */
const TABLES = ["cluster_state", "cluster_processes", "leases"];

/** The database as each process reaches it. */
class UnreliableDatabase {
  readonly #store: Store;
  readonly #conductor: Conductor;
  readonly #random: SeededRandom;
  readonly #cutUntilMs = new Map<string, number>();
  #lostAnswers = 0.02;
  #timeline = 1;
  #hasCopy = false;
  switches = 0;

  constructor(store: Store, conductor: Conductor, random: SeededRandom) {
    this.#store = store;
    this.#conductor = conductor;
    this.#random = random;
  }

  async begin(): Promise<void> {
    for (const table of TABLES) await sql.raw(`delete from ${table}`).execute(this.#store.db);
    await this.#tellTimeline();
  }

  of(process: string): ProcessStore {
    return {
      commit: (work) => this.#reach(process, () => this.#store.commit(work), this.#lostAnswers),
      read: (work) => this.#reach(process, () => this.#store.read(work), 0),
    };
  }

  cut(process: string, forMs: number): void {
    this.#cutUntilMs.set(process, this.#conductor.nowMs + forMs);
  }

  calm(): void {
    this.#cutUntilMs.clear();
    this.#lostAnswers = 0;
  }

  /** Makes the standby lag from now on. */
  async keepCopy(): Promise<void> {
    for (const table of TABLES) {
      await sql.raw(`drop table if exists copy_of_${table}`).execute(this.#store.db);
      await sql.raw(`create table copy_of_${table} as select * from ${table}`).execute(this.#store.db);
    }
    this.#hasCopy = true;
  }

  /** The standby takes over. What was committed since the copy is lost. */
  async switchToCopy(): Promise<void> {
    if (!this.#hasCopy) return;
    for (const table of TABLES) {
      await sql.raw(`delete from ${table}`).execute(this.#store.db);
      await sql.raw(`insert into ${table} select * from copy_of_${table}`).execute(this.#store.db);
    }
    this.#hasCopy = false;
    this.#timeline += 1;
    this.switches += 1;
    await this.#tellTimeline();
  }

  async #tellTimeline(): Promise<void> {
    const { rows } = await sql<{ name: string }>`select current_schema() || '.pg_walfile_name(pg_lsn)' as name`.execute(this.#store.db);
    const file = this.#timeline.toString(16).padStart(8, "0").padEnd(24, "0");
    await sql
      .raw(`create or replace function ${rows[0]?.name} returns text language sql as $$ select '${file}' $$`)
      .execute(this.#store.db);
  }

  /** Plays one question to the database and its answer. The process may be paused at either of them. */
  async #reach<T>(process: string, work: () => Promise<T>, lostAnswers: number): Promise<T> {
    await this.#conductor.suspend(process, 1 + this.#random.below(10));
    this.#mustReach(process);
    const done = await this.#conductor.atDatabase(work);
    await this.#conductor.suspend(process, 1 + this.#random.below(10));
    if (this.#random.fraction() < lostAnswers) throw cutOff();
    this.#mustReach(process);
    return done;
  }

  #mustReach(process: string): void {
    if ((this.#cutUntilMs.get(process) ?? 0) > this.#conductor.nowMs) throw cutOff();
  }
}

function cutOff(): Failure {
  return new Failure("database-failed", "dependency", "the database does not answer", { retrySafe: false });
}
