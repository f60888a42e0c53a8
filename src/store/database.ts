import { Kysely, sql, type Transaction } from "kysely";
import { type Clock, systemClock } from "../kernel/clock.ts";
import { messageOf } from "../kernel/failure.ts";
import { type Log, silentLog } from "../kernel/log.ts";
import {
  describePostgres,
  isPostgresRollback,
  isPostgresTransient,
  MIGRATING,
  postgresDialect,
  postgresPool,
  SERVING,
} from "./dialects/postgres.ts";
import { isSqliteBusy, openSqlite, sqliteDialect } from "./dialects/sqlite.ts";
import { asStoreFailure, storeFailure } from "./failures.ts";
import { type MigrationTarget, migrate, newestOf, refuseNewer, schemaVersion } from "./migrate.ts";
import { MIGRATIONS } from "./migrations/list.ts";
import { retrying } from "./retry.ts";
import { SharedCommit } from "./shared-commit.ts";
import type { Tables } from "./tables.ts";

export type StoreOptions = { kind: "sqlite"; file: string | ":memory:" } | { kind: "postgres"; url: string; schema?: string };

export interface StoreServices {
  clock?: Clock;
  log?: Log;
}

/**
 * Opens the database, which is refused when it is newer than the code. An empty one is left empty:
 * `migrate` makes the tables. Throws `database-failed` when it cannot be reached.
 */
export async function openStore(options: StoreOptions, services: StoreServices = {}): Promise<Store> {
  const clock = services.clock ?? systemClock;
  const store = new Store(options, clock, services.log ?? silentLog);
  try {
    refuseNewer(await store.schemaVersion(), MIGRATIONS);
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** The database of one server. Everything that is committed through it is on disk when the promise resolves. */
export class Store {
  readonly kind: StoreOptions["kind"];
  readonly db: Kysely<Tables>;
  /** SQLite writes one transaction at a time: what is due together goes together. PostgreSQL does so by itself. */
  readonly #shared: SharedCommit | undefined;
  readonly #options: StoreOptions;
  readonly #clock: Clock;
  readonly #log: Log;

  /** Use `openStore`, which looks at the version first. */
  constructor(options: StoreOptions, clock: Clock, log: Log) {
    this.kind = options.kind;
    this.#options = options;
    this.#clock = clock;
    this.#log = log;
    this.db = this.#connect();
    this.#shared = options.kind === "sqlite" ? new SharedCommit((work) => this.#commitAlone(work)) : undefined;
  }

  /**
   * One transaction, one commit (in SQLite shared with others of the same moment). It is tried again, for a second at most, while a failure is known to
   * have changed nothing: another's lock, a connection that could not be made. The work may therefore
   * run more than once and touches nothing but `tx`.
   *
   * A Failure of the work rolls back and is passed on. `database-failed` says by `retrySafe` whether
   * nothing can have been committed; when it is false the change may or may not be there.
   */
  commit<T>(work: (tx: Transaction<Tables>) => Promise<T>): Promise<T> {
    return this.#shared === undefined ? this.#commitAlone(work) : this.#shared.join(work);
  }

  async #commitAlone<T>(work: (tx: Transaction<Tables>) => Promise<T>): Promise<T> {
    let begun = false;
    const changedNothing = (error: unknown) => !begun || isSqliteBusy(error) || isPostgresRollback(error);
    try {
      return await retrying(
        this.#clock,
        (error) => isTransient(error) && changedNothing(error),
        () => {
          begun = false;
          return this.db.transaction().execute((tx) => {
            begun = true;
            return work(tx);
          });
        },
      );
    } catch (error) {
      throw asStoreFailure(error, changedNothing(error));
    }
  }

  /** Reads outside of any transaction, again for a second at most while the database cannot be reached. */
  async read<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    try {
      return await retrying(this.#clock, isTransient, () => work(this.db));
    } catch (error) {
      throw asStoreFailure(error, true);
    }
  }

  /** Brings the tables to this program's version. Safe to repeat. */
  async migrate(): Promise<void> {
    try {
      if (this.#options.kind === "sqlite")
        await retrying(this.#clock, isSqliteBusy, () => migrate(this.#target(this.db), MIGRATIONS, this.#clock));
      else await this.#migratePostgres(this.#options);
    } catch (error) {
      throw asStoreFailure(error, true);
    }
  }

  /** Version of the tables as they are; 0 before the first migration. */
  schemaVersion(): Promise<number> {
    return this.read(() => schemaVersion(this.#target(this.db)));
  }

  /** For readiness: the database answers and its tables are of this program's version. */
  async ping(): Promise<void> {
    const version = await this.schemaVersion();
    refuseNewer(version, MIGRATIONS);
    if (version < newestOf(MIGRATIONS)) {
      throw storeFailure(
        "database-older",
        "caller",
        `The database has version ${version}: run \`migrate\` to bring it to ${newestOf(MIGRATIONS)}`,
      );
    }
    await this.read((db) => sql`select 1`.execute(db));
  }

  /** Waits for what is running. The store is not used afterwards. */
  async close(): Promise<void> {
    await this.db.destroy();
  }

  #connect(): Kysely<Tables> {
    if (this.#options.kind === "sqlite") return new Kysely<Tables>({ dialect: sqliteDialect(openSqlite(this.#options.file)) });
    const where = describePostgres(this.#options.url);
    const pool = postgresPool(this.#options, SERVING, (error) => {
      this.#log.warn({ database: where, reason: messageOf(error) }, "a database connection was lost");
    });
    return new Kysely<Tables>({ dialect: postgresDialect(pool) });
  }

  /** On a connection of its own, with the patience that a migration needs. */
  async #migratePostgres(options: StoreOptions & { kind: "postgres" }): Promise<void> {
    const pool = postgresPool(options, MIGRATING, (error) => {
      this.#log.warn({ reason: messageOf(error) }, "the connection of the migration was lost");
    });
    const db = new Kysely<Tables>({ dialect: postgresDialect(pool) });
    try {
      await migrate(this.#target(db), MIGRATIONS, this.#clock);
    } finally {
      await db.destroy();
    }
  }

  #target(db: Kysely<Tables>): MigrationTarget {
    const schema = this.#options.kind === "postgres" ? this.#options.schema : undefined;
    return { db, kind: this.kind, ...(schema === undefined ? {} : { schema }) };
  }
}

function isTransient(thrown: unknown): boolean {
  return isSqliteBusy(thrown) || isPostgresTransient(thrown);
}
