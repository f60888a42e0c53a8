import { AsyncLocalStorage } from "node:async_hooks";
import type { KyselyPlugin, PluginTransformQueryArgs, PluginTransformResultArgs, QueryResult, Transaction, UnknownRow } from "kysely";
import type { Clock } from "../../../src/kernel/clock.ts";
import { Failure } from "../../../src/kernel/failure.ts";
import type { LoyaltyStore } from "../../../src/loyalty/services.ts";
import type { Tables } from "../../../src/store/tables.ts";
import type { Life } from "../life.ts";

export type Tx = Transaction<Tables>;

/** The work of a transaction at the moment before its commit. */
export interface Landed {
  value: unknown;
  /** The time by the process's clock. */
  nowMs: number;
  life: Life;
  /** The members whose accounts were locked. */
  locked: ReadonlySet<string>;
  tx: Tx;
}

/** Watches the transactions of an order, also those of a process that has died. */
export interface Watch {
  landed(landed: Landed): Promise<void> | void;
  /** Called when the work has thrown a failure with this code, and nothing was committed. */
  refused(code: string, nowMs: number): void;
}

/** Changes a row that a process reads, as if a safeguard were missing. */
export type RowChange = (row: UnknownRow) => UnknownRow;

interface StoreParts {
  store: LoyaltyStore;
  fail(error: unknown): void;
  /** Each statement is a transaction of its own. */
  withoutTransactions: boolean;
}

class Killed extends Error {}

/** The database as the processes use it. Each process may die at any statement, and then its transaction is rolled back. */
export class WatchedStore {
  readonly #parts: StoreParts;
  readonly #watches = new AsyncLocalStorage<Watch>();

  constructor(parts: StoreParts) {
    this.#parts = parts;
  }

  /** Tells the watch of everything that the work commits. */
  watched<T>(watch: Watch, work: () => Promise<T>): Promise<T> {
    return this.#watches.run(watch, work);
  }

  /** `clock` is the process's clock. */
  of(life: Life, clock: Clock, change?: RowChange): LoyaltyStore {
    const { store, withoutTransactions } = this.#parts;
    return {
      commit: (work, what) => {
        const watch = this.#watches.getStore();
        const attempt = (tx: Tx) => this.#attempt(tx, { life, clock, watch, change }, work);
        return withoutTransactions ? store.read((db) => attempt(db as Tx)) : store.commit(attempt, what);
      },
      read: (work) => store.read((db) => work(change === undefined ? db : db.withPlugin(new RowPlugin(change)))),
    };
  }

  async #attempt<T>(
    tx: Tx,
    { life, clock, watch, change }: { life: Life; clock: Clock; watch: Watch | undefined; change: RowChange | undefined },
    work: (tx: Tx) => Promise<T>,
  ): Promise<T> {
    const locked = new Set<string>();
    const nowMs = clock.nowMs();
    let value: T;
    try {
      const mortal = tx.withPlugin(new LifePlugin(life, locked));
      value = await work(change === undefined ? mortal : mortal.withPlugin(new RowPlugin(change)));
    } catch (error) {
      if (error instanceof Failure) await this.#tell(() => watch?.refused(error.code, nowMs));
      throw error;
    }
    await this.#tell(() => watch?.landed({ value, nowMs, life, locked, tx }));
    return value;
  }

  /** A failure that the watch throws must not roll the database back, so it is kept. */
  async #tell(telling: () => Promise<void> | void): Promise<void> {
    try {
      await telling();
    } catch (error) {
      this.#parts.fail(error);
    }
  }
}

/** The statement that locks an account returns its whole row, with the member. */
function memberOfLock(row: UnknownRow): string | undefined {
  return typeof row.member_id === "string" && "entry_hash" in row && "has_bought" in row ? row.member_id : undefined;
}

class LifePlugin implements KyselyPlugin {
  readonly #life: Life;
  readonly #locked: Set<string>;

  constructor(life: Life, locked: Set<string>) {
    this.#life = life;
    this.#locked = locked;
  }

  transformQuery({ node }: PluginTransformQueryArgs) {
    return node;
  }

  /** Called after each statement. The work of a dead process must end here, so that the database rolls its transaction back. */
  async transformResult({ result }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    for (const row of result.rows) {
      const memberId = memberOfLock(row);
      if (memberId !== undefined) this.#locked.add(memberId);
    }
    if (!this.#life.survives("statement")) throw new Killed("the process is dead");
    return result;
  }
}

class RowPlugin implements KyselyPlugin {
  readonly #change: RowChange;

  constructor(change: RowChange) {
    this.#change = change;
  }

  transformQuery({ node }: PluginTransformQueryArgs) {
    return node;
  }

  async transformResult({ result }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    return { ...result, rows: result.rows.map((row) => this.#change(row)) };
  }
}
