import type { Call, Exchange } from "../../sandbox/caller/call.ts";
import { type AnsweredError, readErrors } from "../../sandbox/caller/fiscal-answer.ts";

/** A request and its answer. */
export interface Sent {
  contract: "vendor" | "fiscal" | "qr" | "loyalty";
  origin: string;
  call: Call;
  /** How the request differs from the request that the platform would make. Empty: it does not differ. */
  label: string;
  exchange: Exchange;
}

/** The status of the answer. 0: there was no answer. */
export function statusOf({ exchange }: Sent): number {
  return exchange.kind === "answer" ? exchange.status : 0;
}

/** The answer's JSON object. Undefined: there was no answer, or it is no JSON object. */
export function objectOf({ exchange }: Sent): Record<string, unknown> | undefined {
  if (exchange.kind !== "answer") return undefined;
  const value = parsed(exchange.body.toString("utf8"));
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
}

/** The first error of a refusal, if it can be read. */
export function errorOf({ exchange }: Sent): AnsweredError | undefined {
  return exchange.kind === "answer" ? readErrors(exchange.body)[0] : undefined;
}

/** The JSON value of a text. Undefined: the text is not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
