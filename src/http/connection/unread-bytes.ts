import { OrderedObjects } from "../ordered-objects.ts";
import type { Use } from "./use.ts";

/**
 * All strangers (connections that have never proved a request) together may have at most this many bytes that are received and unread. The
 * longest headers of five hundred connections fit. An honest caller's bytes are parsed immediately, so they need little of this room.
 */
const MAX_STRANGERS_BYTES = 8 * 1024 * 1024;
/** The limit for all connections together that have ever proved a request. Strangers cannot use this room up. */
const MAX_PROVED_BYTES = 16 * 1024 * 1024;
/** Connections are sorted by their unread bytes in steps of this size. */
const STEP_BYTES = 1024;
/** The steps reach beyond what a connection reads in advance: `READ_AHEAD_BYTES` and one piece of 64 KiB. */
const STEPS = 96;
/** The search for a connection that must lose its bytes looks at no more connections than this. */
const LOOKED_AT = 16;

interface Counted {
  readonly unreadBytes: number;
  readonly use: Use;
  readonly everProved: boolean;
}

/**
 * The bytes that are received and not given to the parser. Connections that have ever proved a request have a separate room. In this room a
 * till's next sale counts from its first byte, although the sale is not proved yet.
 */
export class UnreadBytes<T extends Counted> {
  readonly #strangers = new Room<T>(MAX_STRANGERS_BYTES);
  readonly #proved = new Room<T>(MAX_PROVED_BYTES);
  readonly #counted = new WeakMap<T, { room: Room<T>; bytes: number }>();

  get bytes(): number {
    return this.#strangers.bytes + this.#proved.bytes;
  }

  /** Counts the connection's unread bytes as they are now. */
  count(connection: T): void {
    const before = this.#counted.get(connection);
    before?.room.delete(connection, before.bytes);
    const { unreadBytes: bytes } = connection;
    if (bytes === 0) {
      this.#counted.delete(connection);
      return;
    }
    const room = connection.everProved ? this.#proved : this.#strangers;
    room.add(connection, bytes);
    this.#counted.set(connection, { room, bytes });
  }

  /** Returns the stranger's connection that must lose its bytes when strangers have too many. */
  excessStranger(): T | undefined {
    return this.#strangers.excess((connection) => {
      if (!connection.everProved) return true;
      // A request of this connection was proved after the last count.
      this.count(connection);
      return false;
    });
  }

  /**
   * Returns the proved caller's connection that must be closed when proved callers have too many unread bytes. Never a connection with a
   * running proved request.
   */
  excessProved(): T | undefined {
    return this.#proved.excess(({ use }) => use !== "proved");
  }
}

/**
 * Connections sorted into steps by their unread bytes. When there is no room left, the search begins with the oldest connection of the step
 * with the most bytes. So many connections of about the same size usually lose before a single larger connection. The search takes equally
 * long for any number of connections.
 */
class Room<T extends Counted> {
  readonly #maxBytes: number;
  readonly #steps = Array.from({ length: STEPS }, () => ({ connections: new OrderedObjects<T>(), bytes: 0 }));
  bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  add(connection: T, bytes: number): void {
    this.#count(bytes, bytes)?.connections.add(connection);
  }

  delete(connection: T, bytes: number): void {
    this.#count(bytes, -bytes)?.connections.delete(connection);
  }

  /** Returns the connection that must lose its bytes. Undefined: the bytes have room, or `mayTake` refused every examined connection. */
  excess(mayTake: (connection: T) => boolean): T | undefined {
    if (this.bytes <= this.#maxBytes) return undefined;
    let looks = 0;
    for (const { connections } of this.#steps.toSorted((a, b) => b.bytes - a.bytes)) {
      const { size } = connections;
      for (let each = 0; each < size && looks < LOOKED_AT; each += 1, looks += 1) {
        if (this.bytes <= this.#maxBytes) return undefined;
        const connection = connections.first;
        if (connection === undefined) break;
        if (mayTake(connection)) return connection;
        // The next search begins with another connection.
        if (connections.delete(connection)) connections.add(connection);
      }
    }
    return undefined;
  }

  #count(bytes: number, more: number) {
    this.bytes += more;
    const step = this.#steps[stepOf(bytes)];
    if (step !== undefined) step.bytes += more;
    return step;
  }
}

function stepOf(bytes: number): number {
  return Math.min(STEPS - 1, Math.floor(bytes / STEP_BYTES));
}
