import type { Clock } from "../../../kernel/clock.ts";
import { messageOf } from "../../../kernel/failure.ts";

/** A prepared request. Every repeat sends the same bytes. */
export interface Call {
  method: "GET" | "PUT" | "POST" | "DELETE";
  /** The path from the root of the solution's server. */
  path: string;
  headers: Record<string, string>;
  body?: Buffer;
}

export type Exchange =
  | { kind: "answer"; status: number; contentType: string; body: Buffer; elapsedMs: number }
  /** There is no complete answer, so the caller does not know whether the request was executed. */
  | { kind: "no-answer"; reason: string; elapsedMs: number };

/** The platform's time limit for a vendor call (platform-contracts 3.3). The fiscal contract states no limit. */
export const CALL_TIMEOUT_MS = 10_000;

/** Sends the call once. A failure of the network or the server is a result, not an exception. */
export async function send(base: string, call: Call, clock: Clock, timeoutMs: number = CALL_TIMEOUT_MS): Promise<Exchange> {
  const startedMs = clock.monotonicMs();
  const elapsedMs = () => clock.monotonicMs() - startedMs;
  try {
    const response = await fetch(base + call.path, {
      method: call.method,
      headers: call.headers,
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
      ...(call.body === undefined ? {} : { body: new Uint8Array(call.body) }),
    });
    const body = Buffer.from(await response.arrayBuffer());
    return {
      kind: "answer",
      status: response.status,
      contentType: response.headers.get("content-type") ?? "",
      body,
      elapsedMs: elapsedMs(),
    };
  } catch (error) {
    return { kind: "no-answer", reason: reasonOf(error), elapsedMs: elapsedMs() };
  }
}

/** Returns the reason of a failure. `fetch` puts the system's message into `cause`. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error ? `${messageOf(error)}: ${cause.message}` : messageOf(error);
}
