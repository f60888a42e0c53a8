import type { Chance, Clock } from "../kernel/clock.ts";
import type { WireSocket } from "../registers/agent/wire/wire-socket.ts";

/** How long the agent may take to confirm a close. Then the socket is terminated. */
const FAREWELL_MS = 2_000;
/** The limit for a close frame's reason, in bytes. WebSocket allows 123. */
const MAX_REASON_BYTES = 120;

/**
 * The delay for which the server asks an agent before it dials again, when the agent was refused because there are too many connections.
 */
const CROWDED_RETRY_MS = 5_000;
/**
 * The restart of a server takes about this long. The server asks each agent for a random delay of one to two times this value, so that the
 * agents do not all return at the same moment.
 */
const LEAVING_RETRY_MS = 1_000;
/**
 * The longest delay for which the server asks an agent when other processes serve. It is short, because this process closes few connections
 * at a time.
 */
const SENT_ON_RETRY_MS = 300;

export const CROWDED_REASON = retryAfter(CROWDED_RETRY_MS);

/**
 * Returns the close reason for an agent that a process sends away, because the process stops or moves the agent. `othersServe`: another
 * process can accept the agent immediately.
 */
export function leavingReason(chance: Chance, othersServe: boolean): string {
  const [random = 0] = chance.bytes(1);
  const share = random / 255;
  return retryAfter(Math.round(othersServe ? share * SENT_ON_RETRY_MS : (1 + share) * LEAVING_RETRY_MS));
}

/** Starts the close of a connection. When the socket has closed, call the returned function, which cancels the termination. */
export function sayFarewell(clock: Clock, socket: WireSocket, code: number, reason: string): () => void {
  socket.close(code, cut(reason));
  return clock.after(FAREWELL_MS, () => socket.terminate());
}

/** Closes a connection that was not accepted. */
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
