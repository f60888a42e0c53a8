import type { Clock } from "../kernel/clock.ts";

/** Every body may have so much without asking: a sale of thirty positions. With all connections open it is 16 MiB. */
export const SMALL_BODY_BYTES = 16 * 1024;
/** What larger bodies share while they are not proved: eight of the largest, more than come at once in earnest. */
export const SHARED_BODY_BYTES = 8 * 1024 * 1024;
/** An honest caller has sent a whole mebibyte by then, at 4 Mbit/s. */
export const EARNEST_MS = 2_000;

interface Account {
  readonly openedMs: number;
  readonly evict: () => void;
  /** Room that was taken, of which `SMALL_BODY_BYTES` are its own. */
  bytes: number;
}

/** The room of one body. */
export interface BodyRoom {
  /** Takes room for so many bytes in all; false when there is none to be had. */
  grow(bytes: number): boolean;
  /** Gives the room back. Safe to repeat. */
  close(): void;
}

/**
 * Room for bodies whose caller is not proved yet, all connections together. When it is used up, the body that has come in for
 * the longest makes way, if that is longer than any takes in earnest; else the new caller is asked to come again. The rate of
 * a body decides nothing: an attacker would send just enough to keep it.
 */
export class BodyBudget {
  readonly #clock: Clock;
  /** In the order in which they were opened. */
  readonly #accounts = new Set<Account>();
  #sharedBytes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Room that all bodies have taken. */
  get heldBytes(): number {
    return [...this.#accounts].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** `evict` is called once, when the body has to make way; its room is given back before. */
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

  /** Undefined while all of them may be in earnest. */
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
