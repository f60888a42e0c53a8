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

/** The part of the lease time during which the lease is safe. After it the holder stops, before another process can begin. */
const SAFE_PART = 2 / 3;
/**
 * The largest number of names whose counters are watched. Beyond it the name seen longest ago is forgotten; its watching begins again
 * later.
 */
const WATCHED_NAMES = 10_000;

type Counter = Pick<LeasesTable, "holder" | "token" | "counter">;

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
  readonly #watched = new Map<string, Watched>();

  constructor(services: { store: Pick<Store, "commit">; clock: Clock; chance: Chance; leaseMs: number }) {
    this.#store = services.store;
    this.#clock = services.clock;
    this.#holder = services.chance.uuid();
    this.#leaseMs = services.leaseMs;
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
    const endsMs = beginsMs + this.#leaseMs * SAFE_PART;
    return { name, token, isSafe: () => this.#clock.monotonicMs() < endsMs };
  }

  async #take(tx: Transaction<Tables>, name: string): Promise<number | undefined> {
    const fresh = { name, holder: this.#holder, token: 1 };
    const inserted = await freshInsert(tx, fresh);
    if ((inserted.numAffectedRows ?? 0n) > 0n) return fresh.token;
    const found = (await counterSelect(tx, { name })).rows[0];
    // Its holder has deleted it between the two statements.
    if (found === undefined) return undefined;
    if (found.holder !== "" && found.holder !== this.#holder && !this.#isDead(name, found)) return undefined;
    const { holder: before, token, counter } = found;
    const taken = await takeUpdate(tx, { name, before, token, counter, holder: this.#holder });
    return (taken.numAffectedRows ?? 0n) > 0n ? token + 1 : undefined;
  }

  /** True when the counter has not changed for a whole lease time while this process watched it. */
  #isDead(name: string, found: Counter): boolean {
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

const freshInsert = statement((db, fresh: Placeholders<Pick<LeasesTable, "name" | "holder" | "token">>) =>
  db
    .insertInto("leases")
    .values({ ...fresh, counter: 0 })
    .onConflict((conflict) => conflict.column("name").doNothing()),
);

const counterSelect = statement((db, { name }: Placeholders<{ name: string }>) =>
  db.selectFrom("leases").select(["holder", "token", "counter"]).where("name", "=", name),
);

const takeUpdate = statement((db, { name, before, token, counter, holder }: Placeholders<LeasesTable & { before: string }>) =>
  db
    .updateTable("leases")
    .set((row) => ({ holder, token: row("token", "+", 1), counter: 0 }))
    .where("name", "=", name)
    .where("holder", "=", before)
    .where("token", "=", token)
    .where("counter", "=", counter),
);

const raiseUpdate = statement((db, { name, token, holder }: Placeholders<Omit<LeasesTable, "counter">>) =>
  db
    .updateTable("leases")
    .set((row) => ({ counter: row("counter", "+", 1) }))
    .where("name", "=", name)
    .where("holder", "=", holder)
    .where("token", "=", token),
);

const releaseUpdate = statement((db, { name, token, holder }: Placeholders<Omit<LeasesTable, "counter">>) =>
  db.updateTable("leases").set({ holder: "" }).where("name", "=", name).where("holder", "=", holder).where("token", "=", token),
);
