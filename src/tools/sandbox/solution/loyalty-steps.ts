import { type Clock, pause } from "../../../kernel/clock.ts";
import { type Exchange, send } from "../caller/call.ts";
import { isDone, wordsOfRefusal } from "../caller/loyalty/answer.ts";
import { LOYALTY_CALLS, type LoyaltyCallName, loyaltyBase, loyaltyCall } from "../caller/loyalty/call.ts";
import type { RegisterProblem } from "../caller/loyalty/checks.ts";
import type { LoyaltySettings } from "../caller/loyalty/settings.ts";
import type { Json } from "../values/json.ts";

/** The number of tries for a sale or return with an unknown outcome, and the pause between two tries. */
const MAX_TRIES = 3;
const AGAIN_AFTER_MS = 1_000;
/** Of an answer longer than `MAX_BODY_BYTES` only the first `MAX_TEXT_BYTES` are shown. */
const MAX_BODY_BYTES = 256 * 1024;
const MAX_TEXT_BYTES = 1_000;

/** One step of the till, for display. */
export interface LoyaltyStep {
  readonly call: string;
  /** The HTTP status. Null: no answer, or a step without a request. */
  readonly status: number | null;
  readonly body?: Json;
  readonly ms: number;
  /** Why there is no answer, or why the step failed. */
  readonly problem?: string;
}

/** Why the till stopped. The code is one of the till's codes, or the error code of a refused document. */
export interface Stopped {
  readonly code: number;
  readonly words: string;
}

/** Ends a flow at the failed step. */
export class StopFlow extends Error {
  readonly stopped: Stopped;

  constructor(code: RegisterProblem["code"] | number, words: string) {
    super(words);
    this.stopped = { code, words };
  }
}

/** The steps of one flow in order. Every loyalty call goes through this class. */
export class LoyaltySteps {
  readonly all: LoyaltyStep[] = [];
  readonly #settings: LoyaltySettings;
  readonly #header: string;
  readonly #clock: Clock;

  constructor(settings: LoyaltySettings, header: string, clock: Clock) {
    this.#settings = settings;
    this.#header = header;
    this.#clock = clock;
  }

  /** Sends one call with the till's time limit. */
  async call(name: LoyaltyCallName, content: object): Promise<Exchange> {
    const { url, token } = this.#settings;
    const call = loyaltyCall(name, content, { header: this.#header, token });
    const exchange = await send(loyaltyBase(url), call, this.#clock, LOYALTY_CALLS[name].timeoutMs);
    this.all.push(stepOf(name, exchange));
    return exchange;
  }

  /**
   * Sends a sale or return, and repeats it while the outcome is unknown. A repeat is safe, because the document has an id. Throws
   * `StopFlow` 46000 if the programme does not accept the document, or the outcome stays unknown.
   */
  async tell(name: "sale" | "return", content: object): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      const exchange = await this.call(name, content);
      if (isDone(exchange)) return;
      const isUnclear = exchange.kind === "no-answer" || exchange.status >= 500;
      if (!isUnclear || tries === MAX_TRIES)
        throw new StopFlow(46000, `the programme did not take the ${name}: ${wordsOfRefusal(exchange)}`);
      await pause(this.#clock, AGAIN_AFTER_MS);
    }
  }

  /** Adds a step without a loyalty call. */
  note(step: LoyaltyStep): void {
    this.all.push(step);
  }
}

function stepOf(call: string, exchange: Exchange): LoyaltyStep {
  const ms = Math.round(exchange.elapsedMs);
  if (exchange.kind === "no-answer") return { call, status: null, ms, problem: exchange.reason };
  const body = bodyOf(exchange.body);
  return { call, status: exchange.status, ms, ...(body === undefined ? {} : { body }) };
}

/** Returns JSON as a value, and any other body as text. Undefined: an empty body. */
export function bodyOf(bytes: Buffer): Json | undefined {
  if (bytes.length === 0) return undefined;
  if (bytes.length > MAX_BODY_BYTES) return bytes.toString("utf8", 0, MAX_TEXT_BYTES);
  const text = bytes.toString("utf8");
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}
