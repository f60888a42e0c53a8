import type { Clock } from "../kernel/clock.ts";
import { messageOf } from "../kernel/failure.ts";
import { describePostgres, type PostgresAddress, type PostgresConnection, postgresConnection, SERVING } from "./dialects/postgres.ts";
import { asStoreFailure } from "./failures.ts";
import { type Lock, type LockHolder, lockedFailure } from "./lock.ts";

/**
 * How often the connection is used, so that no proxy closes it as idle. A lost connection is noticed within this time plus the time limit
 * of an answer.
 */
const HEARTBEAT_MS = 10_000;
/** The first half of the advisory lock's key ("FISC"). It differs from the keys of other programs. */
const LOCK_CLASS = 0x46495343;
/**
 * The longest host name in the name of a connection. PostgreSQL cuts such a name at 63 bytes, and the other parts of `nameOf` need the
 * rest.
 */
const MAX_HOST_LENGTH = 24;

interface SchemaLockServices {
  clock: Clock;
  /**
   * Called once when the connection that holds the lock is lost. Another server may take the lock from then on, so nothing more
   * may be sent to a register. Not called after `release`.
   */
  onLost(reason: string): void;
}

/**
 * Locks the schema for this process: an advisory lock on a connection of its own, which PostgreSQL frees when that connection
 * ends. Throws `store-locked`, with the holder's name, or `database-failed`. A pooler that shares connections by transaction
 * would lose the lock.
 */
export async function lockSchema(address: PostgresAddress, holder: LockHolder, services: SchemaLockServices): Promise<Lock> {
  const connection = postgresConnection(address, SERVING, nameOf(holder));
  const lock = new SchemaLock(connection, holder, services);
  try {
    await connection.connect();
    await take(connection, address);
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
    // While the lock is being taken, the caller gets the error by its query.
    connection.on("error", (error) => this.#lost(messageOf(error)));
    connection.on("end", () => this.#lost("the server ended the connection"));
  }

  watch(): void {
    this.#state = "held";
    this.#scheduleHeartbeat();
  }

  async release(): Promise<void> {
    if (this.#state === "over") return;
    this.#state = "over";
    this.#cancelHeartbeat();
    await this.#connection.end();
  }

  #scheduleHeartbeat(): void {
    this.#cancelHeartbeat = this.#services.clock.after(HEARTBEAT_MS, () => {
      this.#connection.query("select 1").then(
        () => {
          if (this.#state === "held") this.#scheduleHeartbeat();
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
    // The lock is no longer used, so the connection must end even if it answers again. Errors while it ends do not matter.
    this.#connection.end().then(nothing, nothing);
  }
}

function nothing(): void {}

/** Takes the lock at once, or throws with the name of its holder. */
async function take(connection: PostgresConnection, address: PostgresAddress): Promise<void> {
  const schema = await one(connection, "select coalesce($1::text, current_schema(), 'public') as value", [address.schema ?? null]);
  const lockName = String(schema);
  if ((await one(connection, "select pg_try_advisory_lock($1::int4, hashtext($2)) as value", [LOCK_CLASS, lockName])) === true) return;
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
 * Returns the name of the connection, which contains the holder. Every user of the PostgreSQL server can read it, and it disappears with
 * the connection.
 */
function nameOf({ pid, host, since }: LockHolder): string {
  return `fiscal ${pid} ${host.slice(0, MAX_HOST_LENGTH)} ${since}`;
}

function holderOf(name: unknown): LockHolder | undefined {
  const match = /^fiscal (\d+) (\S+) (\S+)$/.exec(String(name));
  return match === null ? undefined : { pid: Number(match[1]), host: String(match[2]), since: String(match[3]) };
}
