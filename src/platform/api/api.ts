import { type Clock, pause } from "../../kernel/clock.ts";
import { messageOf } from "../../kernel/failure.ts";
import type { Log } from "../../kernel/log.ts";
import type { PlatformHeaders } from "../../kernel/platform-profile.ts";
import type { Exchanged, Wire } from "./exchange.ts";
import { errorsIn, PlatformFailure } from "./failure.ts";
import type { RateSeen } from "./rate.ts";
import { Turns } from "./turns.ts";

/** Requests at once: one below what the platform allows a solution, so that a look from elsewhere still passes (11.2). */
export const PARALLEL = 4;
/** A page has a minute; a write may take five, and the platform ends it then by itself (reference 4). */
const READ_TIMEOUT_MS = 60_000;
const WRITE_TIMEOUT_MS = 310_000;
/** Attempts of a call in all, and the pauses between them: a platform that restarts is back in seconds. */
const ATTEMPTS = 4;
const PAUSES_MS = [250, 1_000, 3_000] as const;
/** Times that a call waits for the rate or for a place among the parallel ones: each wait is as long as the platform said. */
const MAX_LIMITED = 20;
/** After 1073, which names no time. */
const CROWDED_PAUSE_MS = 200;
/** After 429 without a time and without a known code. */
const LIMITED_PAUSE_MS = 3_000;
const MAX_REDIRECTS = 3;
/** Longest piece of a body that is no JSON and goes into a failure. */
const MAX_TOLD = 500;

export interface PlatformApiOptions {
  /** `{base}/api/remap/1.2`, without a slash at its end. */
  readonly url: string;
  /** The Authorization header's value, asked for each call anew; never logged. */
  readonly authorization: () => string;
  readonly headers: PlatformHeaders;
  readonly wire: Wire;
  readonly clock: Clock;
  readonly log: Log;
  readonly parallel?: number;
}

/** One call, as its maker knows it. */
export interface PlatformCall {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Below `{api}`, or a whole address of the platform's (an href, a next page). */
  readonly path: string;
  readonly query?: URLSearchParams;
  readonly body?: unknown;
  /** The call may be made again though the first may have been carried out: reads, and creations with a `syncId`. */
  readonly repeatable?: boolean;
  /** Statuses besides 2xx whose body is an answer: mass writes come with 400 and 412 too. */
  readonly alsoGood?: readonly number[];
  /** Reports cost more than other calls (11.1). */
  readonly weightClass?: "plain" | "report";
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  /** Headers besides the usual ones (muting of webhooks, precision). */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface PlatformAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The body as JSON; undefined when it is empty. */
  readonly body: unknown;
}

/**
 * Calls of the platform's JSON API: one account, within its limits. Safe to share. Every call ends within its bounds with an answer
 * or a `PlatformFailure`. Nothing is repeated after 4xx but 429; reads are repeated on a lost connection, 502, 503, 504 and once on 500;
 * other calls on a lost connection only when their maker says that it harms nothing (reference 17).
 */
export class PlatformApi {
  readonly #options: PlatformApiOptions;
  readonly #turns: Turns;
  readonly #origin: string;

  constructor(options: PlatformApiOptions) {
    this.#options = options;
    this.#turns = new Turns(options.clock, options.parallel ?? PARALLEL);
    this.#origin = new URL(options.url).origin;
  }

  get url(): string {
    return this.#options.url;
  }

  async call(call: PlatformCall): Promise<PlatformAnswer> {
    const { clock, log } = this.#options;
    const isRead = call.method === "GET";
    const repeatable = call.repeatable ?? isRead;
    let limited = 0;
    for (let attempt = 1; ; ) {
      const outcome = await this.#attempt(call);
      if (outcome.kind === "answer") return outcome.answer;
      const { failure } = outcome;
      if (outcome.kind === "limited") {
        limited += 1;
        if (limited > MAX_LIMITED) throw failure;
        log.warn({ path: pathOf(call), waitMs: outcome.waitMs }, "the platform limits our requests");
        if (outcome.waitMs > 0) await pause(clock, outcome.waitMs, call.signal);
        continue;
      }
      const mayRepeat = outcome.kind === "lost" ? repeatable : outcome.kind === "busy" && isRead && attempt < outcome.attempts;
      if (!mayRepeat || attempt >= ATTEMPTS || call.signal?.aborted === true) throw failure;
      log.warn({ path: pathOf(call), attempt, reason: failure.message }, "a call of the platform is made again");
      await pause(clock, PAUSES_MS[attempt - 1] ?? 0, call.signal);
      attempt += 1;
    }
  }

  async #attempt(call: PlatformCall): Promise<Outcome> {
    const { clock } = this.#options;
    const limit = new AbortController();
    const signal = call.signal === undefined ? limit.signal : AbortSignal.any([limit.signal, call.signal]);
    const timeoutMs = call.timeoutMs ?? (call.method === "GET" ? READ_TIMEOUT_MS : WRITE_TIMEOUT_MS);
    let cancel = () => {};
    let turn: Awaited<ReturnType<Turns["take"]>> | undefined;
    try {
      turn = await this.#turns.take(call.weightClass ?? "plain", signal);
      // The time that a call has begins when it leaves: waiting for the rate is none of the platform's slowness.
      cancel = clock.after(timeoutMs, () => limit.abort(new Error(`no answer within ${timeoutMs} ms`)));
      const exchanged = await this.#exchange(call, signal);
      turn.done(this.#rateIn(exchanged));
      return this.#judge(call, exchanged);
    } catch (error) {
      if (error instanceof PlatformFailure) return { kind: "refused", failure: error };
      if (call.signal?.aborted === true)
        return { kind: "refused", failure: new PlatformFailure("cancelled", "the call was given up", { cause: error }) };
      const reason = limit.signal.aborted ? messageOf(limit.signal.reason) : messageOf(error);
      return { kind: "lost", failure: new PlatformFailure("unreachable", `${call.method} ${pathOf(call)}: ${reason}`, { cause: error }) };
    } finally {
      cancel();
      turn?.done(undefined);
    }
  }

  /** Follows redirects of a read; to another host without the authorization. */
  async #exchange(call: PlatformCall, signal: AbortSignal): Promise<Exchanged> {
    let url = this.#addressOf(call);
    for (let redirects = 0; ; redirects += 1) {
      const exchanged = await this.#options.wire.exchange({
        method: call.method,
        url,
        headers: this.#headersOf(call, url),
        body: call.body === undefined ? undefined : JSON.stringify(call.body),
        signal,
      });
      const location = exchanged.headers.location;
      const follow = [301, 302, 303, 307, 308].includes(exchanged.status) && location !== undefined && call.method === "GET";
      if (!follow || redirects >= MAX_REDIRECTS) return exchanged;
      url = new URL(location, url).toString();
    }
  }

  #addressOf({ path, query }: PlatformCall): string {
    const url = path.startsWith("http://") || path.startsWith("https://") ? path : `${this.#options.url}/${path}`;
    const text = query?.toString() ?? "";
    return text === "" ? url : `${url}${url.includes("?") ? "&" : "?"}${text}`;
  }

  #headersOf(call: PlatformCall, url: string): Record<string, string> {
    const ours = new URL(url).origin === this.#origin;
    return {
      accept: "application/json;charset=utf-8",
      "accept-encoding": "gzip",
      ...(ours ? { authorization: this.#options.authorization() } : {}),
      ...(call.body === undefined ? {} : { "content-type": "application/json" }),
      ...call.headers,
    };
  }

  #judge(call: PlatformCall, { status, headers, body }: Exchanged): Outcome {
    const json = parsed(body);
    const good = (status >= 200 && status < 300) || call.alsoGood?.includes(status) === true;
    if (good && json !== UNREADABLE && (status < 300 || Array.isArray(json)))
      return { kind: "answer", answer: { status, headers, body: json } };
    const failure = failureOf(call, status, json, body);
    if (status === 429) return { kind: "limited", failure, waitMs: this.#waitOf(headers, failure) };
    if (status === 500) return { kind: "busy", failure, attempts: 2 };
    if (status === 502 || status === 503 || status === 504) return { kind: "busy", failure, attempts: ATTEMPTS };
    return { kind: "refused", failure };
  }

  /** 1049 says how long; 1073 does not, and means fewer at once. */
  #waitOf(headers: Readonly<Record<string, string>>, failure: PlatformFailure): number {
    const told = Number(headers[this.#options.headers.retryAfter.toLowerCase()]);
    if (Number.isFinite(told) && told >= 0) {
      this.#turns.block(told);
      return 0;
    }
    if (!failure.has(1073)) return LIMITED_PAUSE_MS;
    this.#turns.narrow();
    return CROWDED_PAUSE_MS;
  }

  #rateIn({ headers }: Exchanged): RateSeen {
    const number = (name: string) => {
      const value = Number(headers[name.toLowerCase()] ?? Number.NaN);
      return Number.isFinite(value) ? value : undefined;
    };
    return {
      limit: number("x-ratelimit-limit"),
      remaining: number("x-ratelimit-remaining"),
      windowMs: number(this.#options.headers.retryInterval),
    };
  }
}

/** How one attempt ended. */
type Outcome =
  | { readonly kind: "answer"; readonly answer: PlatformAnswer }
  /** 429: later, with the same body. */
  | { readonly kind: "limited"; readonly failure: PlatformFailure; readonly waitMs: number }
  /** 5xx; how many attempts a read may make in all. */
  | { readonly kind: "busy"; readonly failure: PlatformFailure; readonly attempts: number }
  /** No answer: it may have been carried out. */
  | { readonly kind: "lost"; readonly failure: PlatformFailure }
  | { readonly kind: "refused"; readonly failure: PlatformFailure };

const UNREADABLE = Symbol("no JSON");

/** Empty bodies are good answers (deletions); a page where JSON should be is none. */
function parsed(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    // Proxies answer with pages: the status says what there is to know.
    return UNREADABLE;
  }
}

function failureOf(call: PlatformCall, status: number, json: unknown, body: Buffer): PlatformFailure {
  const errors = errorsIn(json) ?? [];
  const words = errors.map(({ code, error }) => `${code ?? "?"} ${error}`).join("; ");
  const told = json === UNREADABLE ? { body: body.toString("utf8", 0, MAX_TOLD) } : {};
  const message = `${call.method} ${pathOf(call)}: ${status}${words === "" ? "" : ` ${words}`}`;
  const kind = status === 429 ? "limited" : status >= 500 || status < 400 ? "unavailable" : "refused";
  return new PlatformFailure(kind, message, { status, errors, ...told });
}

/** For logs: without the query, which may hold a buyer's data. */
function pathOf({ path }: PlatformCall): string {
  return path.split("?")[0] ?? "";
}
