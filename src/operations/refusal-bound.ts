import type { EntryContent } from "../journal/entry.ts";
import { type AllowanceLimits, Allowances } from "../kernel/allowances.ts";
import type { Clock } from "../kernel/clock.ts";
import type { Log } from "../kernel/log.ts";

export interface RefusalLimits {
  writtenPerAccount: AllowanceLimits;
  sentInVain: AllowanceLimits;
}

/**
 * The number of refusals of one account that may be written at once. Each minute adds one. A busy shop has some tens of
 * refusals on a bad day. A faulty till has thousands in an hour. Each refusal costs a row of some kilobytes, or two
 * moves under a known key.
 */
const WRITTEN_PER_ACCOUNT = { most: 1_000, refillMs: 60_000, names: 10_000 };
/**
 * The number of operations of one kind that one register may refuse to an account after sending. Each minute adds one.
 * These refusals need a bound because a sent operation must be written first. A done operation gives back what a
 * refused operation took.
 */
const SENT_IN_VAIN = { most: 200, refillMs: 60_000, names: 10_000 };
export const REFUSAL_LIMITS: RefusalLimits = { writtenPerAccount: WRITTEN_PER_ACCOUNT, sentInVain: SENT_IN_VAIN };
/** Shortest time between two log lines about one account. */
const LOG_INTERVAL_MS = 3_600_000;

/** The event beyond the bound: a refusal was not written, or an operation was not sent. */
type BeyondBound = "not-written" | "held-back";

interface RefusalBoundServices {
  clock: Clock;
  log: Log;
  /** Counts each event for the metrics. */
  observe(what: BeyondBound): void;
  limits?: RefusalLimits;
}

/**
 * Bounds how many refused operations of an account are written into the journal. The bound is by account and time.
 *
 * An operation that is refused before anything was sent is answered as usual. Beyond the bound it is not written: its
 * key stays free, as after any refusal, and an earlier attempt under the key stays as it is. An operation that waits is
 * written before its end is known. So it is written only with a reservation for its refusal.
 *
 * An operation that would be sent must be written. While the register refuses operations of its kind again and again,
 * it is not sent: the caller is asked to repeat it after a minute.
 *
 * Done operations and operations in doubt are never affected. The counts live in memory, so a restart begins anew.
 */
export class RefusalBound {
  readonly #services: RefusalBoundServices;
  readonly #written: Allowances;
  readonly #sent: Allowances;
  readonly #logged = new Map<string, { atMs: number; since: number }>();

  constructor(services: RefusalBoundServices) {
    const { clock, limits = REFUSAL_LIMITS } = services;
    this.#services = services;
    this.#written = new Allowances(clock, limits.writtenPerAccount);
    this.#sent = new Allowances(clock, limits.sentInVain);
  }

  /**
   * Whether a waiting operation may be written before its turn. True: the refusal that its turn may end with is counted
   * now, because many can wait at once. A turn that ends with anything else returns it with `giveBack`.
   */
  reserve({ key }: EntryContent): boolean {
    return this.#written.take(key.accountId);
  }

  /** Returns a reservation that no refusal has used. */
  giveBack({ key }: EntryContent): void {
    this.#written.giveBack(key.accountId);
  }

  /**
   * Whether a refusal without a reservation is written. The refusal came before sending. `must`: the journal already
   * has a waiting entry from before the server's start, and this entry has to be ended.
   */
  mayWrite({ key }: EntryContent, must: boolean): boolean {
    const written = this.#written.take(key.accountId);
    if (!written && !must) this.#beyond("not-written", key.accountId);
    return written || must;
  }

  /**
   * Whether the operation may be sent. False for a while when the register refuses operations of this kind again and
   * again.
   */
  maySend(content: EntryContent): boolean {
    const may = this.#sent.has(nameOf(content));
    if (!may) this.#beyond("held-back", content.key.accountId, content.register);
    return may;
  }

  /** Counts the end of an operation that was sent. */
  ended(content: EntryContent, outcome: "done" | "refused"): void {
    if (outcome === "done") this.#sent.giveBack(nameOf(content));
    else this.#sent.take(nameOf(content));
  }

  #beyond(what: BeyondBound, accountId: string, register?: string): void {
    const { clock, log, observe } = this.#services;
    observe(what);
    const nowMs = clock.monotonicMs();
    const name = `${what} ${accountId}`;
    const logged = this.#logged.get(name);
    if (logged !== undefined && nowMs - logged.atMs < LOG_INTERVAL_MS) {
      logged.since += 1;
      return;
    }
    for (const [other, { atMs }] of this.#logged) if (nowMs - atMs >= LOG_INTERVAL_MS) this.#logged.delete(other);
    this.#logged.set(name, { atMs: nowMs, since: 0 });
    const where = register === undefined ? {} : { register };
    const unlogged = logged === undefined ? {} : { sinceLastLine: logged.since };
    log.warn({ accountId, ...where, ...unlogged }, WORDS[what]);
  }
}

const WORDS: Record<BeyondBound, string> = {
  "not-written": "an account has too many refused operations: further refusals are answered and not written into the journal",
  "held-back": "a register refuses an account's operations again and again: further ones are sent once a minute",
};

function nameOf({ key, register }: EntryContent): string {
  return JSON.stringify([key.accountId, register, key.operation]);
}
