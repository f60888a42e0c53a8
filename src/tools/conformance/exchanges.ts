import type { Clock } from "../../kernel/clock.ts";
import { type Call, type Exchange, send } from "../sandbox/caller/call.ts";
import { CannotRun, type Finding, held } from "./rule.ts";
import { toldAnswer, toldRequest, wordsOfAnswer, wordsOfCall } from "./told.ts";

/** A request and what became of it. */
export interface Sent {
  contract: "vendor" | "fiscal";
  origin: string;
  call: Call;
  /** In what it differs from the request that the platform would make; empty when in nothing. */
  label: string;
  exchange: Exchange;
}

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

  /** The rule that is being checked. */
  get rule(): string {
    return this.#rule;
  }

  /** From now on requests are those of this rule. */
  begin(rule: string): void {
    this.#rule = rule;
  }

  noteClose(sent: Sent): void {
    this.#failedClose = statusOf(sent) === 200 ? undefined : `closeshift was answered ${wordsOfAnswer(sent)} during ${this.#rule}`;
  }

  async send(contract: Sent["contract"], origin: string, call: Call, label = ""): Promise<Sent> {
    // A connection of its own for each call: a server may close an idle one just when the next request leaves,
    // and that lost request would say nothing about any rule.
    const fresh = { ...call, headers: { ...call.headers, connection: "close" } };
    const exchange = await send(origin, fresh, this.#clock, this.#limitMs + PATIENCE_MS);
    const sent: Sent = { contract, origin, call, label, exchange };
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
  return brokenBy(sent, problem);
}

function brokenBy(sent: Sent, problem: string): Finding {
  const told = { request: toldRequest(sent), answer: toldAnswer(sent.exchange) };
  return { kind: "broken", sent: wordsOfCall(sent), seen: `${problem}: ${wordsOfAnswer(sent)}`, ...told };
}

/** For the rules about time, which silence breaks as well once it has lasted longer than that. */
export function expectInTime(sent: Sent, limitMs: number): Finding {
  const { exchange } = sent;
  const took = `the answer took ${Math.round(exchange.elapsedMs)} ms of ${limitMs}`;
  if (exchange.elapsedMs > limitMs) return brokenBy(sent, took);
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

/** The JSON of a text; undefined when it is none. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
