import { type Clock, pause } from "../../kernel/clock.ts";
import type { Log } from "../../kernel/log.ts";
import type { PlatformHeaders } from "../../kernel/platform-profile.ts";
import { ATTEMPTS, maxBytesOf, type Outcome, outcomeOf, type PlatformAnswer, type PlatformCall, pathOf } from "./answer.ts";
import { CODES } from "./codes.ts";
import { AnswerTooLong, type Exchange, type Exchanged, reasonOf, type Wire, WireAbandoned } from "./exchange.ts";
import { PlatformFailure } from "./failure.ts";
import { MAX_WINDOW_MS, type RateSeen } from "./rate.ts";
import { type Elsewhere, FOREIGN_HEADERS, firstHop, MAX_REDIRECTS, nextHop } from "./redirects.ts";
import { type Turn, Turns } from "./turns.ts";

/**
 * The maximum number of requests at the same time. The platform allows a solution one request more, which stays free for another program
 * (json-api 11.2).
 */
export const PARALLEL = 4;
/** A page may take a minute. The platform itself ends a write after five minutes (json-api 4). */
const READ_TIMEOUT_MS = 60_000;
const WRITE_TIMEOUT_MS = 310_000;
const PAUSES_MS = [250, 1_000, 3_000] as const;
/** The maximum number of repeats of a call after 429. A 429 may come from the rate or from too many parallel requests. */
const MAX_LIMITED = 20;
/** Pause after 1073 (too many parallel requests), whose answer states no time. */
const CROWDED_PAUSE_MS = 200;
/** Pause after 429 with neither a time nor a known code. */
const LIMITED_PAUSE_MS = 3_000;

export interface PlatformApiOptions {
  /** `{base}/api/remap/1.2`, without a slash at its end. */
  readonly url: string;
  /** Returns the Authorization header; called for each call; never logged. */
  readonly authorization: () => string;
  readonly headers: PlatformHeaders;
  readonly wire: Wire;
  readonly clock: Clock;
  readonly log: Log;
  readonly parallel?: number;
  /** False: only refusals slow the calls down, and the headers' remaining units are ignored. For a sandbox without limits. */
  readonly rateHeeded?: boolean;
}

/**
 * Calls of the platform's JSON API for one account, within its limits. Safe to share. Every call ends in bounded time with an answer or a
 * `PlatformFailure`. Of the 4xx only 429 is repeated, for every call, except with 1048 (too many failed logins). Repeatable calls are
 * repeated after a lost connection, 502, 503 and 504, and once after 500 or a success without readable JSON (json-api 17). A call that took
 * too long, or whose answer was too long, is never repeated.
 */
export class PlatformApi {
  readonly #options: PlatformApiOptions;
  readonly #turns: Turns;
  readonly #origin: string;

  constructor(options: PlatformApiOptions) {
    this.#options = options;
    this.#turns = new Turns(options.clock, options.parallel ?? PARALLEL, options.rateHeeded);
    this.#origin = new URL(options.url).origin;
  }

  /** `{api}`: the beginning of this client's hrefs. */
  get url(): string {
    return this.#options.url;
  }

  async call(call: PlatformCall): Promise<PlatformAnswer> {
    const { log } = this.#options;
    const repeatable = call.repeatable ?? call.method === "GET";
    for (const prefix of call.muted ?? []) checkPrefix(prefix);
    const body = call.body === undefined ? undefined : JSON.stringify(call.body);
    let limited = 0;
    for (let attempt = 1; ; ) {
      const outcome = await this.#attempt(call, body, limited > 0);
      if (outcome.kind === "answer") return outcome.answer;
      const { failure } = outcome;
      if (outcome.kind === "limited") {
        limited += 1;
        if (limited > MAX_LIMITED) throw failure;
        log.warn({ path: pathOf(call), code: failure.errors[0]?.code }, "the platform limits the requests of this server");
        await this.#wait(this.#pauseOf(failure), call.signal);
        continue;
      }
      const mayRepeat = repeatable && (outcome.kind === "lost" || (outcome.kind === "busy" && attempt < outcome.attempts));
      if (!mayRepeat || attempt >= ATTEMPTS) throw failure;
      log.warn({ path: pathOf(call), attempt, reason: failure.message }, "a call of the platform is made again");
      await this.#wait(PAUSES_MS[attempt - 1] ?? 0, call.signal);
      attempt += 1;
    }
  }

  async #attempt(call: PlatformCall, body: string | undefined, again: boolean): Promise<Outcome> {
    const { clock } = this.#options;
    const limit = new AbortController();
    const signal = call.signal === undefined ? limit.signal : AbortSignal.any([limit.signal, call.signal]);
    const timeoutMs = call.timeoutMs ?? (call.method === "GET" ? READ_TIMEOUT_MS : WRITE_TIMEOUT_MS);
    let cancel = () => {};
    let turn: Turn | undefined;
    try {
      turn = await this.#turns.take(call.weightClass ?? "plain", signal, again);
      // A call's time begins when it is sent: the wait for the rate is not the platform's delay.
      cancel = clock.after(timeoutMs, () => limit.abort(new Error(`no answer within ${timeoutMs} ms`)));
      const exchanged = await this.#exchange(call, body, signal);
      const outcome = await outcomeOf(call, exchanged);
      const retryAfterMs = outcome.kind === "limited" ? this.#retryAfterMs(exchanged.headers) : undefined;
      if (outcome.kind === "limited" && outcome.failure.has(CODES.parallelLimit)) this.#turns.narrow();
      turn.done(this.#rateIn(exchanged), retryAfterMs);
      return outcome;
    } catch (error) {
      if (call.signal?.aborted === true) return { kind: "refused", failure: cancelled(error) };
      if (error instanceof PlatformFailure) return { kind: "refused", failure: error };
      if (error instanceof AnswerTooLong) return { kind: "busy", failure: tooLong(call, error), attempts: 1 };
      const late = limit.signal.aborted;
      const reason = reasonOf(late ? limit.signal.reason : error);
      const failure = new PlatformFailure("unreachable", `${call.method} ${pathOf(call)}: ${reason}`, { cause: error });
      return { kind: late || error instanceof WireAbandoned ? "late" : "lost", failure };
    } finally {
      cancel();
      turn?.done(undefined);
    }
  }

  async #exchange(call: PlatformCall, body: string | undefined, signal: AbortSignal): Promise<Exchanged> {
    const first = firstHop(call, this.#addressOf(call), this.#origin);
    if (first.kind === "elsewhere") throw elsewhere(call, first);
    for (let { hop } = first, redirects = 0; ; redirects += 1) {
      const headers = hop.own ? this.#headersOf(call) : FOREIGN_HEADERS;
      const exchanged = await this.#options.wire.exchange({
        method: call.method,
        url: hop.url,
        headers,
        body,
        signal,
        maxBytes: maxBytesOf(call),
      });
      const led = nextHop(call, hop, exchanged, this.#origin);
      if (led.kind === "elsewhere") throw elsewhere(call, led, exchanged.status);
      if (led.kind === "stay" || redirects >= MAX_REDIRECTS) return exchanged;
      hop = led.hop;
    }
  }

  #addressOf({ path, query = {} }: PlatformCall): string {
    const whole = path.startsWith("http://") || path.startsWith("https://");
    const url = whole ? this.#own(path) : `${this.#options.url}/${path}`;
    const text = Object.entries(query)
      .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]))
      .join("&");
    return text === "" ? url : `${url}${url.includes("?") ? "&" : "?"}${text}`;
  }

  /** Moves an href to the configured host. The platform may name another host in it, with the same path (json-api 17.8). */
  #own(href: string): string {
    const url = new URL(href);
    const api = new URL(this.#options.url);
    const inside = url.origin !== api.origin && url.pathname.startsWith(`${api.pathname}/`);
    return inside ? `${api.origin}${url.pathname}${url.search}` : href;
  }

  #headersOf(call: PlatformCall): Exchange["headers"] {
    const { headers } = this.#options;
    const { muted = [], redirects } = call;
    const linkSeconds = redirects?.kind === "answer" ? redirects.linkSeconds : undefined;
    return {
      ...(call.form === "bytes" ? {} : { accept: "application/json;charset=utf-8" }),
      "accept-encoding": "gzip",
      authorization: this.#options.authorization(),
      ...(call.body === undefined ? {} : { "content-type": "application/json" }),
      ...(muted.length === 0 ? {} : { [headers.muteByPrefix]: [...muted] }),
      ...(linkSeconds === undefined ? {} : { [headers.downloadExpiration]: String(linkSeconds) }),
      ...call.headers,
    };
  }

  /** Returns for how long the platform wants no request. Undefined: the headers do not state it. */
  #retryAfterMs(headers: Readonly<Record<string, string>>): number | undefined {
    const retryAfterMs = numberIn(headers, this.#options.headers.retryAfter);
    return retryAfterMs !== undefined && retryAfterMs >= 0 ? Math.min(retryAfterMs, MAX_WINDOW_MS) : undefined;
  }

  /**
   * The pause before a call is repeated after 429. If the platform states a time, `Turns` delays all calls for this time, so no further
   * pause is needed. After 1073 `Turns` also allows fewer parallel requests.
   */
  #pauseOf(failure: PlatformFailure): number {
    if (this.#retryAfterMs(failure.headers) !== undefined) return 0;
    return failure.has(CODES.parallelLimit) ? CROWDED_PAUSE_MS : LIMITED_PAUSE_MS;
  }

  async #wait(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
    if (delayMs > 0) await pause(this.#options.clock, delayMs, signal);
    if (signal?.aborted === true) throw cancelled(signal.reason);
  }

  #rateIn({ status, headers }: Exchanged): RateSeen {
    return {
      limit: numberIn(headers, "x-ratelimit-limit"),
      remaining: numberIn(headers, "x-ratelimit-remaining"),
      windowMs: numberIn(headers, this.#options.headers.retryInterval),
      refused: status === 429,
    };
  }
}

/** Returns the number in a header. Undefined: the header is missing or is no number. */
function numberIn(headers: Exchanged["headers"], name: string): number | undefined {
  const text = headers[name.toLowerCase()]?.trim() ?? "";
  const value = Number(text);
  return text === "" || !Number.isFinite(value) ? undefined : value;
}

/**
 * Throws for a prefix that the platform would refuse with the error 3030. Also throws for a comma: the platform does not split a header at
 * commas, so the whole text would count as one prefix.
 */
function checkPrefix(prefix: string): void {
  if (URL.canParse(prefix) && /^https?:\/\/[^\s,]+$/.test(prefix)) return;
  throw new PlatformFailure("unsayable", `${prefix} is no beginning of a webhook's address: it needs its scheme and whole domain`);
}

/**
 * A failure that is not repeated, because a repeat would be led to the same address. Names only the origin: the rest of a link may give
 * access to a file.
 */
function elsewhere(call: PlatformCall, { origin }: Elsewhere, status?: number): PlatformFailure {
  const words = `${call.method} ${pathOf(call)} leads to ${origin}, which is not the platform's address: nobody goes there`;
  return new PlatformFailure("unavailable", words, status === undefined ? {} : { status });
}

/** A failure that is not repeated, because the next answer would be as long. */
function tooLong(call: PlatformCall, cause: AnswerTooLong): PlatformFailure {
  return new PlatformFailure("unavailable", `${call.method} ${pathOf(call)}: ${cause.message}`, { cause });
}

function cancelled(cause: unknown): PlatformFailure {
  return new PlatformFailure("cancelled", "the call was given up", { cause });
}
