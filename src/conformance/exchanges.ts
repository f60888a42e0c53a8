import { gunzipSync } from "node:zlib";
import type { Clock } from "../kernel/clock.ts";
import { type Call, type Exchange, send } from "../sandbox/caller/call.ts";
import { CannotRun, type Finding, held } from "./rule.ts";

/** A request and what became of it. */
export interface Sent {
  contract: "vendor" | "fiscal";
  origin: string;
  call: Call;
  exchange: Exchange;
}

/** Longest text of a body in a report; what is longer was sent or answered as one piece of many. */
const MAX_BODY_WORDS = 700;
/** Longest text inside a body: receipts, keys, padding. */
const MAX_TEXT_WORDS = 90;
/** How long we wait beyond the limit that a rule sets: a late answer is worth more in a report than none. */
const PATIENCE_MS = 5_000;

/** Sends requests and keeps every exchange of the run. */
export class Exchanges {
  readonly #clock: Clock;
  readonly #limitMs: number;
  readonly #all: Sent[] = [];
  #gone = false;
  #rule = "the beginning";
  #failedClose: string | undefined;

  constructor(clock: Clock, limitMs: number) {
    this.#clock = clock;
    this.#limitMs = limitMs;
  }

  get all(): readonly Sent[] {
    return this.#all;
  }

  /** Whether a server that had answered before takes no connection any more. */
  get gone(): boolean {
    return this.#gone;
  }

  /** The ordinary close of a shift that did not succeed, in words: where one register serves all, nothing opens after it. */
  get failedClose(): string | undefined {
    return this.#failedClose;
  }

  /** From now on requests are those of this rule. */
  begin(rule: string): void {
    this.#rule = rule;
  }

  noteClose(sent: Sent): void {
    this.#failedClose = statusOf(sent) === 200 ? undefined : `closeshift was answered ${wordsOfAnswer(sent)} during ${this.#rule}`;
  }

  async send(contract: Sent["contract"], origin: string, call: Call): Promise<Sent> {
    // A connection of its own for each call: a server may close an idle one just when the next request leaves,
    // and that lost request would say nothing about any rule.
    const fresh = { ...call, headers: { ...call.headers, connection: "close" } };
    const exchange = await send(origin, fresh, this.#clock, this.#limitMs + PATIENCE_MS);
    const sent: Sent = { contract, origin, call, exchange };
    const refused = exchange.kind === "no-answer" && exchange.reason.includes("ECONNREFUSED");
    this.#gone ||= refused && this.#all.some((before) => before.origin === origin && before.exchange.kind === "answer");
    this.#all.push(sent);
    return sent;
  }
}

/** Status of the answer; 0 when there is none. */
export function statusOf({ exchange }: Sent): number {
  return exchange.kind === "answer" ? exchange.status : 0;
}

/** The answer's JSON object; undefined when it is none. */
export function objectOf({ exchange }: Sent): Record<string, unknown> | undefined {
  if (exchange.kind !== "answer") return undefined;
  const value = parsed(exchange.body.toString("utf8"));
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
}

/** Throws CannotRun when there was no answer: that says nothing about the rule. */
export function broken(sent: Sent, problem: string): Finding {
  if (sent.exchange.kind === "no-answer") throw new CannotRun(noAnswer(sent.exchange));
  return { kind: "broken", sent: wordsOfCall(sent), seen: `${problem}: ${wordsOfAnswer(sent)}` };
}

/** For the rules about time, which silence breaks as well once it has lasted longer than that. */
export function expectInTime(sent: Sent, limitMs: number): Finding {
  const { exchange } = sent;
  const took = `the answer took ${Math.round(exchange.elapsedMs)} ms of ${limitMs}`;
  if (exchange.elapsedMs > limitMs) return { kind: "broken", sent: wordsOfCall(sent), seen: `${took}: ${wordsOfAnswer(sent)}` };
  return exchange.kind === "answer" ? held : broken(sent, took);
}

function noAnswer({ reason, elapsedMs }: { reason: string; elapsedMs: number }): string {
  return `no answer: ${reason} after ${Math.round(elapsedMs)} ms`;
}

/** Words of the first of these exchanges that brought no answer. */
export function silenceIn(exchanges: readonly Sent[]): string | undefined {
  for (const { exchange } of exchanges) if (exchange.kind === "no-answer") return noAnswer(exchange);
  return undefined;
}

/** `POST http://…/1/retaildemand, X-…: …, body {…}`. Secrets of the run's own making may show; they die with it. */
export function wordsOfCall({ origin, call }: Sent): string {
  const headers = Object.entries(call.headers).map(([name, value]) => `${name}: ${shortened(value)}`);
  const body = call.body === undefined ? "no body" : `body ${wordsOfBody(call.body, call.headers["content-encoding"] === "gzip")}`;
  return [`${call.method} ${origin}${call.path}`, ...headers, body].join(", ");
}

export function wordsOfAnswer({ exchange }: Sent): string {
  if (exchange.kind === "no-answer") return `no answer after ${Math.round(exchange.elapsedMs)} ms (${exchange.reason})`;
  const type = exchange.contentType === "" ? "no Content-Type" : exchange.contentType;
  const body = exchange.body.length === 0 ? "empty body" : wordsOfBody(exchange.body, false);
  return `${exchange.status}, ${type}, ${body}`;
}

function wordsOfBody(bytes: Buffer, packed: boolean): string {
  const text = (packed ? gunzipSync(bytes) : bytes).toString("utf8");
  const value = parsed(text);
  const words =
    value === undefined ? text : JSON.stringify(value, (_key, inner: unknown) => (typeof inner === "string" ? shortened(inner) : inner));
  const whole = words.length <= MAX_BODY_WORDS ? words : `${words.slice(0, MAX_BODY_WORDS)}… (${bytes.length} bytes)`;
  return packed ? `${whole} (gzip)` : whole;
}

function shortened(text: string): string {
  return text.length <= MAX_TEXT_WORDS ? text : `${text.slice(0, 40)}… (${text.length} characters)`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
