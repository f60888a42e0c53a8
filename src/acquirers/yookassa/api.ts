import { pause } from "../../kernel/clock.ts";
import type { Deadline } from "../../kernel/deadline.ts";
import { present } from "../../kernel/present.ts";
import type { AcquirerServices } from "../acquirer.ts";
import type { BankWire } from "../exchange.ts";
import { type Judged, judge } from "./failures.ts";

/** Longest time for a call that changes something (qr-acquirers 6). */
const CHANGE_LIMIT_MS = 3_500;
const READ_LIMIT_MS = 2_000;
/** Pause before a repeat if the API answered the first try (qr-acquirers 3.5). */
const REPEAT_PAUSE_MS = 1_800;
/** The least time for a repeat. The API answers in about 0.3 s. */
const LEAST_TRY_MS = 500;
/** The largest page of a list, in bytes: a hundred payments of about 2 KiB, with a margin. */
const MAX_LIST_BYTES = 512 * 1024;

export interface YookassaCredentials {
  shopId: string;
  secretKey: string;
}

/** The API of YooKassa with its credentials and time limits. */
export class YookassaApi {
  readonly #wire: BankWire;
  readonly #clock: AcquirerServices["clock"];
  readonly #base: string;
  readonly #authorization: string;

  constructor(wire: BankWire, clock: AcquirerServices["clock"], base: string, { shopId, secretKey }: YookassaCredentials) {
    this.#wire = wire;
    this.#clock = clock;
    this.#base = base;
    this.#authorization = `Basic ${Buffer.from(`${shopId}:${secretKey}`, "utf8").toString("base64")}`;
  }

  async get(path: string, deadline: Deadline): Promise<Judged> {
    const headers = { authorization: this.#authorization, accept: "application/json" };
    const call = { method: "GET", url: this.#base + path, headers, limitMs: READ_LIMIT_MS, maxBytes: MAX_LIST_BYTES } as const;
    return judge(await this.#wire.ask(call, deadline));
  }

  /**
   * Sends a POST request with an idempotency key. Sends it once more with the same key if the API was busy or the outcome is unknown, and
   * time is left.
   */
  async post(path: string, body: string, key: string, deadline: Deadline): Promise<Judged> {
    const first = await this.#postOnce(path, body, key, deadline);
    if (first.kind !== "unknown" && first.kind !== "busy") return first;
    const pauseMs = first.kind === "busy" || first.answered ? REPEAT_PAUSE_MS : 0;
    if (deadline.remainingMs() < pauseMs + LEAST_TRY_MS) return first;
    if (pauseMs > 0) await pause(this.#clock, pauseMs);
    return resultOfBoth(first, await this.#postOnce(path, body, key, deadline));
  }

  close(): Promise<void> {
    return this.#wire.close();
  }

  async #postOnce(path: string, body: string, key: string, deadline: Deadline): Promise<Judged> {
    const headers = {
      authorization: this.#authorization,
      accept: "application/json",
      "content-type": "application/json",
      "idempotence-key": key,
    };
    return judge(await this.#wire.ask({ method: "POST", url: this.#base + path, headers, body, limitMs: CHANGE_LIMIT_MS }, deadline));
  }
}

/** The result of two tries with one key. The first try may have been carried out although the API was busy at the second try. */
function resultOfBoth(first: Judged, second: Judged): Judged {
  const mayBeDone = first.kind === "unknown" && first.neverLeft !== true;
  if (!mayBeDone) return second;
  switch (second.kind) {
    case "done":
      return second;
    case "refused":
      // The refusal is for the same request, so it also holds for the first try. A refusal of the credentials does not hold for the first
      // try, because the credentials may have changed since.
      return second.reason.code === "settings" ? first : second;
    case "busy":
      return first;
    case "unknown":
      return { kind: "unknown", problem: second.problem, answered: second.answered, ...present({ unreadable: second.unreadable }) };
  }
}

/** Returns the `Acquirer` interface's result for a call that was neither done nor refused. */
export function unsettled(judged: Extract<Judged, { kind: "busy" | "unknown" }>) {
  if (judged.kind === "busy") return judged;
  return { kind: "unknown", problem: judged.problem, ...present({ neverLeft: judged.neverLeft, unreadable: judged.unreadable }) } as const;
}
