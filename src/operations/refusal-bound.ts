import type { EntryContent } from "../journal/entry.ts";
import { type AllowanceLimits, Allowances } from "../kernel/allowances.ts";
import type { Clock } from "../kernel/clock.ts";
import type { Log } from "../kernel/log.ts";

export interface RefusalLimits {
  writtenPerAccount: AllowanceLimits;
  sentInVain: AllowanceLimits;
}

/**
 * Refusals of an account that are written at once, and one more each minute. A busy shop has some tens on a bad day; a
 * till that is wrong has thousands in an hour, each with a row of some kilobytes or, under a key that is known, two moves.
 */
const WRITTEN_PER_ACCOUNT = { most: 1_000, refillMs: 60_000, names: 10_000 };
/**
 * Operations of one kind that an account may have sent to one register and refused by it, and one more each minute: what
 * is sent has to be written first. One that is done gives back what one that was refused has taken.
 */
const SENT_IN_VAIN = { most: 200, refillMs: 60_000, names: 10_000 };
export const REFUSAL_LIMITS: RefusalLimits = { writtenPerAccount: WRITTEN_PER_ACCOUNT, sentInVain: SENT_IN_VAIN };
/** An account is told of in the log so often at most. */
const TELL_MS = 3_600_000;

/** What happened beyond the bound: a refusal left no trace, or an operation was not sent. */
type BeyondBound = "not-written" | "held-back";

interface RefusalBoundServices {
  clock: Clock;
  log: Log;
  /** Told of each, for the metrics. */
  observe(what: BeyondBound): void;
  limits?: RefusalLimits;
}

/**
 * Bounds what an account's refused operations leave in the journal, by account and time. Beyond it what is refused before
 * anything was sent is answered as ever and not written: its key is free, as after any refusal, and what stands
 * under it (an earlier attempt, and where to look for its document) stays. What would have to be written because it is
 * sent is not sent while its like is refused again and again: the caller is told to repeat it after a minute. What is
 * done or in doubt is never touched. It lives in memory: a start begins anew.
 */
export class RefusalBound {
  readonly #services: RefusalBoundServices;
  readonly #written: Allowances;
  readonly #sent: Allowances;
  readonly #told = new Map<string, { atMs: number; since: number }>();

  constructor(services: RefusalBoundServices) {
    const { clock, limits = REFUSAL_LIMITS } = services;
    this.#services = services;
    this.#written = new Allowances(clock, limits.writtenPerAccount);
    this.#sent = new Allowances(clock, limits.sentInVain);
  }

  /** Whether an operation that waits may be written before its turn comes, which may refuse it. */
  mayWait({ key }: EntryContent): boolean {
    return this.#written.has(key.accountId);
  }

  /** Whether a refusal before sending is written. `must`: its entry waits in the journal already. */
  mayWrite({ key }: EntryContent, must: boolean): boolean {
    const written = this.#written.take(key.accountId);
    if (!written && !must) this.#beyond("not-written", key.accountId);
    return written || must;
  }

  /** Whether the operation may be sent: none of its kind is, for a while, where they are refused again and again. */
  maySend(content: EntryContent): boolean {
    const may = this.#sent.has(nameOf(content));
    if (!may) this.#beyond("held-back", content.key.accountId, content.register);
    return may;
  }

  /** What came of an operation that was sent. */
  ended(content: EntryContent, outcome: "done" | "refused"): void {
    if (outcome === "done") this.#sent.giveBack(nameOf(content));
    else this.#sent.take(nameOf(content));
  }

  #beyond(what: BeyondBound, accountId: string, register?: string): void {
    const { clock, log, observe } = this.#services;
    observe(what);
    const nowMs = clock.monotonicMs();
    const name = `${what} ${accountId}`;
    const told = this.#told.get(name);
    if (told !== undefined && nowMs - told.atMs < TELL_MS) {
      told.since += 1;
      return;
    }
    for (const [other, { atMs }] of this.#told) if (nowMs - atMs >= TELL_MS) this.#told.delete(other);
    this.#told.set(name, { atMs: nowMs, since: 0 });
    const where = register === undefined ? {} : { register };
    const unsaid = told === undefined ? {} : { sinceLastLine: told.since };
    log.warn({ accountId, ...where, ...unsaid }, WORDS[what]);
  }
}

const WORDS: Record<BeyondBound, string> = {
  "not-written": "an account has too many refused operations: further refusals are answered and not written into the journal",
  "held-back": "a register refuses an account's operations again and again: further ones are sent once a minute",
};

function nameOf({ key, register }: EntryContent): string {
  return JSON.stringify([key.accountId, register, key.operation]);
}
