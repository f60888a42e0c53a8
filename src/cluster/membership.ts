import type { Clock } from "../kernel/clock.ts";
import { Failure, messageOf } from "../kernel/failure.ts";
import type { Log } from "../kernel/log.ts";
import { Rounds } from "../kernel/rounds.ts";
import type { Store } from "../store/database.ts";
import { type LeaseKeeper, safeUntil } from "../store/lease.ts";
import * as queries from "./queries.ts";
import type { ClusterObserver } from "./services.ts";

/** The counter is raised three times in a lease time, so one lost renewal costs no lease. */
const RENEWALS_IN_LEASE = 3;
const READINGS_IN_LEASE = 6;
/** The longest time between two readings. With this limit all processes learn a decision within a second, however long a lease is. */
const LONGEST_READING_MS = 500;

interface MembershipServices {
  store: Pick<Store, "commit" | "read">;
  clock: Clock;
  log: Log;
  leaseMs: number;
  self: Omit<queries.NewProcess, "leaseMs" | "state">;
  observe: ClusterObserver;
}

interface Watched {
  counter: number;
  sinceMs: number;
}

/**
 * This process as a member of a cluster, in these states:
 *
 * - outside: before `join` and after `close`.
 * - counted: the process has a row and raises its counter again and again. `isSafe` is true for two thirds of a lease time after the last
 * successful renewal was sent.
 * - lost: another process saw an unchanged counter for a lease time and freed the leases, or the database has changed. All leases of this
 * process are void. The process becomes counted again, without any lease.
 */
export class Membership {
  readonly #services: MembershipServices;
  readonly #watched = new Map<string, Watched>();
  readonly #renewing: Rounds;
  readonly #looking: Rounds;
  #reading: queries.Reading | undefined;
  #running: Promise<queries.Reading> | undefined;
  #next = Promise.withResolvers<void>();
  #known: Omit<queries.Generation, "settled"> = { systemId: "", timeline: 0, generation: 0, leastToken: 1 };
  #state: "serving" | "leaving" = "serving";
  #renewal: Promise<void> | undefined;
  #losses = 0;
  #safeUntilMs = Number.NEGATIVE_INFINITY;
  #takeFromMs = Number.NEGATIVE_INFINITY;
  #settled = true;
  #lost: () => void = () => {};
  #read: (reading: queries.Reading) => void = () => {};

  constructor(services: MembershipServices) {
    this.#services = services;
    const { clock, leaseMs } = services;
    this.#renewing = new Rounds(clock, leaseMs / RENEWALS_IN_LEASE, () => this.renewNow());
    this.#looking = new Rounds(clock, Math.min(leaseMs / READINGS_IN_LEASE, LONGEST_READING_MS), () => this.look());
  }

  get id(): string {
    return this.#services.self.id;
  }

  get leaving(): boolean {
    return this.#state === "leaving";
  }

  /** The last reading. Throws before `join`. */
  get reading(): queries.Reading {
    if (this.#reading === undefined) throw new Failure("cluster-not-joined", "fault", "the process has not joined its cluster");
    return this.#reading;
  }

  /** `lost`: called when all leases of this process became void. `read`: called after each reading. Neither may throw. */
  listen(lost: () => void, read: (reading: queries.Reading) => void): void {
    this.#lost = lost;
    this.#read = read;
  }

  /**
   * Writes the row of this process and reads all rows. Throws a `Failure` when this process has settings that do not fit those of a living
   * process.
   */
  async join(): Promise<void> {
    const { store, self, leaseMs } = this.#services;
    const sentMs = this.#services.clock.monotonicMs();
    const found = await store.commit(async (tx) => {
      const generation = await queries.standingGeneration(tx);
      for (const other of await queries.livingProcesses(tx)) mustFit(other, { ...self, leaseMs });
      await queries.forgetLost(tx);
      await queries.writeProcess(tx, { ...self, leaseMs, state: this.#state });
      return generation;
    });
    this.#begin(found, sentMs);
    await this.readAnew();
  }

  start(): void {
    this.#renewing.start();
    this.#looking.start();
  }

  /** True while no other process can count this process as lost. Uses only the monotonic clock. */
  isSafe(): boolean {
    return this.#services.clock.monotonicMs() < this.#safeUntilMs;
  }

  /** Whether this process may take free leases now. False for a lease time after this process found an unsettled generation. */
  mayTake(): boolean {
    return this.isSafe() && this.#services.clock.monotonicMs() >= this.#takeFromMs;
  }

  /** How often this process lost all its leases. A lease requested before a loss is void. */
  get losses(): number {
    return this.#losses;
  }

  /** Whether this is the database that this process knows from its last `join` or return. */
  isSameDatabase({ systemId, timeline }: queries.DatabaseIdentity): boolean {
    return systemId === this.#known.systemId && timeline === this.#known.timeline;
  }

  /** Returns what this process needs to take leases of one kind. */
  keeperOf(kind: string): LeaseKeeper {
    return {
      kind,
      holder: this.id,
      mayHold: (tx) => queries.isCounted(tx, this.id),
      leastToken: () => this.#known.leastToken,
      isSafe: () => this.isSafe(),
    };
  }

  /** Raises the counter now. Simultaneous callers share one renewal. Never rejects; `isSafe` shows the result. */
  renewNow(): Promise<void> {
    this.#renewal ??= this.#renew().finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  /** Reads everything now. Simultaneous callers share one statement. */
  readAnew(): Promise<queries.Reading> {
    this.#running ??= this.#readOnce().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Resolves after the next reading, or at `close`. The promise of a call after `close` never resolves. */
  nextReading(): Promise<void> {
    return this.#next.promise;
  }

  /** Marks this process as leaving and reads everything. Throws when the database fails. */
  async leave(): Promise<void> {
    this.#state = "leaving";
    await this.#services.store.commit((tx) => queries.setState(tx, this.id, "leaving"));
    await this.readAnew();
  }

  /** Frees all leases and removes the row. Never throws: the unchanged counter also shows the end to other processes. */
  async close(): Promise<void> {
    await this.#renewing.close();
    await this.#looking.close();
    this.#safeUntilMs = Number.NEGATIVE_INFINITY;
    // No reading follows any more. Callers that wait later wait until their own deadlines.
    this.#freeWaiting()();
    try {
      await this.#services.store.commit((tx) => queries.deleteProcess(tx, this.id));
    } catch (error) {
      this.#services.log.warn({ error: messageOf(error) }, "the cluster could not be told that the process ends");
    }
  }

  async #readOnce(): Promise<queries.Reading> {
    const reading = await this.#services.store.read((db) => queries.readCluster(db));
    this.#reading = reading;
    this.#watch(reading.processes);
    const free = this.#freeWaiting();
    this.#read(reading);
    free();
    return reading;
  }

  /** Returns a function that ends the wait of the present callers. Later callers wait for another reading. */
  #freeWaiting(): () => void {
    const { resolve } = this.#next;
    this.#next = Promise.withResolvers();
    return resolve;
  }

  /**
   * Reads anew. Counts a process as lost after a lease time with an unchanged counter. Settles a new generation after a lease time. Never
   * rejects.
   */
  async look(): Promise<void> {
    const { store, clock, log, leaseMs, observe } = this.#services;
    try {
      await this.readAnew();
      for (const dead of this.reading.processes.filter((one) => this.#isDead(one))) {
        if (!(await store.commit((tx) => queries.markLost(tx, dead)))) continue;
        observe.takenOver("silent");
        log.warn({ process: dead.id, url: dead.url, leaseMs }, "a process of the cluster is silent: its registers are free");
        await this.readAnew();
      }
      if (!this.#settled && clock.monotonicMs() >= this.#takeFromMs) {
        await store.commit((tx) => queries.settleGeneration(tx, this.#known.generation));
        this.#settled = true;
      }
    } catch (error) {
      log.error({ error: messageOf(error) }, "the cluster could not be read");
    }
  }

  /** Stores when each counter value was first seen. The time is taken after the reading, so it is never too early. */
  #watch(processes: readonly queries.ProcessRow[]): void {
    const nowMs = this.#services.clock.monotonicMs();
    for (const { id, counter } of processes) {
      if (this.#watched.get(id)?.counter !== counter) this.#watched.set(id, { counter, sinceMs: nowMs });
    }
    const there = new Set(processes.map(({ id }) => id));
    for (const id of this.#watched.keys()) if (!there.has(id)) this.#watched.delete(id);
  }

  #isDead({ id, state, counter }: queries.ProcessRow): boolean {
    const { clock, leaseMs } = this.#services;
    const watched = this.#watched.get(id);
    if (id === this.id || state === "lost" || watched?.counter !== counter) return false;
    return clock.monotonicMs() - watched.sinceMs >= leaseMs;
  }

  async #renew(): Promise<void> {
    const { store, clock, log, leaseMs, observe } = this.#services;
    const sentMs = clock.monotonicMs();
    try {
      const raised = await store.commit((tx) => queries.raiseCounter(tx, this.id));
      if (raised === undefined || !this.isSameDatabase(raised)) {
        await this.#comeBack();
        return;
      }
      this.#safeUntilMs = safeUntil(sentMs, leaseMs);
      observe.renewed(clock.monotonicMs() - sentMs);
    } catch (error) {
      log.error({ error: messageOf(error) }, "the lease of this process could not be renewed");
    }
  }

  async #comeBack(): Promise<void> {
    const { store, clock, log, self, leaseMs } = this.#services;
    this.#safeUntilMs = Number.NEGATIVE_INFINITY;
    log.warn({ process: self.id }, "this process was counted as lost, or the database is another one: it begins without leases");
    this.#losses += 1;
    this.#lost();
    const sentMs = clock.monotonicMs();
    const found = await store.commit(async (tx) => {
      const generation = await queries.standingGeneration(tx);
      await queries.writeProcess(tx, { ...self, leaseMs, state: this.#state });
      return generation;
    });
    this.#begin(found, sentMs);
    await this.readAnew();
  }

  #begin({ settled, ...known }: queries.Generation, sentMs: number): void {
    const { clock, leaseMs } = this.#services;
    this.#known = known;
    this.#settled = settled;
    this.#takeFromMs = settled ? Number.NEGATIVE_INFINITY : clock.monotonicMs() + leaseMs;
    this.#safeUntilMs = safeUntil(sentMs, leaseMs);
  }
}

type Settings = Pick<queries.ProcessRow, "url" | "leaseMs" | "keyCheck">;

/**
 * Throws when the settings of two processes do not fit. A row in the state lost may have this process's own address: after a process was
 * cut off, the database keeps its connection for half a minute, and the process may start again meanwhile.
 */
function mustFit(other: Settings & Pick<queries.ProcessRow, "state">, own: Settings): void {
  const problem =
    other.keyCheck !== own.keyCheck
      ? `SECRET_KEY expects the key of the process at ${other.url}, which shares the database`
      : other.leaseMs !== own.leaseMs
        ? `CLUSTER_LEASE_MS expects ${other.leaseMs}, as the process at ${other.url} has it; it is ${own.leaseMs}`
        : other.url === own.url && other.state !== "lost"
          ? `CLUSTER_URL expects an address of its own; ${own.url} belongs to a process that runs`
          : undefined;
  if (problem !== undefined) throw new Failure("configuration", "caller", problem);
}
