import type { EntryContent } from "../journal/entry.ts";
import { type AllowanceLimits, Allowances } from "../kernel/allowances.ts";
import type { Clock } from "../kernel/clock.ts";
import type { Log } from "../kernel/log.ts";
import { HeldBack, type HeldBackLimits } from "./held-back.ts";

export interface RefusalLimits {
  writtenPerAccount: AllowanceLimits;
  sentInVain: AllowanceLimits;
  sentInVainOfOne: AllowanceLimits;
  heldBack: HeldBackLimits;
}

/**
 * The number of refusals of one account that may be written one after another. Each minute allows one more. A busy shop has a few dozen
 * refusals on a bad day, a faulty till has thousands in an hour. A refusal costs a row of a few kilobytes. If the journal
 * already has the key, a refusal costs two moves.
 */
const WRITTEN_PER_ACCOUNT = { most: 1_000, refillMs: 60_000, names: 10_000 };
/**
 * How many operations of one kind an account may send to one register in vain, because the register refuses them. Each minute and each
 * done operation allow the account one more. The bound is needed because the journal writes an operation before it is sent.
 */
const SENT_IN_VAIN = { most: 200, refillMs: 60_000, names: 10_000 };
/**
 * How often the same document may be sent in vain, because the register refuses it. Each minute allows one more repeat. So a till that
 * repeats one document leaves the rest of `SENT_IN_VAIN` to the other tills of the register.
 */
const SENT_IN_VAIN_OF_ONE = { most: 50, refillMs: 60_000, names: 10_000 };
/**
 * Callers are told to repeat a held back document after a minute, so three minutes without a repeat show that nobody repeats it. All places
 * together take some 20 MB.
 */
const HELD_BACK = { forgottenAfterMs: 180_000, documents: 1_000, names: 50, turnMs: 60_000 };
export const REFUSAL_LIMITS: RefusalLimits = {
  writtenPerAccount: WRITTEN_PER_ACCOUNT,
  sentInVain: SENT_IN_VAIN,
  sentInVainOfOne: SENT_IN_VAIN_OF_ONE,
  heldBack: HELD_BACK,
};
/** The shortest time between two log lines of one kind about one account. */
const LOG_INTERVAL_MS = 3_600_000;

/** What happened beyond the bound: a refusal was not written, or an operation was not sent. */
type BeyondBound = "not-written" | "held-back";

interface RefusalBoundServices {
  clock: Clock;
  log: Log;
  observe(what: BeyondBound): void;
  limits?: RefusalLimits;
}

/**
 * Bounds how many refused operations of one account the journal stores within a time.
 *
 * An operation refused before sending is answered as usual. Beyond the bound it is not written: its key stays free, as after any refusal,
 * and an earlier attempt under the key stays unchanged. A waiting operation is written before its end is known, so it needs a reservation
 * for its refusal.
 *
 * An operation must be written before it is sent. While the register refuses operations of this kind, or this document, again and again,
 * the operation is not sent: the caller must repeat the operation after a minute. Held back documents are sent in a fair order
 * (held-back.ts).
 *
 * The bound never affects done operations and operations in doubt. The counts are in memory, so a restart begins anew.
 */
export class RefusalBound {
  readonly #services: RefusalBoundServices;
  readonly #written: Allowances;
  readonly #sent: Allowances;
  readonly #sentOfOne: Allowances;
  readonly #heldBack: HeldBack;
  readonly #logged = new Map<string, { atMs: number; since: number }>();

  constructor(services: RefusalBoundServices) {
    const { clock, limits = REFUSAL_LIMITS } = services;
    this.#services = services;
    this.#written = new Allowances(clock, limits.writtenPerAccount);
    this.#sent = new Allowances(clock, limits.sentInVain);
    this.#sentOfOne = new Allowances(clock, limits.sentInVainOfOne);
    this.#heldBack = new HeldBack(clock, limits.heldBack);
  }

  /**
   * Whether a waiting operation may be written before its turn. True: its possible refusal is counted now, because many operations can wait
   * at the same time. If the operation ends in another way, `giveBack` cancels the count.
   */
  reserve({ key }: EntryContent): boolean {
    return this.#written.take(key.accountId);
  }

  /** Cancels a reservation that no refusal has used. */
  giveBack({ key }: EntryContent): void {
    this.#written.giveBack(key.accountId);
  }

  /**
   * Whether a refusal before sending, without a reservation, is written. `must`: the journal has a waiting entry from before the server's
   * start, which must be ended.
   */
  mayWrite({ key }: EntryContent, must: boolean): boolean {
    const written = this.#written.take(key.accountId);
    if (!written && !must) this.#beyond("not-written", key.accountId);
    return written || must;
  }

  /**
   * Whether the operation may be sent. False for a while when the register refuses operations of this kind, or this document, again and
   * again. `refused`: the register has refused an earlier attempt of this document.
   */
  maySend(content: EntryContent, refused: boolean): boolean {
    const [name, document] = [nameOf(content), documentOf(content)];
    const rank = { attempts: this.#sent.left(name), refused };
    const may = this.#sentOfOne.has(document) && this.#heldBack.mayGo(name, document, rank);
    if (!may) this.#beyond("held-back", content.key.accountId, content.register);
    return may;
  }

  /** Counts the end of a sent operation. */
  ended(content: EntryContent, outcome: "done" | "refused"): void {
    this.#heldBack.ended(nameOf(content), documentOf(content));
    if (outcome === "done") {
      this.#sent.giveBack(nameOf(content));
      return;
    }
    this.#sent.take(nameOf(content));
    // Each sale repeats the server's automatic reports, so only the bound for their kind applies to them.
    if (!content.key.operation.startsWith("auto-")) this.#sentOfOne.take(documentOf(content));
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

function documentOf({ key }: EntryContent): string {
  return JSON.stringify([key.appId, key.accountId, key.operation, key.documentId]);
}
