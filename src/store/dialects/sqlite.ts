import { realpathSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { type Dialect, type Driver, SqliteDialect } from "kysely";
import { type Clock, systemClock } from "../../kernel/clock.ts";
import { type Failure, messageOf } from "../../kernel/failure.ts";
import { makeFolder } from "../../kernel/folder.ts";
import { isLockTaken } from "../../kernel/folder-lock.ts";
import { makePrivate, tightenBeside } from "../../kernel/private-file.ts";
import { storeFailure } from "../failures.ts";
import { TurnShare } from "./turn-share.ts";

/**
 * How long opening or checking a file waits for a write of another process: the time of a few commits. The wait blocks the whole process.
 */
const OPENING_TIMEOUT_MS = 50;
/** The first commit after a complete checkpoint shortens the write-ahead log to this size. */
const LOG_SIZE_LIMIT_BYTES = 64 * 1024 * 1024;
/**
 * The largest number of statements that stay prepared. Above it all are dropped, and prepared again when they are used: each length of a
 * list of values makes another statement, so their number has no bound.
 */
const MAX_PREPARED = 200;

/**
 * Opens the file, or a database in memory: empty, or with the content. Makes a missing file and its folder, private to this user. A
 * finished commit is on disk: with a write-ahead log and `synchronous = FULL`, each commit makes one fsync.
 */
export function openSqlite(file: string, content?: Buffer): Database.Database {
  let database: Database.Database;
  try {
    if (file !== ":memory:") prepareFile(file);
    database = new Database(content ?? file, { timeout: OPENING_TIMEOUT_MS });
  } catch (error) {
    throw storeFailure("database-failed", "dependency", `Cannot open the database ${file}: ${messageOf(error)}`, { cause: error });
  }
  try {
    const mode = database.pragma("journal_mode = WAL", { simple: true });
    if (mode !== "wal" && mode !== "memory") throw new Error(`the journal stays in mode ${String(mode)}; is it on a network drive?`);
    database.pragma("synchronous = FULL");
    database.pragma("foreign_keys = ON");
    database.pragma(`journal_size_limit = ${LOG_SIZE_LIMIT_BYTES}`);
    // From now on no statement waits for a lock, because the wait would block other work. `retrying` repeats the work instead.
    database.pragma("busy_timeout = 0");
    return database;
  } catch (error) {
    database.close();
    if (isSqliteDamaged(error)) throw damagedFile(file, error);
    throw storeFailure("database-failed", "dependency", `Cannot use the database ${file}: ${messageOf(error)}`, { cause: error });
  }
}

function prepareFile(file: string): void {
  makeFolder(dirname(file));
  makePrivate(file);
  tightenBeside(file);
}

/**
 * Kysely's dialect with four changes:
 *
 * - Statements stay prepared.
 * - Statements and transactions that follow each other leave turns of the event loop to other work (turn-share.ts).
 * - A transaction takes the write lock at its beginning. Otherwise a write after a read would fail, without waiting, if another process
 * had written meanwhile.
 * - A transaction that SQLite itself rolled back (disk full) is not rolled back again. The second error would hide the reason.
 *
 * With `mayClose` false the database stays open until the process ends.
 */
export function sqliteDialect(
  database: Database.Database,
  { clock = systemClock, mayClose = () => true }: { clock?: Clock; mayClose?(): boolean } = {},
): Dialect {
  const prepared = new Map<string, Database.Statement>();
  const dialect = new SqliteDialect({
    database: {
      prepare(sql) {
        const text = sql === "begin" ? "begin immediate" : sql === "rollback" && !database.inTransaction ? "select 'rolled back'" : sql;
        const known = prepared.get(text);
        if (known !== undefined) return known;
        if (prepared.size >= MAX_PREPARED) prepared.clear();
        const statement = database.prepare(text);
        prepared.set(text, statement);
        return statement;
      },
      close: () => {
        prepared.clear();
        if (mayClose()) database.close();
      },
    },
  });
  return {
    createDriver: () => inShares(dialect.createDriver(), new TurnShare(clock)),
    createAdapter: () => dialect.createAdapter(),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createIntrospector: (db) => dialect.createIntrospector(db),
  };
}

/** Changes the driver: its only connection is given out in another turn of the event loop when statements have used up their time. */
function inShares(driver: Driver, share: TurnShare): Driver {
  const [acquire, release] = [driver.acquireConnection.bind(driver), driver.releaseConnection.bind(driver)];
  driver.acquireConnection = async () => {
    const connection = await acquire();
    await share.begin();
    return connection;
  };
  driver.releaseConnection = async (connection) => {
    share.end();
    await release(connection);
  };
  return driver;
}

/** Whether another connection's lock stopped the statement. Nothing has changed, and the statement may be repeated. */
export function isSqliteBusy(thrown: unknown): boolean {
  return isLockTaken(thrown);
}

/** Whether the file's content is wrong: cut off, overwritten, or never a database. */
export function isSqliteDamaged(thrown: unknown): boolean {
  return thrown instanceof Database.SqliteError && /^SQLITE_(CORRUPT|NOTADB)/.test(thrown.code);
}

/**
 * Codes for a write that failed, usually because of a limit of the file's size, and for missing memory. The transaction was rolled back, as
 * with a full disk.
 */
const NO_ROOM = ["SQLITE_IOERR_WRITE", "SQLITE_IOERR_SHMSIZE", "SQLITE_IOERR_NOMEM"];

/** Whether the files are damaged, or cannot be read or flushed. All later statements are unreliable. */
export function isSqliteBroken(thrown: unknown): boolean {
  if (!(thrown instanceof Database.SqliteError)) return thrown instanceof Error && "code" in thrown && thrown.code === "EIO";
  return isSqliteDamaged(thrown) || (thrown.code.startsWith("SQLITE_IOERR") && !NO_ROOM.includes(thrown.code));
}

/** Makes the failure for a damaged file, with the advice for the operator. */
export function damagedFile(file: string, thrown: unknown): Failure {
  const text = `The database ${file} is damaged (${messageOf(thrown)}): stop everything that uses it and restore the newest copy`;
  return storeFailure("database-damaged", "caller", text, { cause: thrown });
}

const MAX_PROBLEM_LENGTH = 200;

/**
 * Returns the problem of the pages on disk, undefined for none. The open connection may have other pages in memory. The check blocks all
 * other work, for half a second per 100 MB.
 */
export function damagedPage(file: string): string | undefined {
  const database = new Database(file, { readonly: true, timeout: OPENING_TIMEOUT_MS });
  try {
    const found = String(database.pragma("quick_check(1)", { simple: true }));
    return found === "ok" ? undefined : found.replaceAll(/\s+/g, " ").slice(0, MAX_PROBLEM_LENGTH);
  } catch (error) {
    if (!isSqliteDamaged(error)) throw error;
    return messageOf(error);
  } finally {
    database.close();
  }
}

/**
 * Returns the database, its write-ahead log, which has the newest commits, and the log's index. Empty for a database in memory. SQLite
 * names them after the real file, not after a link to it.
 */
export function filesOf(file: string): string[] {
  if (file === ":memory:") return [];
  const real = realpathSync(file);
  return [file, `${real}-wal`, `${real}-shm`];
}
