import { Failure, messageOf } from "../kernel/failure.ts";

/** Codes of the store's failures. */
type StoreFailureCode =
  /** A later version of this program made the tables. Nothing was changed. */
  | "database-newer"
  /** Other migrations than this program's made the tables. Nothing was changed. */
  | "database-differs"
  /** The tables are of an earlier version, or missing: `migrate` has to run. */
  | "database-older"
  /** The database cannot be reached or opened, or failed while it worked. A change may or may not have been committed. */
  | "database-failed"
  /** The database answers but takes no change: it is full, or may only be read. */
  | "database-full"
  | "database-read-only"
  /** Open files or tables were removed or replaced. Nothing was committed, and nothing will be. */
  | "database-gone"
  /** Rows that were committed are missing, or as they were before. Nothing was committed. The store turns this into `database-gone`. */
  | "database-rows-lost"
  /** Tables, columns or indexes are missing, or the file is damaged. Nothing was changed. */
  | "database-damaged"
  /** The journal that must exist is missing. No new one was begun. */
  | "journal-missing"
  /** Another server uses the folder or schema. */
  | "store-locked"
  /** The store cannot use a name or an address. */
  | "store-misconfigured";

export function storeFailure(
  code: StoreFailureCode,
  kind: Failure["kind"],
  message: string,
  options: { retrySafe?: boolean; cause?: unknown } = {},
): Failure {
  return new Failure(code, kind, message, options);
}

/** For work that finds committed rows missing: thrown in a transaction of the store. `what`: the rows, in words for people. */
export function rowsLost(what: string): Failure {
  return storeFailure("database-rows-lost", "dependency", what, { retrySafe: true });
}

export function isGone(thrown: unknown): boolean {
  return thrown instanceof Failure && thrown.code === "database-gone";
}

export function isRowsLost(thrown: unknown): thrown is Failure {
  return thrown instanceof Failure && thrown.code === "database-rows-lost";
}

/** Returns a Failure unchanged. Any other error of a driver becomes `database-failed`. */
export function asStoreFailure(thrown: unknown, retrySafe: boolean): Failure {
  if (thrown instanceof Failure) return thrown;
  return storeFailure("database-failed", "dependency", `The database failed: ${messageOf(thrown)}`, { retrySafe, cause: thrown });
}

/** The codes for a full disk: SQLITE_FULL, the codes that SQLite gives at a quota or a limit for files, and PostgreSQL's disk_full. */
const FULL = ["SQLITE_FULL", "SQLITE_IOERR_WRITE", "SQLITE_IOERR_SHMSIZE", "53100"];
/**
 * The codes for a read-only database: SQLITE_READONLY and its variants, and PostgreSQL's read_only_sql_transaction, which a standby gives
 * too.
 */
const READ_ONLY = /^SQLITE_READONLY|^25006$/;

/**
 * Returns the failure `database-full` or `database-read-only` when that is the cause, because such a cause stops every change. Returns
 * other errors unchanged.
 */
export function unwritable(thrown: unknown): unknown {
  const cause = thrown instanceof Failure ? thrown.cause : thrown;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const of = FULL.includes(code) ? "database-full" : READ_ONLY.test(code) ? "database-read-only" : undefined;
  if (of === undefined || (thrown instanceof Failure && thrown.code === of)) return thrown;
  const retrySafe = !(thrown instanceof Failure) || thrown.retrySafe;
  return storeFailure(of, "dependency", messageOf(thrown), { retrySafe, cause });
}
