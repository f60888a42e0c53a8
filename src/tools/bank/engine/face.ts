import type { IncomingHttpHeaders } from "node:http";
import type { Announcer } from "./announcer.ts";
import type { Payment } from "./payment.ts";
import type { Payments } from "./payments.ts";

export type Json = Readonly<Record<string, unknown>>;

/** A call as a face gets it. */
export interface Call {
  readonly method: string;
  /** Below the face's root, with the slash: `/payments`. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface Reply {
  readonly status: number;
  readonly body: Json;
  /** The call has changed something at the bank. Only then can its answer be lost after the work. */
  readonly worked: boolean;
  /** The payment whose code this answer hands over for the first time. */
  readonly handsOver?: string;
}

/** Answers that every bank has in its own form. */
export type Trouble = "busy" | "broken" | "too-large" | "wrong-type";

export const TROUBLE_STATUS: Readonly<Record<Trouble, number>> = { busy: 429, broken: 500, "too-large": 413, "wrong-type": 415 };

/** One acquirer, seen from the merchant. Everything that the two acquirers do differently stands behind it. */
export interface Face extends Announcer {
  /** The first part of every path: `/v3`. */
  readonly root: string;
  /** The value for the server's setting `acquirer`. */
  readonly setting: string;
  answer(call: Call, payments: Payments): Reply;
  trouble(trouble: Trouble): Json;
  /** What the list of requests shows as the key of a call. */
  keyOf(call: Call): string | null;
  statusOf(payment: Payment): string;
  /** The same answer with all amounts one rouble too high. */
  withWrongAmount(body: Json): Json;
  /** The same answer with a payment status that no document lists. */
  withStrangeStatus(body: Json): Json;
}

/** One rouble: enough to be noticed, and within the limits of both banks. */
export const WRONG_BY_KOPECKS = 100;

/** The text of a code with an amount that is one rouble too high. */
export function withWrongSum(text: unknown): unknown {
  return String(text).replace(/sum=(\d+)/, (_, kopecks) => `sum=${Number(kopecks) + WRONG_BY_KOPECKS}`);
}
