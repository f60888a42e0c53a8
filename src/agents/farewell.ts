import type { Clock } from "../kernel/clock.ts";
import type { WireSocket } from "../registers/agent/wire/wire-socket.ts";

/** How long the agent may take to confirm the end of a connection. After it the connection is broken off. */
const FAREWELL_MS = 2_000;
/** A reason of a close frame has at most 123 bytes. */
const MAX_REASON_BYTES = 120;

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
