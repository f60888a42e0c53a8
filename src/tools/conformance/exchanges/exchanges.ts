import type { Clock } from "../../../kernel/clock.ts";
import { type Call, send } from "../../sandbox/caller/call.ts";
import { wordsOfAnswer } from "./report-text.ts";
import { type Sent, statusOf } from "./sent.ts";

/** The additional wait after the time limit. A late answer tells the reader more than no answer. */
const EXTRA_WAIT_MS = 5_000;

/** Sends requests and records every exchange of the run. */
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

  /** True once the server has refused a connection after an earlier answer. */
  get gone(): boolean {
    return this.#gone;
  }

  /** Words about the last close of a shift, if it failed. If one register serves all accounts, no further shift can then open. */
  get failedClose(): string | undefined {
    return this.#failedClose;
  }

  get rule(): string {
    return this.#rule;
  }

  begin(rule: string): void {
    this.#rule = rule;
  }

  noteClose(sent: Sent): void {
    this.#failedClose = statusOf(sent) === 200 ? undefined : `closeshift was answered ${wordsOfAnswer(sent)} during ${this.#rule}`;
  }

  async send(contract: Sent["contract"], origin: string, call: Call, label = ""): Promise<Sent> {
    // Each call uses a separate connection. A server may close an idle connection just before the next request. A request lost in this way
    // proves nothing about any rule.
    const fresh = { ...call, headers: { ...call.headers, connection: "close" } };
    const exchange = await send(origin, fresh, this.#clock, this.#limitMs + EXTRA_WAIT_MS);
    const sent: Sent = { contract, origin, call, label, exchange };
    const refused = exchange.kind === "no-answer" && exchange.reason.includes("ECONNREFUSED");
    this.#gone ||= refused && this.#all.some((before) => before.origin === origin && before.exchange.kind === "answer");
    this.#all.push(sent);
    return sent;
  }
}
