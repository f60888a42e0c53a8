import { realpathSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { type Dialect, SqliteDialect } from "kysely";
import { type Failure, messageOf } from "../../kernel/failure.ts";
import { makeFolder } from "../../kernel/folder.ts";
import { isLockTaken } from "../../kernel/folder-lock.ts";
import { makePrivate, tighten } from "../../kernel/private-file.ts";
import { storeFailure } from "../failures.ts";

/**
 * How long a statement waits for a write of another process: the time of a few commits. The whole process is blocked meanwhile. The only
 * other writer is a command of this program, and `retrying` tries again without blocking.
 */
const BUSY_TIMEOUT_MS = 50;
/** After a checkpoint the write-ahead log is shortened to this size, however large it was. */
const LOG_SIZE_LIMIT_BYTES = 64 * 1024 * 1024;
/**
 * The largest number of statements that stay prepared. The program has fewer, but each length of a list of values makes another statement.
 */
const MAX_PREPARED = 200;

/**
 * Opens the file, or a database in memory, which begins with the content. Makes the file and its folder when they are
 * missing, accessible to this user alone. A commit is on disk when it returns: with a write-ahead log and
 * `synchronous = FULL`, each commit makes one fsync.
 */
export function openSqlite(file: string, content?: Buffer): Database.Database {
  let database: Database.Database;
  try {
    if (file !== ":memory:") prepareFile(file);
    database = new Database(content ?? file, { timeout: BUSY_TIMEOUT_MS });
  } catch (error) {
    throw storeFailure("database-failed", "dependency", `Cannot open the database ${file}: ${messageOf(error)}`, { cause: error });
  }
  try {
    const mode = database.pragma("journal_mode = WAL", { simple: true });
    if (mode !== "wal" && mode !== "memory") throw new Error(`the journal stays in mode ${String(mode)}; is it on a network drive?`);
    database.pragma("synchronous = FULL");
    database.pragma("foreign_keys = ON");
    database.pragma(`journal_size_limit = ${LOG_SIZE_LIMIT_BYTES}`);
    return database;
  } catch (error) {
    database.close();
    if (isSqliteDamaged(error)) throw damagedFile(file, error);
    throw storeFailure("database-failed", "dependency", `Cannot use the database ${file}: ${messageOf(error)}`, { cause: error });
  }
}

/** SQLite gives the files beside the database the mode of the database. Files of an earlier start may have another mode. */
function prepareFile(file: string): void {
  makeFolder(dirname(file));
  makePrivate(file);
  for (const beside of [...filesOf(file), `${realpathSync(file)}-journal`]) tighten(beside);
}

/**
 * Kysely's dialect with three changes. Statements stay prepared. A transaction takes the write lock at its beginning: otherwise a
 * transaction that reads first would fail at its first write, without waiting, if another process had written meanwhile. A transaction that
 * SQLite has already rolled back by itself (disk full) is not rolled back again, because the second error would hide the reason.
 * When `mayClose` is false, the database stays open until the process ends.
 */
export function sqliteDialect(database: Database.Database, mayClose: () => boolean = () => true): Dialect {
  const prepared = new Map<string, Database.Statement>();
  return new SqliteDialect({
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
}

/** True when a lock of another connection stopped the statement. Nothing has changed, and it may be tried again. */
export function isSqliteBusy(thrown: unknown): boolean {
  return isLockTaken(thrown);
}

/** True when the content of the file is wrong: cut off, overwritten, or never a database. */
export function isSqliteDamaged(thrown: unknown): boolean {
  return thrown instanceof Database.SqliteError && /^SQLITE_(CORRUPT|NOTADB)/.test(thrown.code);
}

/** Codes for a file that cannot grow because of a quota or another limit. The transaction was then rolled back, as with a full disk. */
const NO_ROOM = ["SQLITE_IOERR_WRITE", "SQLITE_IOERR_SHMSIZE", "SQLITE_IOERR_NOMEM"];

/** True when the files on disk are damaged, or cannot be read or flushed. No further statement can be relied on. */
export function isSqliteBroken(thrown: unknown): boolean {
  if (!(thrown instanceof Database.SqliteError)) return thrown instanceof Error && "code" in thrown && thrown.code === "EIO";
  return isSqliteDamaged(thrown) || (thrown.code.startsWith("SQLITE_IOERR") && !NO_ROOM.includes(thrown.code));
}

export function damagedFile(file: string, thrown: unknown): Failure {
  const text = `The database ${file} is damaged (${messageOf(thrown)}): stop everything that uses it and restore the newest copy`;
  return storeFailure("database-damaged", "caller", text, { cause: thrown });
}

/** The longest text of a problem: one line. */
const MAX_PROBLEM_LENGTH = 200;

/**
 * Checks the pages on disk; the open connection may have other pages in its memory. Returns the problem, or undefined when there is none.
 * Takes about half a second for 100 MB, during which no other work runs.
 */
export function damagedPage(file: string): string | undefined {
  const database = new Database(file, { readonly: true, timeout: BUSY_TIMEOUT_MS });
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
 * Returns the database and the files that SQLite keeps beside it while it is in use; they contain the newest commits. SQLite names them
 * after the real file, not after a link to it.
 */
export function filesOf(file: string): string[] {
  if (file === ":memory:") return [];
  const real = realpathSync(file);
  return [file, `${real}-wal`, `${real}-shm`];
}
