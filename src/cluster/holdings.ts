import { messageOf } from "../kernel/failure.ts";
import type { Log } from "../kernel/log.ts";
import { PerKeyWork } from "../kernel/per-key-work.ts";
import { Slots } from "../kernel/work/slots.ts";
import type { Lease, Leases } from "../store/lease.ts";
import { REGISTER_LEASES, registerLease } from "./lease-names.ts";
import type { Membership } from "./membership.ts";
import type { LeaseRow, ProcessRow, Reading } from "./queries.ts";
import type { ClusterObserver } from "./services.ts";

/**
 * The maximum number of registers that are closed and released at the same time to be given away. More would use all database connections
 * of a process with hundreds of registers.
 */
const GIVEN_AT_ONCE = 8;

export interface HoldingServices {
  membership: Membership;
  leases: Leases;
  log: Log;
  observe: ClusterObserver;
  /** Resolves when the lane of a register has no work. */
  idle(register: string): Promise<void>;
  /** Closes the link to a register and releases its claims. */
  release(register: string): Promise<void>;
  /** Called with each reading. The function starts work and does not wait for its end. */
  alsoRead?(reading: Reading): void;
  /** The process that must have a register, as of a reading. Undefined: any process may have it. */
  preferred?(register: string, reading: Reading): string | undefined;
}

export interface Holding {
  readonly lease: Lease;
  /** False for ever once another process may have taken the register. */
  readonly stands: boolean;
  /** How often sending or permission was refused, because the lease was uncertain at that moment. */
  refusals: number;
}

interface Held extends Holding {
  stands: boolean;
  /** Set while the register is given away. This process begins no new work at the register meanwhile. */
  going?: Promise<void>;
}

type Place =
  | { kind: "here" }
  | { kind: "there"; process: ProcessRow }
  /** This process must take the register first. */
  | { kind: "free" };

/** The registers of this process, and the known holders of all other registers. */
export class Holdings {
  readonly #services: HoldingServices;
  readonly #held = new Map<string, Held>();
  readonly #taking = new PerKeyWork<boolean>();
  /** The links of lost registers that are being closed. */
  readonly #closing = new Map<string, Promise<void>>();
  readonly #slots = new Slots(GIVEN_AT_ONCE);
  #giving: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(services: HoldingServices) {
    this.#services = services;
    services.membership.listen(
      () => this.#loseAll(),
      (reading) => {
        this.#follow(reading);
        services.alsoRead?.(reading);
      },
    );
  }

  /** Whether a register must be at another process, as of the last reading. */
  mustGo(register: string): boolean {
    const { membership, preferred } = this.#services;
    const at = preferred?.(register, membership.reading);
    return at !== membership.id && membership.reading.processes.some(({ id, state }) => id === at && state !== "lost");
  }

  /** Returns the newest known token of a register at any process. 0: no process has had the register. */
  tokenOf(register: string): number {
    const row = this.#services.membership.reading.leases.find(({ name }) => name === registerLease(register));
    return Math.max(row?.token ?? 0, this.#held.get(register)?.lease.token ?? 0);
  }

  /** The registers of this process, also those that it is giving away. */
  get registers(): string[] {
    return [...this.#held.keys()];
  }

  /** The holding for new work at the register. Undefined: this process does not have the register, or is giving it away. */
  of(register: string): Holding | undefined {
    const held = this.#held.get(register);
    return held?.stands === true && held.going === undefined ? held : undefined;
  }

  /** Like `of`, but includes a register that will be given away after its running work. */
  until(register: string): Holding | undefined {
    const held = this.#held.get(register);
    return held?.stands === true ? held : undefined;
  }

  /** Takes a free register if this process may. True: the register's work is done here. */
  async enter(register: string): Promise<boolean> {
    const { membership } = this.#services;
    // A process that was paused may have lost its leases, so it first renews them.
    if (!membership.isSafe()) await membership.renewNow();
    if (this.of(register) !== undefined) return membership.isSafe();
    if (this.place(register).kind !== "free") return false;
    return await this.#taking.join(register, undefined, () => this.#take(register)).result;
  }

  /** Returns where the register's work is done, as of the last reading. */
  place(register: string): Place {
    const { membership, preferred } = this.#services;
    if (this.of(register) !== undefined) return { kind: "here" };
    const { processes, leases } = membership.reading;
    const row = leases.find(({ name }) => name === registerLease(register));
    const holder = processes.find(({ id, state }) => id === row?.holder && state !== "lost");
    if (holder !== undefined && holder.id !== membership.id) return { kind: "there", process: holder };
    const at = preferred?.(register, membership.reading);
    const preferredProcess = processes.find(({ id, state }) => id === at && state !== "lost");
    const wanted = preferredProcess ?? processes.find((one) => one.id === row?.wanted && isOpen(one));
    if (wanted !== undefined) return wanted.id === membership.id ? { kind: "free" } : { kind: "there", process: wanted };
    const self = processes.find(({ id }) => id === membership.id);
    if (!membership.leaving && self?.draining !== true) return { kind: "free" };
    const other = leastLoaded(membership.reading, membership.id);
    return other === undefined ? { kind: "free" } : { kind: "there", process: other };
  }

  /** Ends the holding after the register's running work. The next process that asks gets the register. Safe to repeat. */
  async giveAway(register: string): Promise<void> {
    const held = this.#held.get(register);
    if (held === undefined) return;
    held.going ??= this.#give(register, held);
    await held.going;
  }

  /** Ends all holdings as `giveAway` does. */
  async giveAllAway(): Promise<void> {
    await Promise.all(this.registers.map((register) => this.giveAway(register)));
  }

  /** Gives all registers away. Later readings move no registers. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#giving;
    await this.giveAllAway();
  }

  async #take(register: string): Promise<boolean> {
    const { membership, leases, observe } = this.#services;
    // The link of an earlier holding may still be open, so the new holding begins after the link is closed.
    await this.#held.get(register)?.going;
    await this.#closing.get(register);
    if (this.of(register) !== undefined) return true;
    if (this.place(register).kind !== "free" || !membership.mayTake()) return false;
    const { losses } = membership;
    const lease = await leases.take(registerLease(register));
    if (lease !== undefined && membership.losses === losses) {
      this.#held.set(register, { lease, stands: true, refusals: 0 });
      observe.takenOver("free");
    }
    await membership.readAnew();
    return this.of(register) !== undefined;
  }

  async #give(register: string, held: Held): Promise<void> {
    const { idle, log } = this.#services;
    try {
      // The work of many registers may end at the same time, so only the rest needs a slot.
      await idle(register);
      await this.#slots.run(() => this.#release(register, held));
    } catch (error) {
      // The lease may stay with this process until the process ends or is counted as lost.
      log.error({ register, error: messageOf(error) }, "a register could not be given to another process");
    } finally {
      if (this.#held.get(register) === held) this.#held.delete(register);
    }
  }

  async #release(register: string, held: Held): Promise<void> {
    const { idle, release, leases, membership } = this.#services;
    // Other work may have entered the lane during the wait for the slot.
    await idle(register);
    held.stands = false;
    await release(register);
    await leases.release(held.lease);
    await membership.readAnew();
  }

  #loseAll(): void {
    for (const [register, held] of this.#held) this.#drop(register, held);
  }

  /**
   * Starts what a reading asks for, without waiting: gives away registers that other processes shall have, ends holdings with void leases,
   * and takes registers that this process shall have.
   */
  #follow(reading: Reading): void {
    const { leases, processes } = reading;
    const { membership, preferred } = this.#services;
    if (this.#closed) return;
    const rows = new Map(leases.map((row) => [row.name, row]));
    const isElsewhere = leastLoaded({ leases, processes }, membership.id) !== undefined;
    const self = processes.find(({ id }) => id === membership.id);
    const goes = isElsewhere && (membership.leaving || self?.draining === true);
    for (const [register, held] of this.#held) {
      if (held.going !== undefined) continue;
      const row = rows.get(registerLease(register));
      const at = preferred?.(register, reading);
      const isWantedElsewhere = row?.wanted !== membership.id && processes.some((one) => one.id === row?.wanted && isOpen(one));
      if (this.mustGo(register) || (at !== membership.id && (goes || isWantedElsewhere))) this.#start(this.giveAway(register));
      else if (row !== undefined && isVoid(held.lease.token, row, membership.id)) this.#drop(register, held);
    }
    for (const { name, holder, wanted } of leases) {
      const isMine = holder === "" && wanted === membership.id && name.startsWith(REGISTER_LEASES);
      if (isMine && !membership.leaving) this.#start(this.enter(name.slice(REGISTER_LEASES.length)));
    }
  }

  /** Ends a holding with a void lease. The device may accept only one connection, so the link is closed for the next holder. */
  #drop(register: string, held: Held): void {
    held.stands = false;
    this.#held.delete(register);
    const { release, log } = this.#services;
    const closed = release(register)
      .catch((error: unknown) => log.error({ register, error: messageOf(error) }, "the link to a lost register could not be closed"))
      .finally(() => this.#closing.delete(register));
    this.#closing.set(register, closed);
  }

  #start(work: Promise<unknown>): void {
    const { log } = this.#services;
    const done = work.then(
      () => {},
      (error: unknown) => log.error({ error: messageOf(error) }, "a register could not change hands"),
    );
    this.#giving = Promise.all([this.#giving, done]).then(() => {});
  }
}

/** Whether a reading proves that a lease is void. A reading from before the lease shows an earlier token and proves nothing. */
function isVoid(token: number, row: LeaseRow, self: string): boolean {
  return row.token > token || (row.token === token && row.holder !== self);
}

/** Whether other processes may give registers to the process of the row. */
function isOpen({ state, draining }: ProcessRow): boolean {
  return state === "serving" && !draining;
}

/** Returns, among other open processes, the process with the fewest registers. */
function leastLoaded({ processes, leases }: Pick<Reading, "processes" | "leases">, except: string): ProcessRow | undefined {
  const load = (id: string) => leases.filter((row: LeaseRow) => row.holder === id).length;
  const open = processes.filter((one) => isOpen(one) && one.id !== except);
  return open.reduce<ProcessRow | undefined>((best, one) => (best === undefined || load(one.id) < load(best.id) ? one : best), undefined);
}
