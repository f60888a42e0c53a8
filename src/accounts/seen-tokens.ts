import type { Clock } from "../kernel/clock.ts";
import { PerKeyWork } from "../kernel/per-key-work.ts";
import type { Store } from "../store/database.ts";
import type { Db } from "./installation-queries.ts";
import { forgetTokensBefore, insertUnused, type SeenTokenRow, selectToken, updateTokenAnswer } from "./token-queries.ts";

/**
 * A record stays at least this long after its token has expired: a minute of clock skew and a minute of margin. So no record is deleted
 * while its token is accepted.
 */
const KEPT_AFTER_EXPIRY_MS = 120_000;
/**
 * The number of records of a catalogue entry (`appId`) that stay: those that expire last (exact rule: `forgetTokensBefore`). They cover
 * some weeks of a busy entry, at half a kilobyte each.
 *
 * If the clock is set back, old tokens would be valid again. So a token without a record is refused, unless it expires later than every
 * deleted record. The records that expire last must stay: they may come from a time when the clock was years ahead. If such a record were
 * deleted, the server would refuse every new token for years.
 */
const KEPT_RECORDS = 5_000;
/**
 * One call deletes at most this many records, and records with the same expiry as the last of them. In SQLite a longer transaction would
 * block the event loop.
 */
const FORGOTTEN_AT_ONCE = 100;

/** One call of the platform, with the values that distinguish a retry from a replay (platform-contracts 3.2). */
export interface TokenCall {
  appId: string;
  /** `jti` of the call's token. */
  tokenId: string;
  expiresAtMs: number;
  /** Absent when a proxy dropped the header. Such a call equals only calls without the header. */
  requestId?: string;
  method: string;
  path: string;
  /** SHA-256, hex, of the decoded body. */
  bodyHash: string;
}

export interface OnceAnswer {
  status: number;
  /** JSON text. Absent: the answer is empty. */
  body?: string;
}

export type Once =
  | { kind: "answer"; answer: OnceAnswer; replayed: boolean }
  /** The token was used for another call: a replay. Nothing was done. */
  | { kind: "used" }
  /** The clock was set back. The token had expired before, and its use is no longer known. Nothing was done. */
  | { kind: "expired" };

/**
 * Makes every token valid for one call, and answers an honest retry. A retry has the same token, request id, method, path and body. It gets
 * the first call's answer. If the first call is still running in this process, the retry waits for the answer. If the first call is still
 * running in another process, the work of the retry runs too. Answers of 500 and above are not stored, so the work runs again.
 */
export class SeenTokens {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #keptRecords: number;
  readonly #running = new PerKeyWork<Once, TokenCall>();

  constructor(services: { store: Store; clock: Clock; keptRecords?: number }) {
    this.#store = services.store;
    this.#clock = services.clock;
    this.#keptRecords = services.keptRecords ?? KEPT_RECORDS;
  }

  /**
   * Runs the work unless its answer is known. In one process, calls with the same token run one after another. The work must be safe to
   * repeat, because a retry at another process, or after a lost process, runs it again. If the work throws, every waiting caller with the
   * same call gets the exception.
   */
  async once(call: TokenCall, work: () => Promise<OnceAnswer>): Promise<Once> {
    const name = JSON.stringify([call.appId, call.tokenId]);
    for (;;) {
      const { subject: first, result } = this.#running.join(name, call, () => this.#claim(call, work));
      if (first === call) return await result;
      if (isSameCall(first, call)) return asReplayed(await result);
      // Another call with the same token is running, and perhaps that call is the replay. When it has ended, the stored record shows which
      // call was first.
      await Promise.allSettled([result]);
    }
  }

  async #claim(call: TokenCall, work: () => Promise<OnceAnswer>): Promise<Once> {
    const earlier = await this.#store.commit((tx) => this.#take(tx, call));
    if (earlier === "expired") return { kind: "expired" };
    if (earlier !== "first" && !isSameCall(callOf(earlier), call)) return { kind: "used" };
    if (earlier !== "first" && earlier.status !== null)
      return { kind: "answer", answer: answerOf(earlier.status, earlier.answer), replayed: true };
    const answer = await work();
    if (answer.status < 500) {
      const stored = { appId: call.appId, jti: call.tokenId, status: answer.status, answer: answer.body ?? null };
      await this.#store.commit((tx) => updateTokenAnswer(tx, stored));
    }
    return { kind: "answer", answer, replayed: false };
  }

  /** Returns the record of the token, or records its first use. */
  async #take(tx: Db, call: TokenCall): Promise<SeenTokenRow | "first" | "expired"> {
    const { appId, tokenId } = call;
    await forgetTokensBefore(tx, appId, this.#clock.nowMs() - KEPT_AFTER_EXPIRY_MS, this.#keptRecords, FORGOTTEN_AT_ONCE);
    const earlier = await selectToken(tx, appId, tokenId);
    if (earlier !== undefined) return earlier;
    const use = await insertUnused(tx, rowOf(call));
    if (use === "first") return "first";
    if (use === "forgotten") return "expired";
    return (await selectToken(tx, appId, tokenId)) ?? "expired";
  }
}

function asReplayed(once: Once): Once {
  return once.kind === "answer" ? { ...once, replayed: true } : once;
}

function isSameCall(one: TokenCall, other: TokenCall): boolean {
  return (["requestId", "method", "path", "bodyHash"] as const).every((part) => one[part] === other[part]);
}

function rowOf(call: TokenCall) {
  return {
    app_id: call.appId,
    jti: call.tokenId,
    request_id: call.requestId ?? null,
    method: call.method,
    path: call.path,
    body_hash: call.bodyHash,
    status: null,
    answer: null,
    expires_at_ms: call.expiresAtMs,
  };
}

function callOf(row: SeenTokenRow): TokenCall {
  return {
    appId: row.app_id,
    tokenId: row.jti,
    expiresAtMs: row.expires_at_ms,
    method: row.method,
    path: row.path,
    bodyHash: row.body_hash,
    ...(row.request_id === null ? {} : { requestId: row.request_id }),
  };
}

function answerOf(status: number, body: string | null): OnceAnswer {
  return body === null ? { status } : { status, body };
}
