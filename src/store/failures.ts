import { Failure, messageOf } from "../kernel/failure.ts";

type StoreFailureCode =
  /** A newer version of this program made the tables. Nothing was changed. */
  | "database-newer"
  /** Other migrations than this program's made the tables. Nothing was changed. */
  | "database-differs"
  /** The tables are of an earlier version, or missing: `migrate` has to run. */
  | "database-older"
  /** The database cannot be reached or opened, or failed during work. A change may or may not have been committed. */
  | "database-failed"
  /** The database answers but accepts no change: it is full or read-only, or its files cannot be written. */
  | "database-full"
  | "database-read-only"
  | "database-unwritable"
  /**
   * Open files or tables were removed, replaced or damaged. Nothing was committed, and nothing will be, except outcomes that have already
   * happened.
   */
  | "database-gone"
  /** Committed rows are missing or have older content. Nothing was committed. The store turns this into `database-gone`. */
  | "database-rows-lost"
  /** Tables, columns or indexes are missing, or the file is damaged. Nothing was changed. */
  | "database-damaged"
  /** The required journal is missing. No new journal was begun. */
  | "journal-missing"
  /** Another server uses the folder or schema, or too many processes share the schema. */
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

/** Thrown in a transaction of the store by work that misses committed rows. `what`: the rows, in words for people. */
export function rowsLost(what: string): Failure {
  return storeFailure("database-rows-lost", "dependency", what, { retrySafe: true });
}

export function isGone(thrown: unknown): boolean {
  return thrown instanceof Failure && thrown.code === "database-gone";
}

export function isRowsLost(thrown: unknown): thrown is Failure {
  return thrown instanceof Failure && thrown.code === "database-rows-lost";
}

/** Returns a Failure unchanged. Any other error becomes `database-failed`. */
export function asStoreFailure(thrown: unknown, retrySafe: boolean): Failure {
  if (thrown instanceof Failure) return thrown;
  return storeFailure("database-failed", "dependency", `The database failed: ${messageOf(thrown)}`, { retrySafe, cause: thrown });
}

/** The codes for a full disk: SQLITE_FULL, SQLite's code for a log's index that cannot grow, and PostgreSQL's disk_full. */
const FULL = ["SQLITE_FULL", "SQLITE_IOERR_SHMSIZE", "53100"];
/**
 * SQLite's code for a failed write that is not a full disk: a quota, a limit of the file's size, or a file system that became read-only.
 * SQLite does not tell which.
 */
const UNWRITABLE = "SQLITE_IOERR_WRITE";
/**
 * The codes for a read-only database: SQLITE_READONLY with its variants, and PostgreSQL's read_only_sql_transaction, also from a standby.
 */
const READ_ONLY = /^SQLITE_READONLY|^25006$/;

/**
 * Returns `database-full`, `database-read-only` or `database-unwritable` for an error with one of these causes, otherwise the error
 * unchanged.
 */
export function unwritable(thrown: unknown): unknown {
  const cause = thrown instanceof Failure ? thrown.cause : thrown;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const of = unwritableCode(code);
  if (of === undefined || (thrown instanceof Failure && thrown.code === of)) return thrown;
  const retrySafe = !(thrown instanceof Failure) || thrown.retrySafe;
  return storeFailure(of, "dependency", messageOf(thrown), { retrySafe, cause });
}

function unwritableCode(code: string): "database-full" | "database-read-only" | "database-unwritable" | undefined {
  if (FULL.includes(code)) return "database-full";
  if (READ_ONLY.test(code)) return "database-read-only";
  return code === UNWRITABLE ? "database-unwritable" : undefined;
}
