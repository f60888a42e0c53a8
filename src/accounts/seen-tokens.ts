import type { Clock } from "../kernel/clock.ts";
import { PerKeyWork } from "../kernel/per-key-work.ts";
import type { Store } from "../store/database.ts";
import type { Db } from "./installation-queries.ts";
import { forgetTokensBefore, insertToken, type SeenTokenRow, selectForgottenTo, selectToken, updateTokenAnswer } from "./token-queries.ts";

/**
 * How long a record outlives its token's exp at least: the forgiven skew of a minute and as much again, so that
 * no token is forgotten while it is still taken.
 */
const KEPT_AFTER_EXPIRY_MS = 120_000;
/**
 * Records of an entry that are kept whatever the clock says, those that expire last: some weeks of a busy entry, at half a
 * kilobyte each. A clock that is set back makes old tokens good again: up to the newest expiry that was forgotten, tokens without
 * a record are not taken any more. A clock that was years ahead must not move that mark there, or no new token would be taken for
 * years: so the few tokens that were used meanwhile are not forgotten.
 */
const KEPT_RECORDS = 5_000;

/** One call of the platform, as far as it tells a retry from a replay (platform-contracts 3.2). */
export interface TokenCall {
  appId: string;
  /** `jti` of its token, and when that expires. */
  tokenId: string;
  expiresAtMs: number;
  /** Absent when a proxy dropped the header: then only calls without it are the same. */
  requestId?: string;
  method: string;
  path: string;
  /** SHA-256, hex, of the decoded body. */
  bodyHash: string;
}

export interface OnceAnswer {
  status: number;
  /** JSON text; absent for an empty answer. */
  body?: string;
}

export type Once =
  | { kind: "answer"; answer: OnceAnswer; replayed: boolean }
  /** The token was used for something else: a replay. Nothing was done. */
  | { kind: "used" }
  /** The clock was set back: the token had expired before, and whether it was used is not known any more. Nothing was done. */
  | { kind: "expired" };

/**
 * Makes tokens one-time and lets an honest retry through: the same token with the same request id,
 * method, path and body gets the answer of the first, also while that is still being worked on.
 * Answers of 500 and above are not kept: the retry is worked on anew.
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
   * Runs the work, one at a time for a call, unless its answer is known. The work must be safe to
   * repeat: after a lost process the retry runs it again. Its exception is passed to everybody who waits.
   */
  async once(call: TokenCall, work: () => Promise<OnceAnswer>): Promise<Once> {
    const name = JSON.stringify([call.appId, call.tokenId]);
    const { subject: first, result } = this.#running.join(name, call, () => this.#claim(call, work));
    if (first === call) return await result;
    return isSameCall(first, call) ? asReplayed(await result) : { kind: "used" };
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

  /**
   * What is known of the token; its first use is recorded. The record is read before the moment up to which records were
   * deleted, so that a token is found in one of the two.
   */
  async #take(tx: Db, call: TokenCall): Promise<SeenTokenRow | "first" | "expired"> {
    const { appId, tokenId, expiresAtMs } = call;
    await forgetTokensBefore(tx, appId, this.#clock.nowMs() - KEPT_AFTER_EXPIRY_MS, this.#keptRecords);
    const earlier = await selectToken(tx, appId, tokenId);
    if (earlier !== undefined) return earlier;
    if (expiresAtMs <= ((await selectForgottenTo(tx, appId)) ?? Number.NEGATIVE_INFINITY)) return "expired";
    if (await insertToken(tx, rowOf(call))) return "first";
    // Another connection has just noted it.
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
