import { Kysely, type Transaction } from "kysely";
import { type Chance, type Clock, systemChance, systemClock } from "../kernel/clock.ts";
import { Failure, messageOf } from "../kernel/failure.ts";
import { type Log, silentLog } from "../kernel/log.ts";
import { present } from "../kernel/present.ts";
import type { Counted, SharedPlace } from "./changes.ts";
import { failureWithAdvice, isBroken, isTransient } from "./dialects/error-kinds.ts";
import { describePostgres, isPostgresRollback, MIGRATING, postgresDialect, postgresPool, servingLimits } from "./dialects/postgres.ts";
import { PostgresChanges } from "./dialects/postgres-changes.ts";
import { PostgresSessions } from "./dialects/postgres-sessions.ts";
import { filesOf, isSqliteBusy, openSqlite, sqliteDialect } from "./dialects/sqlite.ts";
import { SqliteChanges } from "./dialects/sqlite-changes.ts";
import { refuseForeignLog } from "./dialects/sqlite-log.ts";
import { asStoreFailure, isGone, isRowsLost, storeFailure, unwritable } from "./failures.ts";
import { GivingWay } from "./giving-way.ts";
import { HeldFiles } from "./held-files.ts";
import { refuseFileWithoutJournal, refuseWithoutJournal } from "./journal-there.ts";
import { type MigrationTarget, migrate, newestOf, schemaVersion } from "./migrate.ts";
import { MIGRATIONS } from "./migrations/list.ts";
import { retrying } from "./retry.ts";
import { changedIn, type MadeTables, madeTables, refuseIncomplete, type Shape, shapeAfter, shapeOf } from "./shape.ts";
import { SharedCommit } from "./shared-commit.ts";
import type { Tables } from "./tables.ts";
import { type TrialSize, trialOf, WriteProbe } from "./write-probe.ts";

export type StoreOptions =
  /** `content`: the initial content of a database in memory, serialized by SQLite. */
  { kind: "sqlite"; file: string | ":memory:"; content?: Buffer } | { kind: "postgres"; url: string; schema?: string };

export interface StoreServices {
  clock?: Clock;
  chance?: Chance;
  log?: Log;
  /**
   * Files that must stay in place while the store is open; the store adds its own files. Only the process with the lock sets this option.
   * After `migrate`, each commit then checks that no committed change is missing.
   */
  held?: HeldFiles;
  /** Why a journal must exist already, and what to do when it is missing. With this option an empty database is refused. */
  journalDue?: string;
  /** The place of this process among the processes that share the database. */
  place?: SharedPlace;
  /** SQLite only: whether commits leave gaps in which a server on the same file can commit. For a command's store. */
  givesWay?: boolean;
}

/**
 * Opens the database without making tables; `migrate` makes them. Throws `database-newer`, `database-differs`, `database-damaged`,
 * `database-failed` when the database cannot be reached, `journal-missing` when a journal must exist, or `store-misconfigured`.
 */
export async function openStore(options: StoreOptions, services: StoreServices = {}): Promise<Store> {
  const { journalDue } = services;
  if (journalDue !== undefined && options.kind === "sqlite") refuseFileWithoutJournal(options.file, journalDue);
  if (options.kind === "sqlite") refuseForeignLog(options.file);
  const store = new Store(options, services);
  try {
    const version = await store.schemaVersion();
    if (version === 0) await store.refuseLeftovers();
    if (version === 0 && journalDue !== undefined) refuseWithoutJournal(placeOf(options), journalDue);
    store.holdFiles();
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Returns the place of the journal, in words for people. */
export function placeOf(options: StoreOptions): string {
  return options.kind === "sqlite" ? options.file : `PostgreSQL at ${describePostgres(options.url)}`;
}

type Work<T> = (tx: Transaction<Tables>) => Promise<T>;

/** The database of one server. A resolved commit is on disk. */
export class Store {
  readonly kind: StoreOptions["kind"];
  readonly db: Kysely<Tables>;
  /**
   * SQLite only: simultaneous work shares one commit, because SQLite writes one transaction at a time. PostgreSQL groups commits itself.
   */
  readonly #shared: SharedCommit | undefined;
  readonly #options: StoreOptions;
  readonly #clock: Clock;
  readonly #chance: Chance;
  readonly #log: Log;
  readonly #held: HeldFiles;
  /** Absent for a database in memory, which no other process can change. */
  readonly #changes: SqliteChanges | PostgresChanges | undefined;
  readonly #isShared: boolean;
  readonly #takes: boolean;
  /** True once the tables exist and changes are counted. */
  #counting = false;
  readonly #probe: WriteProbe;
  #sessions: PostgresSessions | undefined;
  #shape: Shape | undefined;
  #made: MadeTables | undefined;

  /** Call `openStore` instead, which checks the version first. */
  constructor(options: StoreOptions, services: StoreServices) {
    const { clock = systemClock, chance = systemChance, log = silentLog, held, place, givesWay = false } = services;
    this.kind = options.kind;
    this.#options = options;
    this.#clock = clock;
    this.#chance = chance;
    this.#log = log;
    this.#held = held ?? new HeldFiles();
    this.#takes = held !== undefined;
    this.#isShared = place !== undefined;
    this.#probe = new WriteProbe(clock, (size) => this.#tryToCommit(size));
    [this.db, this.#changes] = this.#connect(options, chance, place);
    const givingWay = givesWay ? new GivingWay(clock) : undefined;
    this.#shared =
      options.kind === "sqlite"
        ? new SharedCommit(
            (work) => givingWay?.commit(() => this.#commitAlone(work)) ?? this.#commitAlone(work),
            (thrown) => this.#failureOf(thrown, false),
            clock,
          )
        : undefined;
  }

  /**
   * Runs the work as one transaction with one commit, which simultaneous work shares in SQLite. Repeats the work for a while after failures
   * that changed nothing (retry.ts), so the work may change nothing but `tx`.
   *
   * A Failure of the work rolls back and is thrown. `database-failed`: with `retrySafe` nothing was committed, without it the change may or
   * may not be there. `database-full`, `database-read-only`, `database-unwritable`: the database accepts no change now.
   *
   * `database-gone`: the database was removed, replaced or damaged, and nothing was committed. An `outcome` is committed even if the files
   * were removed, because it has already happened at the register. Shared commits do `behind` changes last, and only a few in each commit.
   */
  async commit<T>(work: Work<T>, what: "change" | "behind" | "outcome" = "change"): Promise<T> {
    if (what !== "outcome") return await this.#together((tx) => this.#inPlace(tx, work), what === "behind");
    try {
      return await this.#together(work);
    } catch (error) {
      // The check for a removed database rolled this transaction back. The outcome is committed again without the check.
      if (!this.#held.isGone || !isGone(error)) throw error;
      return await this.#together(work);
    }
  }

  async #together<T>(work: Work<T>, behind = false): Promise<T> {
    try {
      return await (this.#shared === undefined ? this.#commitAlone(work) : this.#shared.join(work, { behind }));
    } catch (error) {
      throw unwritable(error);
    }
  }

  /** Checks the files directly before the commit. If the database is known to be gone, refuses before the work begins. */
  async #inPlace<T>(tx: Transaction<Tables>, work: Work<T>): Promise<T> {
    if (this.#held.isGone) this.#held.mustBeInPlace();
    const done = await work(tx);
    this.#held.mustBeInPlace();
    return done;
  }

  async #commitAlone<T>(work: Work<T>): Promise<T> {
    let begun = false;
    let refusedByOldSession = false;
    const changedNothing = (error: unknown) => !begun || isSqliteBusy(error) || isPostgresRollback(error);
    try {
      return await retrying(
        this.#clock,
        (error) => refusedByOldSession || (isTransient(error) && changedNothing(error)),
        () => {
          begun = false;
          refusedByOldSession = false;
          return this.#transaction(
            (tx) => {
              begun = true;
              return work(tx);
            },
            (error) => {
              refusedByOldSession = this.#sessions?.refused(error) === true;
            },
          );
        },
      );
    } catch (error) {
      // A Failure of the work itself proves nothing about the database.
      if (!(error instanceof Failure)) this.#probe.failed();
      throw this.#failureOf(error, changedNothing(error));
    }
  }

  /**
   * Makes the failure for an error. A process with the lock stops using a damaged database, which would otherwise fail every request for
   * ever.
   */
  #failureOf(thrown: unknown, retrySafe: boolean): Failure {
    if (isRowsLost(thrown)) {
      this.#changes?.leaveAsItIs();
      return this.#held.giveUp(`${placeOf(this.#options)} was changed (${thrown.message})`);
    }
    if (this.#takes && this.#counting && !this.#held.isGone && isBroken(thrown)) {
      this.#changes?.leaveAsItIs();
      this.#held.giveUp(`${placeOf(this.#options)} was damaged, or cannot be read or written any more (${messageOf(thrown)})`);
    }
    return this.#takes && this.#counting ? asStoreFailure(thrown, retrySafe) : failureWithAdvice(thrown, placeOf(this.#options), retrySafe);
  }

  /**
   * Runs one transaction. Counting comes first, so the work can still be rolled back when the database was replaced. `failed` is called
   * before the connection is released.
   */
  async #transaction<T>(work: Work<T>, failed: (error: unknown) => void): Promise<T> {
    let counted: Counted | undefined;
    let end: "undone" | "unknown" | "committed" = "undone";
    try {
      const done = await this.db.transaction().execute(async (tx) => {
        try {
          if (this.#counting && !this.#held.isGone) counted = await this.#changes?.next(tx);
          const worked = await work(tx);
          end = "unknown";
          return worked;
        } catch (error) {
          failed(error);
          throw error;
        }
      });
      end = "committed";
      this.#probe.committed();
      return done;
    } finally {
      counted?.end(end);
    }
  }

  /** Reads outside of any transaction. Repeats the read for about a second while the database cannot be reached. */
  async read<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    try {
      return await retrying(this.#clock, isTransient, () => work(this.db));
    } catch (error) {
      throw this.#failureOf(error, true);
    }
  }

  /** Brings the tables to this program's version. Safe to repeat. */
  async migrate(): Promise<void> {
    try {
      if (this.#options.kind === "sqlite")
        await retrying(this.#clock, isSqliteBusy, () => migrate(this.#target(this.db), MIGRATIONS, this.#clock));
      else await this.#migratePostgres(this.#options);
      this.#shape = await shapeAfter(MIGRATIONS, this.kind);
      await this.#mustBeComplete(this.#shape);
      if (this.kind === "postgres") this.#made = await this.read(madeTables);
      await this.#beginToCount();
    } catch (error) {
      throw failureWithAdvice(error, placeOf(this.#options), true);
    }
  }

  async #beginToCount(): Promise<void> {
    const changes = this.#changes;
    if (this.#takes && !this.#counting && changes !== undefined) {
      await retrying(this.#clock, isTransient, () => this.db.transaction().execute((tx) => changes.take(tx)));
    }
    this.#counting = true;
  }

  /** Returns the version of the tables; 0 before the first migration. Throws when other migrations made the tables. */
  schemaVersion(): Promise<number> {
    return this.read(() => schemaVersion(this.#target(this.db), MIGRATIONS));
  }

  /**
   * Refuses a database that has some tables of this program but no version. It has lost a part, and the rest would look like a complete
   * journal.
   */
  async refuseLeftovers(): Promise<void> {
    const [expected, found] = [await shapeAfter(MIGRATIONS, this.kind), await this.read((db) => shapeOf(db, this.kind))];
    // Another starting process may have made all tables since the version was read.
    if (![...expected].some((name) => found.has(name)) || (await this.schemaVersion()) > 0) return;
    refuseIncomplete(new Set(["schema_version", ...expected]), new Set([...found].filter((name) => name !== "schema_version")));
  }

  /** From now on the files' names must refer to the presently open files. */
  holdFiles(): void {
    if (this.#options.kind === "sqlite") for (const file of filesOf(this.#options.file)) this.#held.hold(file);
  }

  /**
   * Checks that the opened files, or PostgreSQL's tables, are in place and have all committed changes. Throws `database-gone` otherwise,
   * and reports the loss once to the holder of the files. Throws `database-failed` when the check is not possible now.
   */
  async mustBeInPlace(): Promise<void> {
    this.#held.mustBeInPlace();
    await this.#mustKeepItsShape();
    await this.#compare();
    this.#held.mustBeInPlace();
  }

  /** Checks that no table was replaced or dropped. PostgreSQL only: in SQLite the comparison of changes shows this. */
  async #mustKeepItsShape(): Promise<void> {
    if (this.#made === undefined || this.#shape === undefined) return;
    const changed = changedIn(this.#shape, this.#made, await this.read(madeTables), await this.read((db) => shapeOf(db, this.kind)));
    if (changed !== undefined) throw this.#held.giveUp(`In ${placeOf(this.#options)} ${changed}`);
  }

  /** For readiness: the database answers, was not replaced, and has complete tables of this program's version. */
  async ping(): Promise<void> {
    await this.mustBeInPlace();
    const version = await this.schemaVersion();
    if (version < newestOf(MIGRATIONS)) {
      throw storeFailure(
        "database-older",
        "caller",
        `The database has version ${version}: run \`migrate\` to bring it to ${newestOf(MIGRATIONS)}`,
      );
    }
    if (this.#shape !== undefined) await this.#mustBeComplete(this.#shape);
  }

  /**
   * For readiness: checks that changes can be committed. Throws `database-full`, `database-read-only`, `database-unwritable`, or another
   * failure of a commit. Makes a trial commit when the last answer is some seconds old, and when a commit of other work has failed since
   * then. If the last answer was a failure, also makes a trial commit when another commit has succeeded since then.
   */
  mustTakeChanges(): Promise<void> {
    return this.#probe.ask();
  }

  /**
   * Shares its commit with no other work. Otherwise a trial that does not fit into the database would also roll back a smaller outcome that
   * fits.
   */
  async #tryToCommit(size: TrialSize): Promise<void> {
    try {
      await this.#commitAlone((tx) => this.#inPlace(tx, trialOf(size, this.#chance)));
    } catch (error) {
      throw unwritable(error);
    }
  }

  async #mustBeComplete(shape: Shape): Promise<void> {
    refuseIncomplete(shape, await this.read((db) => shapeOf(db, this.kind)));
  }

  /** Compares the count of changes. In SQLite the write lock prevents changes meanwhile. */
  async #compare(): Promise<void> {
    const changes = this.#changes;
    if (!this.#counting || changes === undefined) return;
    try {
      const look = () => (this.kind === "sqlite" ? this.db.transaction().execute((tx) => changes.compare(tx)) : changes.compare(this.db));
      await retrying(this.#clock, isTransient, look);
    } catch (error) {
      throw this.#failureOf(unwritable(error), true);
    }
  }

  /**
   * Closes the database for ever. PostgreSQL waits for running work, SQLite does not. SQLite also copies its log into the database and
   * removes the log. In an overwritten database this would mix the pages of two databases, and leave no trace for the next start. So the
   * process with the lock compares once more, and leaves the files as they are unless the comparison succeeds.
   */
  async close(): Promise<void> {
    if (this.#takes && this.#counting && this.kind === "sqlite") await this.mustBeInPlace().catch(() => this.#changes?.leaveAsItIs());
    await this.db.destroy();
    this.#changes?.close();
  }

  #connect(options: StoreOptions, chance: Chance, place?: SharedPlace): [Kysely<Tables>, (SqliteChanges | PostgresChanges)?] {
    if (options.kind === "sqlite") {
      const database = openSqlite(options.file, options.content);
      if (options.file === ":memory:") return [new Kysely<Tables>({ dialect: sqliteDialect(database, { clock: this.#clock }) })];
      const changes = new SqliteChanges(options.file, database, this.#held, chance);
      return [new Kysely<Tables>({ dialect: sqliteDialect(database, { clock: this.#clock, mayClose: () => !changes.isLeft }) }), changes];
    }
    const database = describePostgres(options.url);
    const onLost = (error: Error) => this.#log.warn({ database, reason: messageOf(error) }, "a database connection was lost");
    const pool = postgresPool(options, servingLimits(this.#isShared), onLost);
    this.#sessions = new PostgresSessions(pool, this.#clock);
    const marks = { held: this.#held, chance, ...present({ place }) };
    return [new Kysely<Tables>({ dialect: postgresDialect(pool) }), new PostgresChanges(placeOf(options), marks)];
  }

  /** Migrates over a separate connection with long time limits. */
  async #migratePostgres(options: StoreOptions & { kind: "postgres" }): Promise<void> {
    const onLost = (error: Error) => this.#log.warn({ reason: messageOf(error) }, "the connection of the migration was lost");
    const pool = postgresPool(options, MIGRATING, onLost);
    const db = new Kysely<Tables>({ dialect: postgresDialect(pool) });
    try {
      await migrate(this.#target(db), MIGRATIONS, this.#clock);
    } finally {
      await db.destroy();
    }
  }

  #target(db: Kysely<Tables>): MigrationTarget {
    const schema = this.#options.kind === "postgres" ? this.#options.schema : undefined;
    return { db, kind: this.kind, newerMayRun: this.#isShared && this.#counting, ...present({ schema }) };
  }
}
