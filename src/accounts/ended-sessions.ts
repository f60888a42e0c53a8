import type { Clock } from "../kernel/clock.ts";
import type { Store } from "../store/database.ts";
import { forgetTokensBefore, insertToken, selectForgottenTo, selectToken } from "./token-queries.ts";

/** A browser's session. It is valid until it expires or is ended. */
interface KeptSession {
  id: string;
  expiresAtMs: number;
}

/**
 * The app id of these records. They share a table with the tokens of the vendor contract. The app ids of those tokens have no colon, so the
 * two kinds of records never mix.
 */
const ENTRY = "console:ended";
/**
 * The number of records that stay: those that expire last (exact rule: `forgetTokensBefore`). They may come from a time when the clock was
 * years ahead. If such a record were deleted, every new session would count as ended for years.
 */
const KEPT_RECORDS = 1_000;
/**
 * The end of one session deletes at most this many records, and records with the same expiry as the last of them. In SQLite a transaction
 * blocks the event loop.
 */
const FORGOTTEN_AT_ONCE = 100;

/**
 * Stores the sessions that were ended before they expired, for all processes and across restarts. The end of a session also deletes some
 * records of expired sessions.
 */
export class EndedSessions {
  readonly #store: Pick<Store, "commit" | "read">;
  readonly #clock: Clock;
  readonly #keptRecords: number;

  constructor(services: { store: Pick<Store, "commit" | "read">; clock: Clock; keptRecords?: number }) {
    this.#store = services.store;
    this.#clock = services.clock;
    this.#keptRecords = services.keptRecords ?? KEPT_RECORDS;
  }

  /** Safe to repeat. */
  async add({ id, expiresAtMs }: KeptSession): Promise<void> {
    const unused = { request_id: null, method: "", path: "", body_hash: "", status: null, answer: null };
    await this.#store.commit(async (tx) => {
      await forgetTokensBefore(tx, ENTRY, this.#clock.nowMs(), this.#keptRecords, FORGOTTEN_AT_ONCE);
      await insertToken(tx, { ...unused, app_id: ENTRY, jti: id, expires_at_ms: expiresAtMs });
    });
  }

  /**
   * True when the session was ended. If the clock was set back, an expired session looks valid again, and its record may be gone. So a
   * session also counts as ended when a deleted record has the same or a later expiry.
   */
  async has({ id, expiresAtMs }: KeptSession): Promise<boolean> {
    return await this.#store.read(async (db) => {
      if ((await selectToken(db, ENTRY, id)) !== undefined) return true;
      return expiresAtMs <= ((await selectForgottenTo(db, ENTRY)) ?? Number.NEGATIVE_INFINITY);
    });
  }
}
