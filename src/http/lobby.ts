import type { Socket } from "node:net";
import type { Clock } from "../kernel/clock.ts";

/**
 * Connections on which nothing has come yet, and those of which nothing is read any more. They have neither an inlet nor a parser:
 * one that only opens and closes, or is reset before it was taken, costs a third of one that sends, and one that stays silent
 * holds little memory.
 */
export class Lobby {
  readonly #clock: Clock;
  /** When each came, the oldest first. */
  readonly #waiting = new Map<Socket, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** `enter` is called once, when the first bytes lie in the socket; never for a connection that goes without a word. */
  wait(socket: Socket, enter: () => void): void {
    const gone = () => void this.#waiting.delete(socket);
    const broken = () => socket.destroy();
    const look = () => {
      if (socket.readableLength === 0) {
        // Only a read finds out that the end has come.
        socket.read(0);
        return;
      }
      gone();
      socket.off("readable", look).off("end", broken).off("error", broken).off("close", gone);
      enter();
    };
    this.#waiting.set(socket, this.#clock.monotonicMs());
    socket.on("readable", look).on("end", broken).on("error", broken).on("close", gone);
  }

  /** The connection is closed like a silent one, and never enters. */
  hold(socket: Socket): void {
    if (socket.destroyed) return;
    this.#waiting.set(socket, this.#clock.monotonicMs());
    socket.once("close", () => this.#waiting.delete(socket));
  }

  /** Closes the connection that has been silent for the longest; false when there is none. */
  giveUpOldest(): boolean {
    const [oldest] = this.#waiting.keys();
    if (oldest === undefined) return false;
    this.#waiting.delete(oldest);
    oldest.resetAndDestroy();
    return true;
  }

  /** Closes connections that have been silent for so long, the oldest first and not more than so many. */
  closeSilent(limitMs: number, most: number): void {
    const nowMs = this.#clock.monotonicMs();
    let closed = 0;
    for (const [socket, sinceMs] of this.#waiting) {
      if (sinceMs + limitMs > nowMs || closed >= most) break;
      this.#waiting.delete(socket);
      socket.destroy();
      closed += 1;
    }
  }
}
