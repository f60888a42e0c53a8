import { type Clock, pause } from "../../../kernel/clock.ts";
import { type Call, type Exchange, send } from "./call.ts";
import { readErrors } from "./fiscal-answer.ts";
import type { FiscalOperation } from "./fiscal-operation.ts";
import type { Installation, Solution } from "./installation.ts";
import { signBody } from "./signing-key.ts";

/** Time limit and interval for repeats of a request in progress. */
export const RUNNING_RETRIES = { windowMs: 60_000, intervalMs: 250 };
/** The refusal for a request in progress: the till must repeat it (platform-contracts 4.7). */
const STILL_RUNNING = { status: 409, code: 50003 };

/** Returns a signed request of the fiscal contract (platform-contracts 4.2, 4.3). */
export function fiscalCall(operation: FiscalOperation, body: object, solution: Solution, installation: Installation): Call {
  return signedCall(operation, Buffer.from(JSON.stringify(body)), solution, installation);
}

/** Returns a signed request with these bytes as body. A repeat needs the same bytes. */
export function signedCall(operation: FiscalOperation, bytes: Buffer, solution: Solution, installation: Installation): Call {
  return {
    method: operation === "openshift" || operation === "closeshift" ? "PUT" : "POST",
    path: `/fiscal/1/${operation}`,
    headers: {
      "content-type": "application/json",
      [solution.names.accountHeader]: installation.registrationId,
      [solution.names.signatureHeader]: signBody(bytes, installation.key),
    },
    body: bytes,
  };
}

/**
 * Sends the request, and repeats it unchanged while the answer says that it is in progress, at most for the time limit. Returns the last
 * exchange. Its `elapsedMs` is the time of all attempts.
 */
export async function sendFiscalCall(base: string, call: Call, clock: Clock, retries = RUNNING_RETRIES): Promise<Exchange> {
  const startedMs = clock.monotonicMs();
  for (;;) {
    const exchange = await send(base, call, clock);
    const elapsedMs = clock.monotonicMs() - startedMs;
    if (!isStillRunning(exchange) || elapsedMs + retries.intervalMs > retries.windowMs) return { ...exchange, elapsedMs };
    await pause(clock, retries.intervalMs);
  }
}

function isStillRunning(exchange: Exchange): boolean {
  return (
    exchange.kind === "answer" && exchange.status === STILL_RUNNING.status && readErrors(exchange.body)[0]?.code === STILL_RUNNING.code
  );
}
