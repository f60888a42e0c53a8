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
import { damagedFile, filesOf, isSqliteBusy, isSqliteDamaged, openSqlite, sqliteDialect } from "./dialects/sqlite.ts";
import { asStoreFailure, storeFailure } from "./failures.ts";
import { HeldFiles } from "./held-files.ts";
import { refuseFileWithoutJournal, refuseWithoutJournal } from "./journal-there.ts";
import { type MigrationTarget, migrate, newestOf, refuseNewer, schemaVersion } from "./migrate.ts";
import { MIGRATIONS } from "./migrations/list.ts";
import { retrying } from "./retry.ts";
import { refuseIncomplete, type Shape, shapeAfter, shapeOf } from "./shape.ts";
import { SharedCommit } from "./shared-commit.ts";
import type { Tables } from "./tables.ts";

export type StoreOptions = { kind: "sqlite"; file: string | ":memory:" } | { kind: "postgres"; url: string; schema?: string };

export interface StoreServices {
  clock?: Clock;
  log?: Log;
  /** What has to stay in its place while the store is open; its own files are added. */
  held?: HeldFiles;
  /** Why a journal has to be there already, and what to do when it is not: an empty database is refused then. */
  journalDue?: string;
}

/**
 * Opens the database, which is refused when it is newer than the code, `database-damaged` or, where a journal is due,
 * `journal-missing`. An empty one is left empty: `migrate` makes the tables. Throws `database-failed` when it cannot
 * be reached.
 */
export async function openStore(options: StoreOptions, services: StoreServices = {}): Promise<Store> {
  const { clock = systemClock, log = silentLog, held = new HeldFiles(), journalDue } = services;
  if (journalDue !== undefined && options.kind === "sqlite") refuseFileWithoutJournal(options.file, journalDue);
  const store = new Store(options, clock, log, held);
  try {
    const version = await store.schemaVersion();
    refuseNewer(version, MIGRATIONS);
    if (version === 0) await store.refuseLeftovers();
    if (version === 0 && journalDue !== undefined) refuseWithoutJournal(placeOf(options), journalDue);
    if (options.kind === "sqlite") for (const file of filesOf(options.file)) held.hold(file);
    return store;
  } catch (error) {
    await store.close();
    throw options.kind === "sqlite" && isDamage(error) ? damagedFile(options.file, error) : error;
  }
}

/** Where a journal is kept, for people. */
export function placeOf(options: StoreOptions): string {
  return options.kind === "sqlite" ? options.file : `PostgreSQL at ${describePostgres(options.url)}`;
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
  readonly #held: HeldFiles;
  /** What the tables have to be, once they have been made or found. */
  #shape: Shape | undefined;
  /** Of PostgreSQL: the number of the journal's table, which a table restored in its place does not have. */
  #journalTable: number | undefined;

  /** Use `openStore`, which looks at the version first. */
  constructor(options: StoreOptions, clock: Clock, log: Log, held: HeldFiles) {
    this.kind = options.kind;
    this.#options = options;
    this.#clock = clock;
    this.#log = log;
    this.#held = held;
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
   *
   * `database-gone`: the files that are open were taken away, so nothing was committed. An `outcome`, which has
   * happened whether or not it can be found again, is committed wherever it goes.
   */
  commit<T>(work: (tx: Transaction<Tables>) => Promise<T>, what: "change" | "outcome" = "change"): Promise<T> {
    const whole = what === "outcome" ? work : (tx: Transaction<Tables>) => this.#inPlace(work(tx));
    return this.#shared === undefined ? this.#commitAlone(whole) : this.#shared.join(whole);
  }

  /** As late as it can be, right before the commit itself. */
  async #inPlace<T>(work: Promise<T>): Promise<T> {
    const done = await work;
    this.#held.mustBeInPlace();
    return done;
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
      this.#shape = await shapeAfter(MIGRATIONS);
      await this.#mustBeComplete(this.#shape);
      this.#journalTable = await this.#journalTableNow();
    } catch (error) {
      throw asStoreFailure(error, true);
    }
  }

  /** Version of the tables as they are; 0 before the first migration. */
  schemaVersion(): Promise<number> {
    return this.read(() => schemaVersion(this.#target(this.db)));
  }

  /** Without a version there must be none of our tables: made anew beside what is left, half a journal would seem to be whole. */
  async refuseLeftovers(): Promise<void> {
    const [expected, found] = [await shapeAfter(MIGRATIONS), await this.read((db) => shapeOf(db, this.kind))];
    const left = [...expected].some((name) => found.has(name));
    if (left) refuseIncomplete(new Set(["schema_version", ...expected]), new Set([...found].filter((name) => name !== "schema_version")));
  }

  /**
   * The files, or PostgreSQL's tables, are those that were opened. Throws `database-gone` when they are not, and
   * tells whoever holds them, once; `database-failed` when it cannot be found out now.
   */
  async mustBeInPlace(): Promise<void> {
    this.#held.mustBeInPlace();
    if (this.#journalTable === undefined) return;
    const found = await this.#journalTableNow();
    if (found !== this.#journalTable) {
      throw this.#held.giveUp(`The journal in ${placeOf(this.#options)} was ${found === undefined ? "dropped or renamed" : "replaced"}`);
    }
  }

  /** For readiness: the database answers, it is the one that was opened, and its tables are whole and of this program's version. */
  async ping(): Promise<void> {
    await this.mustBeInPlace();
    const version = await this.schemaVersion();
    refuseNewer(version, MIGRATIONS);
    if (version < newestOf(MIGRATIONS)) {
      throw storeFailure(
        "database-older",
        "caller",
        `The database has version ${version}: run \`migrate\` to bring it to ${newestOf(MIGRATIONS)}`,
      );
    }
    if (this.#shape !== undefined) await this.#mustBeComplete(this.#shape);
  }

  async #mustBeComplete(shape: Shape): Promise<void> {
    refuseIncomplete(shape, await this.read((db) => shapeOf(db, this.kind)));
  }

  async #journalTableNow(): Promise<number | undefined> {
    if (this.kind === "sqlite") return undefined;
    const { rows } = await this.read((db) => sql<{ id: number | null }>`select to_regclass('entries')::oid::int8 as id`.execute(db));
    return rows[0]?.id ?? undefined;
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

/** Also where it has become a Failure on the way. */
function isDamage(thrown: unknown): boolean {
  return isSqliteDamaged(thrown) || (thrown instanceof Error && isSqliteDamaged(thrown.cause));
}

function isTransient(thrown: unknown): boolean {
  return isSqliteBusy(thrown) || isPostgresTransient(thrown);
}
