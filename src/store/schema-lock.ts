import { type Kysely, sql } from "kysely";
import type { Clock } from "../kernel/clock.ts";
import { messageOf } from "../kernel/failure.ts";
import type { SharedPlace } from "./changes.ts";
import { describePostgres, type PostgresAddress, type PostgresConnection, postgresConnection, SERVING } from "./dialects/postgres.ts";
import { asStoreFailure, storeFailure } from "./failures.ts";
import { type Lock, type LockHolder, lockedFailure } from "./lock.ts";
import type { Tables } from "./tables.ts";

/**
 * The pause between two uses of the connection, so that no proxy closes it as idle. A lost connection is noticed within this time plus
 * the time limit of an answer.
 */
const HEARTBEAT_MS = 10_000;
/** The first half of the key of the advisory lock ("FISC"). It differs from the keys of other programs. */
const LOCK_CLASS = 0x46495343;
/**
 * The longest host name in a connection's name. PostgreSQL cuts the name at 63 bytes, and the remaining parts of `nameOf` need the rest.
 */
const MAX_HOST_LENGTH = 24;

/** The first half of the lock keys of places ("FISP"). Each process of a cluster has a place of its own. */
const PLACE_CLASS = 0x46495350;
/** The largest number of places. One database cannot serve so many processes. */
const MAX_PLACES = 100;

interface SchemaLockServices {
  clock: Clock;
  /**
   * Called once when the lock's connection is lost, but not after `release`. Another server may now take the lock, so nothing more may be
   * sent to a register.
   */
  onLost(reason: string): void;
}

export interface SharedSchemaLock extends Lock {
  readonly place: SharedPlace;
  /** `pg_backend_pid` of the lock's connection: the id of its process at the PostgreSQL server. */
  readonly sessionPid: number;
}

/**
 * Locks the schema against processes outside the cluster, and takes a place in the cluster. Throws `store-locked` when a process has the
 * schema alone or all places are taken. Throws `store-misconfigured` when the address leads to a pooler that changes the server process
 * between two statements.
 */
export async function shareSchema(address: PostgresAddress, holder: LockHolder, services: SchemaLockServices): Promise<SharedSchemaLock> {
  const connection = postgresConnection(address, SERVING, nameOf(holder));
  const lock = new SchemaLock(connection, holder, services);
  try {
    await connection.connect();
    const sessionPid = await mustKeepSession(connection, address);
    const lockName = await take(connection, address, "pg_try_advisory_lock_shared");
    const number = await takePlace(connection, lockName);
    lock.watch(sessionPid);
    const place = { number, mustBeHeld: (db: Kysely<Tables>) => lock.mustHold(db, { sessionPid, name: placeName(lockName, number) }) };
    return { holder, place, sessionPid, release: () => lock.release() };
  } catch (error) {
    await lock.release();
    throw asStoreFailure(error, true);
  }
}

/**
 * Locks the schema for this process: an advisory lock on a separate connection, which PostgreSQL frees when the connection ends. Throws
 * `store-locked`, with the holder's name, or `database-failed`. A pooler that shares connections by transaction would lose the lock.
 */
export async function lockSchema(address: PostgresAddress, holder: LockHolder, services: SchemaLockServices): Promise<Lock> {
  const connection = postgresConnection(address, SERVING, nameOf(holder));
  const lock = new SchemaLock(connection, holder, services);
  try {
    await connection.connect();
    await take(connection, address, "pg_try_advisory_lock");
    lock.watch();
    return lock;
  } catch (error) {
    await lock.release();
    throw asStoreFailure(error, true);
  }
}

class SchemaLock implements Lock {
  readonly holder: LockHolder;
  readonly #connection: PostgresConnection;
  readonly #services: SchemaLockServices;
  #state: "taking" | "held" | "over" = "taking";
  #cancelHeartbeat = () => {};

  constructor(connection: PostgresConnection, holder: LockHolder, services: SchemaLockServices) {
    this.holder = holder;
    this.#connection = connection;
    this.#services = services;
    // While the lock is being taken, the query fails with the same error, and the caller gets it.
    connection.on("error", (error) => this.#lost(messageOf(error)));
    connection.on("end", () => this.#lost("the server ended the connection"));
  }

  /** Begins to watch the connection. `sessionPid`: the lock counts as lost when another PostgreSQL process answers. */
  watch(sessionPid?: number): void {
    this.#state = "held";
    this.#scheduleHeartbeat(sessionPid);
  }

  /**
   * Throws when the session has lost the place. A broken network hides the end of a connection, so PostgreSQL may have ended the session
   * long ago.
   */
  async mustHold(db: Kysely<Tables>, { sessionPid, name }: { sessionPid: number; name: string }): Promise<void> {
    const { rows } = await sql`
      select 1 from pg_locks where locktype = 'advisory' and granted and objsubid = 2 and pid = ${sessionPid}
        and database = (select oid from pg_database where datname = current_database())
        and classid = ${PLACE_CLASS}::int8::oid and objid = (hashtext(${name})::int8 & 4294967295)::oid`.execute(db);
    if (rows.length > 0) return;
    const reason = "another process has taken the place of this process among those that share the database";
    this.#lost(reason);
    throw storeFailure("database-failed", "dependency", `The database failed: ${reason}`, { retrySafe: true });
  }

  async release(): Promise<void> {
    if (this.#state === "over") return;
    this.#state = "over";
    this.#cancelHeartbeat();
    await this.#connection.end();
  }

  #scheduleHeartbeat(sessionPid: number | undefined): void {
    this.#cancelHeartbeat = this.#services.clock.after(HEARTBEAT_MS, () => {
      one(this.#connection, sessionPid === undefined ? "select 1 as value" : SESSION_QUERY, []).then(
        (found) => {
          if (sessionPid !== undefined && found !== sessionPid) this.#lost("a pooler has changed the connection");
          else if (this.#state === "held") this.#scheduleHeartbeat(sessionPid);
        },
        (error: unknown) => this.#lost(messageOf(error)),
      );
    });
  }

  #lost(reason: string): void {
    if (this.#state !== "held") return;
    this.#state = "over";
    this.#cancelHeartbeat();
    this.#services.onLost(reason);
    // The lock counts as lost, so the connection must end, even if it answers again. Errors at its end do not matter.
    this.#connection.end().then(nothing, nothing);
  }
}

function nothing(): void {}

const SESSION_QUERY = "select pg_backend_pid() as value";

/**
 * Returns the connection's `pg_backend_pid`. Throws when a pooler changes the server process between two statements. To find this out, a
 * second connection opens a transaction: a pooler that shares connections by transaction gives this transaction the server process of the
 * first connection.
 */
async function mustKeepSession(connection: PostgresConnection, address: PostgresAddress): Promise<number> {
  const second = postgresConnection(address, SERVING, "fiscal-solution");
  second.on("error", nothing);
  try {
    await second.connect();
    const before = await one(connection, SESSION_QUERY, []);
    await second.query("begin");
    const other = await one(second, SESSION_QUERY, []);
    const after = await one(connection, SESSION_QUERY, []);
    await second.query("rollback");
    if (before === after && before !== other) return Number(after);
    throw storeFailure(
      "store-misconfigured",
      "caller",
      `DATABASE_SESSION_URL leads to a pooler that changes the connection at ${describePostgres(address.url)} between two statements: it expects an address straight to PostgreSQL, or one with session pooling`,
    );
  } finally {
    await second.end();
  }
}

async function takePlace(connection: PostgresConnection, lockName: string): Promise<number> {
  for (let place = 0; place < MAX_PLACES; place += 1) {
    const key = [PLACE_CLASS, placeName(lockName, place)];
    if ((await one(connection, "select pg_try_advisory_lock($1::int4, hashtext($2)) as value", key)) === true) return place;
  }
  throw storeFailure("store-locked", "caller", `The database is in use by ${MAX_PLACES} processes, and no more can share it`);
}

function placeName(lockName: string, place: number): string {
  return `${lockName} ${place}`;
}

/** Takes the lock without waiting and returns its name, or throws with the holder's name. */
async function take(
  connection: PostgresConnection,
  address: PostgresAddress,
  how: "pg_try_advisory_lock" | "pg_try_advisory_lock_shared",
): Promise<string> {
  const schema = await one(connection, "select coalesce($1::text, current_schema(), 'public') as value", [address.schema ?? null]);
  const lockName = String(schema);
  if ((await one(connection, `select ${how}($1::int4, hashtext($2)) as value`, [LOCK_CLASS, lockName])) === true) return lockName;
  const name = await one(connection, HOLDER_QUERY, [LOCK_CLASS, lockName]);
  throw lockedFailure(`The database ${describePostgres(address.url)}, schema ${lockName},`, holderOf(name));
}

const HOLDER_QUERY = `
  select activity.application_name as value
  from pg_locks as held join pg_stat_activity as activity using (pid)
  where held.locktype = 'advisory' and held.granted and held.objsubid = 2
    and held.database = (select oid from pg_database where datname = current_database())
    and held.classid = $1::int8::oid and held.objid = (hashtext($2)::int8 & 4294967295)::oid`;

async function one(connection: PostgresConnection, text: string, values: unknown[]): Promise<unknown> {
  const { rows } = await connection.query<{ value: unknown }>(text, values);
  return rows[0]?.value;
}

/**
 * Returns the connection's name, which contains the holder. Every user of the PostgreSQL server can read the name while the connection
 * exists.
 */
function nameOf({ pid, host, since }: LockHolder): string {
  return `fiscal ${pid} ${host.slice(0, MAX_HOST_LENGTH)} ${since}`;
}

function holderOf(name: unknown): LockHolder | undefined {
  const match = /^fiscal (\d+) (\S+) (\S+)$/.exec(String(name));
  return match === null ? undefined : { pid: Number(match[1]), host: String(match[2]), since: String(match[3]) };
}
