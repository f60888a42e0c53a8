import type { Clock } from "../kernel/clock.ts";
import type { Store } from "../store/database.ts";
import { forgetTokensBefore, insertToken, selectForgottenTo, selectToken } from "./token-queries.ts";

/** A session that a browser keeps. It can be used until it expires, unless it was ended. */
interface KeptSession {
  id: string;
  expiresAtMs: number;
}

/** The app id of these records. They share a table with the tokens of the vendor contract, whose app ids have no colon. */
const ENTRY = "console:ended";

/**
 * Sessions that were ended before they expired. All processes on the database know them, and a restart forgets none. A record is deleted
 * after its session has expired, when the next session is ended.
 */
export class EndedSessions {
  readonly #store: Pick<Store, "commit" | "read">;
  readonly #clock: Clock;

  constructor(services: { store: Pick<Store, "commit" | "read">; clock: Clock }) {
    this.#store = services.store;
    this.#clock = services.clock;
  }

  /** Safe to repeat. */
  async add({ id, expiresAtMs }: KeptSession): Promise<void> {
    const unused = { request_id: null, method: "", path: "", body_hash: "", status: null, answer: null };
    await this.#store.commit(async (tx) => {
      await forgetTokensBefore(tx, ENTRY, this.#clock.nowMs(), 0);
      await insertToken(tx, { ...unused, app_id: ENTRY, jti: id, expires_at_ms: expiresAtMs });
    });
  }

  /**
   * Whether the session was ended. After the clock was set back, an expired session looks valid again, and its record may have been
   * deleted. So a session also counts as ended when it expires no later than the newest deleted record.
   */
  async has({ id, expiresAtMs }: KeptSession): Promise<boolean> {
    return await this.#store.read(async (db) => {
      if ((await selectToken(db, ENTRY, id)) !== undefined) return true;
      return expiresAtMs <= ((await selectForgottenTo(db, ENTRY)) ?? Number.NEGATIVE_INFINITY);
    });
  }
}
