import type { Clock } from "../../../kernel/clock.ts";
import { type Call, send } from "../../sandbox/caller/call.ts";
import { type Sent, statusOf } from "./sent.ts";
import { wordsOfAnswer } from "./told.ts";

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
