import type { Socket } from "node:net";
import type { Clock } from "../kernel/clock.ts";
import { OrderedObjects } from "./ordered-objects.ts";

/**
 * Connections that have sent nothing yet, and connections that the server no longer reads. They are sockets without a parser, which saves
 * time and memory: a connection that only opens and closes costs a third of a connection with a request.
 */
export class SilentConnections {
  readonly #clock: Clock;
  readonly #waiting = new OrderedObjects<Socket>();
  /** The sockets that were given to `hold`, perhaps more than once. */
  readonly #held = new WeakSet<Socket>();
  readonly #waits = new WeakMap<Socket, { sinceMs: number; close: () => void }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** Calls `enter` once, when the first bytes have arrived. Never calls it for a connection that closes without sending anything. */
  wait(socket: Socket, enter: () => void): void {
    const gone = () => void this.#waiting.delete(socket);
    const broken = () => socket.destroy();
    const look = () => {
      if (socket.readableLength === 0) {
        // The socket notices its end only when it is read.
        socket.read(0);
        return;
      }
      gone();
      socket.off("readable", look).off("end", broken).off("error", broken).off("close", gone);
      enter();
    };
    this.#add(socket, broken);
    socket.on("readable", look).on("end", broken).on("error", broken).on("close", gone);
  }

  /** Keeps the connection until `closeSilent` closes it by `close`, `giveUpOldest` resets it, or its caller closes it. */
  hold(socket: Socket, close: () => void): void {
    if (socket.destroyed) return;
    this.#add(socket, close);
    if (this.#held.has(socket)) return;
    this.#held.add(socket);
    socket.once("close", () => this.#waiting.delete(socket));
  }

  /** Resets the connection that has been kept here longest. Returns false when there is none. */
  giveUpOldest(): boolean {
    const oldest = this.#waiting.first;
    if (oldest === undefined) return false;
    this.#waiting.delete(oldest);
    oldest.resetAndDestroy();
    return true;
  }

  /** Closes connections that have been kept here for `limitMs`, oldest first, at most `most`. */
  closeSilent(limitMs: number, most: number): void {
    const nowMs = this.#clock.monotonicMs();
    let closed = 0;
    for (const socket of this.#waiting) {
      const { sinceMs, close } = this.#waits.get(socket) ?? { sinceMs: nowMs, close: () => socket.destroy() };
      if (sinceMs + limitMs > nowMs || closed >= most) break;
      this.#waiting.delete(socket);
      close();
      closed += 1;
    }
  }

  #add(socket: Socket, close: () => void): void {
    this.#waiting.add(socket);
    this.#waits.set(socket, { sinceMs: this.#clock.monotonicMs(), close });
  }
}
