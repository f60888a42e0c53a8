import pg from "pg";
import type { Clock } from "../../kernel/clock.ts";

/**
 * When a session of at most this age refuses a change, the database itself is read-only. An older session may have begun in an earlier
 * read-only time. The limit bounds how often sessions are replaced while the database is read-only.
 */
const FRESH_MS = 1_000;

/**
 * Ends the sessions of a pool that began while the database was read-only. A session takes the default `default_transaction_read_only` of
 * its database and user when it begins, and keeps this value. A session that began with the value `on` would refuse changes for as long as
 * it is used, although the database takes changes again.
 */
export class PostgresSessions {
  readonly #pool: pg.Pool;
  readonly #clock: Clock;
  readonly #beganMs = new Map<pg.PoolClient, number>();
  #doubtedMs = Number.NEGATIVE_INFINITY;

  constructor(pool: pg.Pool, clock: Clock) {
    this.#pool = pool;
    this.#clock = clock;
    pool.on("connect", (session) => this.#beganMs.set(session, clock.monotonicMs()));
    pool.on("remove", (session) => this.#beganMs.delete(session));
    // The pool removes a session that is ending, instead of using it again.
    pool.on("release", (_error, session) => {
      if (this.#isDoubted(session)) void session.end();
    });
  }

  /**
   * Call this before the session of a refused change is released. Ends the sessions that are older than `FRESH_MS`: idle sessions now,
   * sessions in use when they are released. Returns true when there are such sessions, so the change should be tried again.
   */
  refused(thrown: unknown): boolean {
    if (!isReadOnly(thrown)) return false;
    this.#doubtedMs = this.#clock.monotonicMs() - FRESH_MS;
    if (![...this.#beganMs.keys()].some((session) => this.#isDoubted(session))) return false;
    // The pool can end an idle session at once only in one way: the session is taken, then released with `true`.
    for (let idle = this.#pool.idleCount; idle > 0; idle -= 1) {
      this.#pool.connect((_error, session, release) => release(session !== undefined && this.#isDoubted(session)));
    }
    return true;
  }

  #isDoubted(session: pg.PoolClient): boolean {
    return (this.#beganMs.get(session) ?? Number.POSITIVE_INFINITY) <= this.#doubtedMs;
  }
}

/** PostgreSQL's read_only_sql_transaction, also when it is the cause of a Failure. The transaction has changed nothing. */
function isReadOnly(thrown: unknown): boolean {
  const cause = thrown instanceof Error && !(thrown instanceof pg.DatabaseError) ? thrown.cause : thrown;
  return cause instanceof pg.DatabaseError && cause.code === "25006";
}
