import type { Kysely, Transaction } from "kysely";
import type { Chance, Clock } from "../kernel/clock.ts";
import type { Store } from "./database.ts";
import type { LeasesTable } from "./payment-tables.ts";
import { type Placeholders, statement } from "./statement.ts";
import type { Tables } from "./tables.ts";

/** The right of one process to work on something for a while. */
export interface Lease {
  readonly name: string;
  /** Grows with each holder. */
  readonly token: number;
  /** True while certainly no other process has taken the lease. Ask it before work that cannot be undone. */
  readonly isSafe: () => boolean;
}

/** Returns the monotonic time until which a holder may work whose last successful renewal was sent at `sentMs`. */
export function safeUntil(sentMs: number, leaseMs: number): number {
  return sentMs + leaseMs * SAFE_PART;
}

/**
 * Returns the first token of a server that starts, or that finds another database, at this time. An agent keeps the highest token that it
 * has seen. A dump lacks the tokens that were given after it was made, so each restore of the dump would count from the same number. The
 * number that is returned grows faster with the time than tokens are given. So it is above all tokens that were given since an earlier
 * start. A clock that shows a time after the year 2105 gets the number of that year, so that tokens can still be counted exactly.
 */
export function firstTokenAt(nowMs: number): number {
  return Math.min(Math.floor(nowMs), LAST_MS) * TOKENS_A_MS;
}

/** Far more than the holders that a register can have in a millisecond. */
const TOKENS_A_MS = 2_097;
/** The year 2105. Above it there is room for 2 ** 46 tokens that are whole numbers. */
const LAST_MS = Date.UTC(2105, 0);

/** The part of the lease time during which the lease is safe. After it the holder stops, before another process can begin. */
const SAFE_PART = 2 / 3;
/**
 * The largest number of names whose counters are watched. Beyond it the name seen longest ago is forgotten; its watching begins again
 * later.
 */
const WATCHED_NAMES = 10_000;

type Counter = Pick<LeasesTable, "holder" | "token" | "counter">;

/**
 * One process of a cluster, which holds many leases by one counter. A watcher that sees this counter stand still frees all leases of the
 * process at once (cluster/membership.ts). PostgreSQL only.
 */
export interface LeaseKeeper {
  /** The kind of the leases. The names of one kind stay apart from all others. */
  readonly kind: string;
  /** The id of the process. */
  readonly holder: string;
  /** Whether the process may take leases. Locks the row of the process, so that nobody counts the process as lost meanwhile. */
  mayHold(tx: Transaction<Tables>): Promise<boolean>;
  /** Every new token is at least this. */
  leastToken(): number;
  isSafe(): boolean;
}

interface Watched extends Counter {
  sinceMs: number;
}

/**
 * Leases in the database. A process takes a free lease at once. It takes another process's lease when its counter has not changed for a
 * whole lease time, measured on the monotonic clock of the process that waits. So clocks of two machines are never compared. Every commit
 * of a holder's work calls `holds`, so that a holder that continues too late changes nothing.
 */
export class Leases {
  readonly #store: Pick<Store, "commit">;
  readonly #clock: Clock;
  readonly #holder: string;
  readonly #leaseMs: number;
  readonly #keeper: LeaseKeeper | undefined;
  readonly #watched = new Map<string, Watched>();

  /** `keeper`: absent when each lease has its own counter. */
  constructor(services: { store: Pick<Store, "commit">; clock: Clock; chance: Chance; leaseMs: number; keeper?: LeaseKeeper }) {
    this.#store = services.store;
    this.#clock = services.clock;
    this.#holder = services.keeper?.holder ?? services.chance.uuid();
    this.#leaseMs = services.leaseMs;
    this.#keeper = services.keeper;
  }

  /** Takes the lease. Undefined: another process holds it. Only one caller at a time may call this for a name. */
  async take(name: string): Promise<Lease | undefined> {
    const beginsMs = this.#clock.monotonicMs();
    const token = await this.#store.commit((tx) => this.#take(tx, name));
    return token === undefined ? undefined : this.#lease(name, token, beginsMs);
  }

  /** Like `take`, within a transaction of the caller. The lease is valid when the transaction is committed. */
  async takeIn(tx: Transaction<Tables>, name: string): Promise<Lease | undefined> {
    const beginsMs = this.#clock.monotonicMs();
    const token = await this.#take(tx, name);
    return token === undefined ? undefined : this.#lease(name, token, beginsMs);
  }

  /** Raises the counter, so that other processes see that the holder is alive. Undefined: the lease was lost. */
  async renew(lease: Lease): Promise<Lease | undefined> {
    const beginsMs = this.#clock.monotonicMs();
    const held = await this.#store.commit((tx) => raise(tx, lease, this.#holder));
    return held ? this.#lease(lease.name, lease.token, beginsMs) : undefined;
  }

  /** False: another process has taken the lease, and the caller's transaction must change nothing. */
  async holds(tx: Transaction<Tables>, lease: Lease): Promise<boolean> {
    return await raise(tx, lease, this.#holder);
  }

  /** Gives the lease back within a transaction of the caller. Safe to repeat. */
  async releaseIn(tx: Transaction<Tables>, { name, token }: Lease): Promise<void> {
    await releaseUpdate(tx, { name, token, holder: this.#holder });
  }

  release(lease: Lease): Promise<void> {
    return this.#store.commit((tx) => this.releaseIn(tx, lease));
  }

  /** Deletes the lease of something on which no process works any more. */
  async forgetIn(tx: Transaction<Tables>, name: string): Promise<void> {
    await tx.deleteFrom("leases").where("name", "=", name).where("holder", "in", ["", this.#holder]).execute();
  }

  #lease(name: string, token: number, beginsMs: number): Lease {
    const keeper = this.#keeper;
    if (keeper !== undefined) return { name, token, isSafe: () => keeper.isSafe() };
    const endsMs = safeUntil(beginsMs, this.#leaseMs);
    return { name, token, isSafe: () => this.#clock.monotonicMs() < endsMs };
  }

  async #take(tx: Transaction<Tables>, name: string): Promise<number | undefined> {
    const keeper = this.#keeper;
    if (keeper !== undefined && !(await keeper.mayHold(tx))) return undefined;
    const kept = keeper === undefined ? {} : { kind: keeper.kind, since_ms: this.#clock.nowMs() };
    const fresh = { name, holder: this.#holder, token: Math.max(1, keeper?.leastToken() ?? 1), ...kept };
    const inserted = await freshInsert(tx, fresh);
    if ((inserted.numAffectedRows ?? 0n) > 0n) return fresh.token;
    const found = (await counterSelect(tx, { name })).rows[0];
    // The lease was deleted between the two statements.
    if (found === undefined) return undefined;
    if (found.holder !== "" && found.holder !== this.#holder && !this.#isDead(name, found)) return undefined;
    const { holder: before, token: earlier, counter } = found;
    const token = Math.max(earlier + 1, keeper?.leastToken() ?? 1);
    const since = keeper === undefined ? {} : { since_ms: kept.since_ms ?? null, wanted: null };
    const taken = await takeUpdate(tx, { name, before, earlier, token, counter, holder: this.#holder, ...since });
    return (taken.numAffectedRows ?? 0n) > 0n ? token : undefined;
  }

  /** True when the counter has not changed for a whole lease time while this process watched it. */
  #isDead(name: string, found: Counter): boolean {
    // With a keeper, all leases of a lost process are freed. So a holder that still has its lease is alive.
    if (this.#keeper !== undefined) return false;
    const nowMs = this.#clock.monotonicMs();
    const known = this.#watched.get(name);
    const same = known !== undefined && known.holder === found.holder && known.token === found.token && known.counter === found.counter;
    if (same) return nowMs - known.sinceMs >= this.#leaseMs;
    this.#watched.delete(name);
    this.#watched.set(name, { ...found, sinceMs: nowMs });
    const [oldest] = this.#watched.keys();
    if (this.#watched.size > WATCHED_NAMES && oldest !== undefined) this.#watched.delete(oldest);
    return false;
  }
}

async function raise(tx: Kysely<Tables>, { name, token }: Lease, holder: string): Promise<boolean> {
  const result = await raiseUpdate(tx, { name, token, holder });
  return (result.numAffectedRows ?? 0n) > 0n;
}

// Statements that are built once, because each turn of each payment runs all of them.

type Fresh = Pick<LeasesTable, "name" | "holder" | "token"> & Partial<Kept>;
type Kept = { kind: string; since_ms: number | null };

const freshInsert = statement((db, fresh: Placeholders<Fresh>) =>
  db
    .insertInto("leases")
    .values({ ...fresh, counter: 0 })
    .onConflict((conflict) => conflict.column("name").doNothing()),
);

const counterSelect = statement((db, { name }: Placeholders<{ name: string }>) =>
  db.selectFrom("leases").select(["holder", "token", "counter"]).where("name", "=", name),
);

type Taking = Pick<LeasesTable, "name" | "holder" | "token" | "counter"> & { before: string; earlier: number };

type TakenAt = Pick<Kept, "since_ms"> & { wanted: string | null };

const takeUpdate = statement((db, { name, before, earlier, token, counter, holder, ...since }: Placeholders<Taking & Partial<TakenAt>>) =>
  db
    .updateTable("leases")
    .set({ holder, token, counter: 0, ...since })
    .where("name", "=", name)
    .where("holder", "=", before)
    .where("token", "=", earlier)
    .where("counter", "=", counter),
);

type Held = Pick<LeasesTable, "name" | "token" | "holder">;

const raiseUpdate = statement((db, { name, token, holder }: Placeholders<Held>) =>
  db
    .updateTable("leases")
    .set((row) => ({ counter: row("counter", "+", 1) }))
    .where("name", "=", name)
    .where("holder", "=", holder)
    .where("token", "=", token),
);

const releaseUpdate = statement((db, { name, token, holder }: Placeholders<Held>) =>
  db.updateTable("leases").set({ holder: "" }).where("name", "=", name).where("holder", "=", holder).where("token", "=", token),
);
