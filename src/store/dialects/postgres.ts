import { type Dialect, PostgresDialect } from "kysely";
import pg from "pg";
import { storeFailure } from "../failures.ts";

interface PostgresLimits {
  /**
   * The largest number of simultaneous connections. Each commit and each query in progress uses a connection. PostgreSQL allows 100 by
   * default.
   */
  connections: number;
  /** The PostgreSQL server cancels a statement after this time. */
  statementMs: number;
  /** This process stops waiting for the PostgreSQL server after this time, even if the network is down. */
  answerMs: number;
  /**
   * The PostgreSQL server ends a transaction that is idle for this long. The process of such a transaction is stopped or gone, because no
   * process does other I/O inside a transaction.
   */
  idleMs: number;
}

/**
 * Limits for a process that uses the database alone, and for connections with a lock. `statementMs` and `answerMs` are below 9 s, because
 * an operation that takes 9 s is answered without its outcome.
 */
export const SERVING: PostgresLimits = { connections: 10, statementMs: 4_000, answerMs: 6_000, idleMs: 10_000 };
/**
 * Limits for one process of a cluster. The PostgreSQL server must free the rows of a paused process before another process counts it as
 * lost. `idleMs` is therefore below two thirds of a lease of three seconds, and below the wait for a lock.
 */
const SHARING: PostgresLimits = { ...SERVING, idleMs: 1_500 };
/** Limits for migrations, which may rewrite a large table. */
export const MIGRATING: PostgresLimits = { connections: 1, statementMs: 600_000, answerMs: 610_000, idleMs: 10_000 };

export function servingLimits(isShared: boolean): PostgresLimits {
  return isShared ? SHARING : SERVING;
}

const CONNECT_MS = 4_000;
/** The longest wait for a row locked by another transaction. This program locks a row for milliseconds. */
const LOCK_MS = 2_000;
/** A silent connection is tested after this time, so both sides notice a lost peer. */
const KEEP_ALIVE_MS = 10_000;
const KEEP_ALIVE_OPTIONS = "-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3";

const INT8_OID = 20;
const SCHEMA_NAME = /^[a-z_][a-z0-9_]{0,62}$/;

export interface PostgresAddress {
  url: string;
  /** The schema of the tables. Absent: the schema of the server's search path. */
  schema?: string;
}

export function postgresPool(address: PostgresAddress, limits: PostgresLimits, onLost: (error: Error) => void): pg.Pool {
  const pool = new pg.Pool({
    ...connectionConfig(address, limits),
    max: limits.connections,
    connectionTimeoutMillis: CONNECT_MS,
    application_name: "fiscal-solution",
  });
  // Without a listener the loss of an idle connection would end the process. The pool itself replaces the connection.
  pool.on("error", onLost);
  // The loss of a used connection would also end the process. The caller's statement fails.
  pool.on("connect", (client) => client.on("error", onLost));
  return pool;
}

export function postgresDialect(pool: pg.Pool): Dialect {
  return new PostgresDialect({ pool });
}

export type PostgresConnection = pg.Client;

/** Returns a single connection that is not connected yet. Its owner must listen for "error" and "end". */
export function postgresConnection(address: PostgresAddress, limits: PostgresLimits, applicationName: string): PostgresConnection {
  return new pg.Client({
    ...connectionConfig(address, limits),
    connectionTimeoutMillis: CONNECT_MS,
    application_name: applicationName,
  });
}

/** True for errors that changed nothing and allow another try: serialization_failure, deadlock_detected, lock_not_available. */
export function isPostgresRollback(thrown: unknown): boolean {
  return thrown instanceof pg.DatabaseError && ["40001", "40P01", "55P03"].includes(thrown.code ?? "");
}

/**
 * True for temporary errors: class 08 (connection), 40 (rollback), 53 (resources), 57 (the statement was cancelled, or the server stops or
 * starts), and errors of the socket or of the driver's time limits. A running statement may or may not have had its effect.
 */
export function isPostgresTransient(thrown: unknown): boolean {
  if (thrown instanceof pg.DatabaseError)
    return isPostgresRollback(thrown) || ["08", "40", "53", "57"].includes((thrown.code ?? "").slice(0, 2));
  if (!(thrown instanceof Error)) return false;
  const code = "code" in thrown && typeof thrown.code === "string" ? thrown.code : "";
  return /^E[A-Z_]+$/.test(code) || /\b(connection|connect|timeout)\b/i.test(thrown.message);
}

/** The codes data_corrupted, index_corrupted, io_error, and undefined_file (a table's file is gone). */
const BROKEN = ["XX001", "XX002", "58030", "58P01"];

/** Whether files of the PostgreSQL server are damaged or unreadable. All later statements are unreliable. */
export function isPostgresBroken(thrown: unknown): boolean {
  return thrown instanceof pg.DatabaseError && BROKEN.includes(thrown.code ?? "");
}

/** Returns the address without user and password, for messages to people. */
export function describePostgres(url: string): string {
  const parsed = URL.parse(url);
  return parsed === null ? "PostgreSQL" : `${parsed.hostname}:${parsed.port || "5432"}${parsed.pathname}`;
}

function connectionConfig({ url, schema }: PostgresAddress, limits: PostgresLimits): pg.ClientConfig {
  if (schema !== undefined && !SCHEMA_NAME.test(schema)) {
    throw storeFailure("store-misconfigured", "caller", `"${schema}" is no name for a schema: a-z, 0-9 and _, at most 63`);
  }
  // With `synchronous_commit` a finished commit is on the server's disk, whatever the server's default is.
  const options = [KEEP_ALIVE_OPTIONS, "-c synchronous_commit=on", schema === undefined ? "" : `-c search_path=${schema}`];
  return {
    connectionString: url,
    options: options.join(" ").trim(),
    statement_timeout: limits.statementMs,
    query_timeout: limits.answerMs,
    lock_timeout: LOCK_MS,
    idle_in_transaction_session_timeout: limits.idleMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    types: { getTypeParser: typeParser },
  };
}

/** Returns the parser of a type. An int8 becomes a number, because all stored numbers and counts are safe integers. */
function typeParser(oid: number, format?: "text" | "binary") {
  if (oid === INT8_OID && format !== "binary") return safeInteger;
  return format === "binary" ? pg.types.getTypeParser(oid, "binary") : pg.types.getTypeParser(oid, "text");
}

function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw storeFailure("database-failed", "fault", `The database holds ${text}, which is no safe integer`);
  return value;
}
