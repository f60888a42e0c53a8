import { AsyncLocalStorage } from "node:async_hooks";
import type { KyselyPlugin, PluginTransformQueryArgs, PluginTransformResultArgs, QueryResult, Transaction, UnknownRow } from "kysely";
import type { Clock } from "../../../src/kernel/clock.ts";
import { Failure } from "../../../src/kernel/failure.ts";
import type { LoyaltyStore } from "../../../src/loyalty/services.ts";
import type { Tables } from "../../../src/store/tables.ts";
import type { Life } from "../life.ts";

export type Tx = Transaction<Tables>;

/** What a transaction has done, at the moment before its commit. */
export interface Landed {
  value: unknown;
  /** Of the process. */
  nowMs: number;
  life: Life;
  /** The members whose accounts were locked. */
  locked: ReadonlySet<string>;
  tx: Tx;
}

/** What somebody wants of a process. It is told of each of its transactions, the dead process's included. */
export interface Watch {
  landed(landed: Landed): Promise<void> | void;
  /** The work has thrown this failure, and nothing was committed. */
  refused(code: string, nowMs: number): void;
}

/** Changes what a process reads: a safeguard that is missing. */
export type RowChange = (row: UnknownRow) => UnknownRow;

interface StoreParts {
  store: LoyaltyStore;
  fail(error: unknown): void;
  /** Each statement is a transaction of its own. */
  withoutTransactions: boolean;
}

class Killed extends Error {}

/** The database as processes have it: each of them may die at any statement, and its transaction is rolled back then. */
export class WatchedStore {
  readonly #parts: StoreParts;
  readonly #watches = new AsyncLocalStorage<Watch>();

  constructor(parts: StoreParts) {
    this.#parts = parts;
  }

  /** Everything that the work commits is told to the watch. */
  watched<T>(watch: Watch, work: () => Promise<T>): Promise<T> {
    return this.#watches.run(watch, work);
  }

  /** `clock`: of the process. */
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

  /** What the watch finds wrong is nothing that the database may roll back. */
  async #tell(telling: () => Promise<void> | void): Promise<void> {
    try {
      await telling();
    } catch (error) {
      this.#parts.fail(error);
    }
  }
}

/** Whoever locks an account gets its whole row back. */
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

  /** After each statement. A dead process's transaction is rolled back by the database, so that the work must end here. */
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
