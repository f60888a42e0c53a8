import type { Clock } from "../kernel/clock.ts";

/**
 * The room of every body without a question to the budget: a sale of thirty positions. With all 4,096 connections open this
 * is 64 MiB.
 */
export const SMALL_BODY_BYTES = 16 * 1024;
/**
 * The room that larger bodies share before they are proved: eight of the largest. Honest callers never send so many at once.
 */
export const SHARED_BODY_BYTES = 8 * 1024 * 1024;
/** An honest caller with 4 Mbit/s sends a body of the largest size in this time. */
export const EARNEST_MS = 2_000;

interface Account {
  readonly openedMs: number;
  readonly evict: () => void;
  /** Room taken by this body. The first `SMALL_BODY_BYTES` of it are not shared. */
  bytes: number;
}

/** The room taken by one body. */
export interface BodyRoom {
  /** Takes room for this many bytes in all. False when there is not enough. */
  grow(bytes: number): boolean;
  /** Gives the room back. Safe to repeat. */
  close(): void;
}

/**
 * Room for bodies of unproved callers, for all connections together. When the room is used up, the oldest body is dropped if
 * its sending has taken longer than an honest caller needs. Otherwise the new caller is asked to come again. The speed of a
 * body does not matter: an attacker would send just fast enough to keep its room.
 */
export class BodyBudget {
  readonly #clock: Clock;
  /** The bodies in the order in which they began. */
  readonly #accounts = new Set<Account>();
  #sharedBytes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Room that all bodies have taken. */
  get heldBytes(): number {
    return [...this.#accounts].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Opens the room of a body. Calls `evict` once if the body must be dropped; its room is already given back then. */
  open(evict: () => void): BodyRoom {
    const account: Account = { openedMs: this.#clock.monotonicMs(), evict, bytes: 0 };
    this.#accounts.add(account);
    return { grow: (bytes) => this.#grow(account, bytes), close: () => this.#close(account) };
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

  #close(account: Account): void {
    if (this.#accounts.delete(account)) this.#sharedBytes -= sharedOf(account.bytes);
  }

  /** Returns the oldest body that uses shared room. Undefined while every body is young enough to be honest. */
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
