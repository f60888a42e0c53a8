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
  /** True while certainly no other process has taken the lease. Call it before work that cannot be undone. */
  readonly isSafe: () => boolean;
}

/**
 * Returns the monotonic time until which a holder may work. `sentMs`: the time just before the query that last took or renewed the lease.
 */
export function safeUntil(sentMs: number, leaseMs: number): number {
  return sentMs + leaseMs * SAFE_PART;
}

/**
 * Returns the first token for a server that starts now, or that now finds a changed database. An agent keeps the highest token that it has
 * seen. A dump lacks later tokens, so each restore would count from the same number.
 *
 * The returned number grows faster with time than tokens are given, so it exceeds all earlier tokens. A clock beyond the year 2105 counts
 * as 2105, so that tokens stay exact integers.
 */
export function firstTokenAt(nowMs: number): number {
  return Math.min(Math.floor(nowMs), LAST_MS) * TOKENS_A_MS;
}

/** How much the first token grows in each millisecond: far more than a register can have new holders in a millisecond. */
const TOKENS_A_MS = 2_097;
/** The year 2105. Above its first token at least 2 ** 46 further tokens are exact integers. */
const LAST_MS = Date.UTC(2105, 0);

/** The safe part of the lease time. The holder stops after this part, before another process can begin. */
const SAFE_PART = 2 / 3;
/** The largest number of watched names. Beyond it the name that was noted longest ago is forgotten, and watching this name begins again. */
const WATCHED_NAMES = 10_000;

type Counter = Pick<LeasesTable, "holder" | "token" | "counter">;

/**
 * One process of a cluster, with one counter for many leases. A watcher that sees this counter unchanged frees all leases of the process
 * (cluster/membership.ts). PostgreSQL only.
 */
export interface LeaseKeeper {
  /** The kind of the leases, a separate set of names. */
  readonly kind: string;
  /** The id of the process. */
  readonly holder: string;
  /** Whether the process may take leases. Locks the row of the process, so that nobody counts it as lost meanwhile. */
  mayHold(tx: Transaction<Tables>): Promise<boolean>;
  /** The lower bound of new tokens. */
  leastToken(): number;
  isSafe(): boolean;
}

interface Watched extends Counter {
  sinceMs: number;
}

/**
 * Leases in the database. A process takes a free lease immediately. Without a `LeaseKeeper` it takes another process's lease when the
 * counter of the lease has not changed for a whole lease time, by its own monotonic clock. Clocks of two machines are never compared. Every
 * commit of a holder's work must call `holds`, so that a holder whose lease is lost changes nothing.
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

  /**
   * Takes the lease. Undefined: another process has the lease, or the keeper's process may take no leases now. Only one caller at a time
   * may call this for a name.
   */
  async take(name: string): Promise<Lease | undefined> {
    const beginsMs = this.#clock.monotonicMs();
    const token = await this.#store.commit((tx) => this.#take(tx, name));
    return token === undefined ? undefined : this.#lease(name, token, beginsMs);
  }

  /** Like `take`, within the caller's transaction. The lease is valid once the transaction is committed. */
  async takeIn(tx: Transaction<Tables>, name: string): Promise<Lease | undefined> {
    const beginsMs = this.#clock.monotonicMs();
    const token = await this.#take(tx, name);
    return token === undefined ? undefined : this.#lease(name, token, beginsMs);
  }

  /** Raises the counter, which shows other processes that the holder is alive. Undefined: the lease was lost. */
  async renew(lease: Lease): Promise<Lease | undefined> {
    const beginsMs = this.#clock.monotonicMs();
    const held = await this.#store.commit((tx) => raise(tx, lease, this.#holder));
    return held ? this.#lease(lease.name, lease.token, beginsMs) : undefined;
  }

  /** False: another process has taken the lease, and the caller's transaction must change nothing. */
  async holds(tx: Transaction<Tables>, lease: Lease): Promise<boolean> {
    return await raise(tx, lease, this.#holder);
  }

  /** Releases the lease within the caller's transaction. Safe to repeat. */
  async releaseIn(tx: Transaction<Tables>, { name, token }: Lease): Promise<void> {
    await releaseUpdate(tx, { name, token, holder: this.#holder });
  }

  release(lease: Lease): Promise<void> {
    return this.#store.commit((tx) => this.releaseIn(tx, lease));
  }

  /** Deletes the lease of a subject that needs no more work, unless another process holds the lease. */
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

  /** Whether this process has seen the counter unchanged for a whole lease time. */
  #isDead(name: string, found: Counter): boolean {
    // With a keeper, the leases of a lost process are freed together. So a lease that still has a holder is alive.
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
