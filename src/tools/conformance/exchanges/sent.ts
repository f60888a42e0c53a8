import type { Call, Exchange } from "../../sandbox/caller/call.ts";
import { type AnsweredError, readErrors } from "../../sandbox/caller/fiscal-answer.ts";

export interface Sent {
  contract: "vendor" | "fiscal" | "qr" | "loyalty";
  origin: string;
  call: Call;
  /** How the request differs from the platform's request. Empty: no difference. */
  label: string;
  exchange: Exchange;
}

/** Returns the status of the answer. 0: no answer. */
export function statusOf({ exchange }: Sent): number {
  return exchange.kind === "answer" ? exchange.status : 0;
}

/** Returns the answer's JSON object. Undefined: no answer, or no JSON object. */
export function objectOf({ exchange }: Sent): Record<string, unknown> | undefined {
  if (exchange.kind !== "answer") return undefined;
  const value = parsed(exchange.body.toString("utf8"));
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
}

/** Returns the first readable error of a refusal. */
export function errorOf({ exchange }: Sent): AnsweredError | undefined {
  return exchange.kind === "answer" ? readErrors(exchange.body)[0] : undefined;
}

/** Returns the JSON value of a text. Undefined: not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
