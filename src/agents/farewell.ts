import type { Chance, Clock } from "../kernel/clock.ts";
import type { WireSocket } from "../registers/agent/wire/wire-socket.ts";

/** How long the agent may take to confirm the end of a connection. After it the connection is broken off. */
const FAREWELL_MS = 2_000;
/** A reason of a close frame has at most 123 bytes. */
const MAX_REASON_BYTES = 120;

/** How long an agent waits that was refused because there was no room. */
const CROWDED_RETRY_MS = 5_000;
/**
 * A server that ends is back after about this time. Each agent is told a random time, up to twice as long, so that not all come at once.
 */
const LEAVING_RETRY_MS = 1_000;
/** The longest wait where other processes serve: the agents are sent on a few at a time already. */
const SENT_ON_RETRY_MS = 300;

/** Why an agent is turned away for which there is no room. */
export const CROWDED_REASON = retryAfter(CROWDED_RETRY_MS);

/** Why a process that leaves ends a connection. `othersServe`: another process takes the agent at once. */
export function leavingReason(chance: Chance, othersServe: boolean): string {
  const [random = 0] = chance.bytes(1);
  const share = random / 255;
  return retryAfter(Math.round(othersServe ? share * SENT_ON_RETRY_MS : (1 + share) * LEAVING_RETRY_MS));
}

/** Closes a connection in order. Call the returned function when it is closed. */
export function sayFarewell(clock: Clock, socket: WireSocket, code: number, reason: string): () => void {
  socket.close(code, cut(reason));
  return clock.after(FAREWELL_MS, () => socket.terminate());
}

/** Closes a connection that is not taken. */
export function turnAway(clock: Clock, socket: WireSocket, code: number, reason: string): void {
  let cancel = () => {};
  socket.listen({ frame() {}, alive() {}, closed: () => cancel() });
  cancel = sayFarewell(clock, socket, code, reason);
}

function cut(reason: string): string {
  if (Buffer.byteLength(reason) <= MAX_REASON_BYTES) return reason;
  return Buffer.from(reason)
    .subarray(0, MAX_REASON_BYTES)
    .toString("utf8")
    .replace(/\uFFFD+$/, "");
}

function retryAfter(ms: number): string {
  return JSON.stringify({ retryAfterMs: ms });
}
