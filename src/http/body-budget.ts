import type { Clock } from "../kernel/clock.ts";
import { OrderedObjects } from "./ordered-objects.ts";

/** The room that every body gets in any case: enough for a sale of thirty positions. */
export const SMALL_BODY_BYTES = 16 * 1024;
/**
 * The largest number of bodies of strangers that are being received at once. The body of a sale mostly arrives in the same packet as its
 * headers, and a lost packet is sent again within a second. So this number is enough for 250 new connections a second on the worst line.
 * One body takes up to 35 KB with its request, so all of them take less than 10 MB. Without this limit 4,096 of them would double the
 * memory of the server.
 */
export const MAX_STRANGERS = 256;
/** The room that larger bodies of unproved requests share: eight of the largest size. Honest callers never send so many at once. */
export const SHARED_BODY_BYTES = 8 * 1024 * 1024;
/** The time in which an honest caller with 4 Mbit/s sends a body of the largest size. */
export const EARNEST_MS = 2_000;

/** The sender of a body. */
export interface BodySender {
  /** The address of its connection. */
  address: string;
  /** Whether the connection's last request was proved. False: the caller is a stranger. */
  known: boolean;
}

interface Account {
  readonly openedMs: number;
  readonly evict: () => void;
  readonly address: string;
  /** Room taken by this body. The first `SMALL_BODY_BYTES` of it are not shared. */
  bytes: number;
}

/** The room taken by one body. */
export interface BodyRoom {
  /** Takes room until this body has this many bytes altogether. False when there is not enough room. */
  grow(bytes: number): boolean;
  /** Notes that the whole body has arrived. From now on its sender cannot hold the room by sending slowly. */
  arrive(): void;
  /** Gives the room back. Safe to repeat. */
  close(): void;
}

/**
 * The room for bodies of unproved callers, for all connections together. When the room is used up, the oldest body is dropped if its
 * sending has taken longer than an honest caller needs. Otherwise the new caller is asked to try again later. The speed at which a body
 * arrives does not matter: an attacker would send just fast enough to keep its room.
 *
 * The number of bodies that strangers send is limited too. A stranger is a caller whose connection has sent no request before, or whose
 * last request was not proved. When all places are taken, the address with the most places loses its oldest body. So a till on a slow line
 * keeps its place while another caller fills the remaining places. Behind a proxy all callers may have one address, but such a proxy passes
 * a request on only when its body is complete (nginx: `proxy_request_buffering`).
 */
export class BodyBudget {
  readonly #clock: Clock;
  /** The bodies in the order in which they began. */
  readonly #accounts = new OrderedObjects<Account>();
  /** The bodies of strangers that have not arrived completely, in the order in which they began. */
  readonly #coming = new OrderedObjects<Account>();
  #sharedBytes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The number of bytes that all bodies have taken. */
  get heldBytes(): number {
    return [...this.#accounts].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Opens the room of a body. Calls `evict` once if the body must be dropped. Its room is then already released. */
  open(evict: () => void, { address, known }: BodySender): BodyRoom {
    const account: Account = { openedMs: this.#clock.monotonicMs(), evict, address, bytes: 0 };
    this.#accounts.add(account);
    if (!known) this.#come(account);
    return {
      grow: (bytes) => this.#grow(account, bytes),
      arrive: () => void this.#coming.delete(account),
      close: () => this.#close(account),
    };
  }

  #grow(account: Account, bytes: number): boolean {
    if (!this.#accounts.has(account)) return false;
    const more = sharedOf(bytes) - sharedOf(account.bytes);
    while (more > 0 && this.#sharedBytes + more > SHARED_BODY_BYTES) {
      const oldest = this.#oldestShared();
      if (oldest === undefined || oldest === account) return false;
      this.#close(oldest);
      oldest.evict();
    }
    this.#sharedBytes += more;
    account.bytes = bytes;
    return true;
  }

  #come(account: Account): void {
    while (this.#coming.size >= MAX_STRANGERS) {
      const oldest = this.#oldestOfMost();
      if (oldest === undefined) break;
      this.#close(oldest);
      oldest.evict();
    }
    this.#coming.add(account);
  }

  /** Returns the oldest body that has not arrived completely, of the address that sends the most such bodies. */
  #oldestOfMost(): Account | undefined {
    const byAddress = Map.groupBy(this.#coming, ({ address }) => address);
    const [oldest] = [...byAddress.values()].reduce((most, each) => (each.length > most.length ? each : most), []);
    return oldest;
  }

  #close(account: Account): void {
    this.#coming.delete(account);
    if (this.#accounts.delete(account)) this.#sharedBytes -= sharedOf(account.bytes);
  }

  /** Returns the oldest body that uses shared room. Undefined while every body is so young that its sender may be honest. */
  #oldestShared(): Account | undefined {
    for (const account of this.#accounts) {
      if (this.#clock.monotonicMs() - account.openedMs < EARNEST_MS) return undefined;
      if (sharedOf(account.bytes) > 0) return account;
    }
    return undefined;
  }
}

function sharedOf(bytes: number): number {
  return Math.max(0, bytes - SMALL_BODY_BYTES);
}
