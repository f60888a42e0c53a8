import type { Call, Exchange } from "../../sandbox/caller/call.ts";
import { type AnsweredError, readErrors } from "../../sandbox/caller/fiscal-answer.ts";

/** A request and its answer. */
export interface Sent {
  contract: "vendor" | "fiscal" | "qr" | "loyalty";
  origin: string;
  call: Call;
  /** How it differs from the request that the platform would make; empty when it does not. */
  label: string;
  exchange: Exchange;
}

/** Status of the answer; 0 when there is none. */
export function statusOf({ exchange }: Sent): number {
  return exchange.kind === "answer" ? exchange.status : 0;
}

/** The answer's JSON object; undefined when the answer is none. */
export function objectOf({ exchange }: Sent): Record<string, unknown> | undefined {
  if (exchange.kind !== "answer") return undefined;
  const value = parsed(exchange.body.toString("utf8"));
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
}

/** The first error of a refusal, if it can be read. */
export function errorOf({ exchange }: Sent): AnsweredError | undefined {
  return exchange.kind === "answer" ? readErrors(exchange.body)[0] : undefined;
}

/** The JSON of a text; undefined when it is not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
