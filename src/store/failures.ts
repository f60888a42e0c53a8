import { Failure, messageOf } from "../kernel/failure.ts";

/** Codes of the store's failures. */
type StoreFailureCode =
  /** Made by a later version of this program: nothing was touched. */
  | "database-newer"
  /** Made by other steps than this program's: nothing was touched. */
  | "database-differs"
  /** Tables of an earlier version, or none: `migrate` has to run. */
  | "database-older"
  /** Cannot be reached or opened, or failed while it worked. A change may or may not have been committed. */
  | "database-failed"
  /** It answers and takes no change, for want of room or because it may only be read. */
  | "database-full"
  | "database-read-only"
  /** Files or tables that are open were taken away or replaced: nothing was committed, and nothing will be. */
  | "database-gone"
  /** Tables, columns or indexes are missing, or the file is damaged: nothing was touched. */
  | "database-damaged"
  /** There is no journal where there has to be one: none was begun. */
  | "journal-missing"
  /** The folder or schema is in use by another server. */
  | "store-locked"
  /** A name or address that the store cannot use. */
  | "store-misconfigured";

export function storeFailure(
  code: StoreFailureCode,
  kind: Failure["kind"],
  message: string,
  options: { retrySafe?: boolean; cause?: unknown } = {},
): Failure {
  return new Failure(code, kind, message, options);
}

/** A Failure as it is; anything else that a driver threw as `database-failed`. */
export function asStoreFailure(thrown: unknown, retrySafe: boolean): Failure {
  if (thrown instanceof Failure) return thrown;
  return storeFailure("database-failed", "dependency", `The database failed: ${messageOf(thrown)}`, { retrySafe, cause: thrown });
}

/** SQLITE_FULL, and what SQLite says where a quota or a limit for files is reached; class 53 of PostgreSQL, disk_full. */
const FULL = ["SQLITE_FULL", "SQLITE_IOERR_WRITE", "SQLITE_IOERR_SHMSIZE", "53100"];
/** SQLITE_READONLY and its kinds; read_only_sql_transaction, also that of a standby. */
const READ_ONLY = /^SQLITE_READONLY|^25006$/;

/** The failure of a change that might have been any, named by what keeps all of them out; others as they are. */
export function unwritable(thrown: unknown): unknown {
  const cause = thrown instanceof Failure ? thrown.cause : thrown;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const of = FULL.includes(code) ? "database-full" : READ_ONLY.test(code) ? "database-read-only" : undefined;
  return of === undefined ? thrown : storeFailure(of, "dependency", messageOf(thrown), { retrySafe: true, cause });
}
