import { type Clock, pause } from "../../kernel/clock.ts";
import type { Log } from "../../kernel/log.ts";
import type { PlatformHeaders } from "../../kernel/platform-profile.ts";
import type { Secret } from "../../kernel/secret.ts";
import { PLATFORM_ID } from "../../model/operation.ts";
import { type Exchanged, neverLeft, reasonOf, type Wire, WireAbandoned } from "../api/exchange.ts";
import { PlatformFailure } from "../api/failure.ts";
import { inWords, jsonIn, replyIn, UNREADABLE, type VendorReply } from "./reply.ts";

/** The longest time of one attempt, shorter than the platform's own 10 s: a person waits for the result in a window or at a command. */
const ATTEMPT_LIMIT_MS = 5_000;
/** Pauses between the three attempts. A restarting platform is back in seconds. A longer failure needs a person. */
const PAUSES_MS = [500, 2_000] as const;
/**
 * The maximum number of calls at the same time, far above what one server's windows and set-ups need. More calls are refused immediately:
 * their tokens would expire in a queue.
 */
const MAX_UNDER_WAY = 500;

export interface VendorOptions {
  /** `{apps_url}`: the platform's side of the vendor contract, without a slash at the end. */
  readonly url: string;
  /** Makes a token of the catalogue entry for each attempt: the platform accepts a token once (platform-contracts 3.2). */
  readonly token: (appId: string) => Promise<string>;
  readonly headers: PlatformHeaders;
  readonly wire: Wire;
  readonly clock: Clock;
  readonly log: Log;
}

export interface VendorBounds {
  readonly signal?: AbortSignal;
  /** For each attempt. */
  readonly timeoutMs?: number;
}

interface VendorCall {
  /** The catalogue entry whose credentials sign the call. */
  readonly appId: string;
  readonly method: "GET" | "PUT" | "PATCH" | "POST";
  /** Below `{apps_url}/api/vendor/1.0`. */
  readonly path: string;
  /** The path for logs, when `path` contains a secret. */
  readonly shown?: string;
  readonly body?: object;
  readonly secrets?: readonly Secret[];
  /**
   * When the call may be repeated. `never-left`: only if no attempt can have arrived. `harmless`: always, because two arrivals have the
   * effect of one.
   */
  readonly again: "harmless" | "never-left";
  readonly bounds: VendorBounds;
}

/** Outcomes that any call may have. */
export type Trouble =
  /** 401: the catalogue entry's secretKey or appUid, or this machine's clock, is wrong. The last attempt was not carried out. */
  | { readonly kind: "unauthorized"; readonly reply: VendorReply }
  /** A refusal that this call does not name. The same call would be refused again. */
  | { readonly kind: "refused"; readonly reply: VendorReply }
  /** 429, 5xx or an unreadable answer at the last attempt. The call may have been carried out. */
  | { readonly kind: "unavailable"; readonly reply: VendorReply }
  /** No answer at the last attempt, or too many calls at the same time. The call may have been carried out. */
  | { readonly kind: "unreachable"; readonly reason: string }
  /** The caller gave up, or this server stops. The call may have been carried out. */
  | { readonly kind: "cancelled" };

interface Called {
  readonly answer: { readonly kind: "good"; readonly status: number; readonly body: unknown } | Trouble;
  /** True when any attempt may have arrived. An attempt that was answered with 401 does not count, because it certainly had no effect. */
  readonly left: boolean;
  /** Like `left`, but without the last attempt. */
  readonly leftBefore: boolean;
}

type Tried = Pick<Called, "answer" | "left">;

const GIVEN_UP: Tried = { answer: { kind: "cancelled" }, left: false };

/**
 * Calls to the platform's side of the vendor contract (platform-contracts 3.8), each attempt with a new token. Never rejects because of the
 * platform. Repeats after no answer, 429, 5xx and an unreadable answer, if `again` allows it: at most three attempts in all, by default
 * within 20 s.
 */
export class VendorLine {
  readonly #options: VendorOptions;
  #underWay = 0;

  constructor(options: VendorOptions) {
    this.#options = options;
  }

  async call(call: VendorCall): Promise<Called> {
    if (this.#underWay >= MAX_UNDER_WAY) {
      const reason = `more than ${MAX_UNDER_WAY} calls wait for the platform`;
      return { answer: { kind: "unreachable", reason }, left: false, leftBefore: false };
    }
    this.#underWay += 1;
    try {
      return await this.#attempts(call);
    } finally {
      this.#underWay -= 1;
    }
  }

  async #attempts(call: VendorCall): Promise<Called> {
    const { clock, log } = this.#options;
    const { signal: given } = call.bounds;
    let leftBefore = false;
    for (let attempt = 1; ; attempt += 1) {
      const { answer, left } = given?.aborted === true ? GIVEN_UP : await this.#attempt(call);
      const called: Called = { answer, left: left || leftBefore, leftBefore };
      const pauseMs = PAUSES_MS[attempt - 1];
      const worthwhile = answer.kind === "unreachable" || answer.kind === "unavailable";
      if (!worthwhile || pauseMs === undefined || (called.left && call.again === "never-left")) return called;
      const reason = answer.kind === "unreachable" ? answer.reason : inWords(answer.reply);
      log.warn({ appId: call.appId, path: shownPath(call), attempt, reason }, "a vendor call to the platform is made again");
      await pause(clock, pauseMs, given);
      leftBefore = called.left;
    }
  }

  async #attempt(call: VendorCall): Promise<Tried> {
    const { signal: given, timeoutMs = ATTEMPT_LIMIT_MS } = call.bounds;
    const bearer = await this.#options.token(call.appId);
    const limit = new AbortController();
    const cancel = this.#options.clock.after(timeoutMs, () => limit.abort(new Error(`no answer within ${timeoutMs} ms`)));
    const signal = given === undefined ? limit.signal : AbortSignal.any([limit.signal, given]);
    try {
      const exchanged = await this.#exchange(call, bearer, signal);
      return this.#read(call, exchanged, [bearer, ...(call.secrets ?? []).map((secret) => secret.reveal())]);
    } catch (error) {
      if (given?.aborted === true) return { answer: { kind: "cancelled" }, left: true };
      if (error instanceof WireAbandoned) return { answer: { kind: "cancelled" }, left: error.left };
      const reason = reasonOf(limit.signal.aborted ? limit.signal.reason : error);
      return { answer: { kind: "unreachable", reason }, left: !neverLeft(error) };
    } finally {
      cancel();
    }
  }

  #exchange({ method, path, body }: VendorCall, bearer: string, signal: AbortSignal): Promise<Exchanged> {
    return this.#options.wire.exchange({
      method,
      url: `${this.#options.url}/api/vendor/1.0/${path}`,
      headers: {
        authorization: `Bearer ${bearer}`,
        accept: "application/json",
        // Without this header the platform answers 415.
        "accept-encoding": "gzip",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal,
    });
  }

  /** Follows no redirection: the token is for this address only. */
  #read(call: VendorCall, exchanged: Exchanged, secrets: readonly string[]): Tried {
    const { headers, log } = this.#options;
    const { status } = exchanged;
    const good = status >= 200 && status < 300;
    const body = jsonIn(exchanged);
    if (good && body !== UNREADABLE) return { answer: { kind: "good", status, body }, left: true };
    const reply = replyIn(exchanged, headers, secrets);
    if (status === 401) {
      const { words, auth, authMessage } = reply;
      const values = { appId: call.appId, path: shownPath(call), words, auth, authMessage };
      log.warn(values, "the platform does not take the token of this server: the secretKey, the appUid or this machine's clock is wrong");
      return { answer: { kind: "unauthorized", reply }, left: false };
    }
    // `left` is true even after 429: nothing was carried out, but the call has arrived.
    if (good || status === 429 || status >= 500) return { answer: { kind: "unavailable", reply }, left: true };
    return { answer: { kind: "refused", reply }, left: true };
  }
}

/** Returns `apps/{appId}/{accountId}/{end}`. Throws `unsayable` for an invalid id: its path could lead to another address. */
export function pathOf({ appId, accountId }: { readonly appId: string; readonly accountId: string }, end: string): string {
  return `apps/${idIn(appId)}/${idIn(accountId)}/${end}`;
}

/** Checks an id that becomes a segment of a path. Throws `unsayable`. */
export function idIn(id: string): string {
  if (!PLATFORM_ID.test(id)) throw new PlatformFailure("unsayable", `${JSON.stringify(id)} is no id`);
  return id;
}

function shownPath({ shown, path }: VendorCall): string {
  return shown ?? path;
}
