import type { InstallationKey } from "../accounts/installation.ts";
import { nextTurn } from "../kernel/clock.ts";
import { messageOf } from "../kernel/failure.ts";
import { type OnlyHere, Rounds } from "../kernel/rounds.ts";
import { inPieces } from "../kernel/work/in-pieces.ts";
import type { Codes } from "./codes/codes.ts";
import { deleteQuotesBefore } from "./kept-quotes/quote-queries.ts";
import { AccountBook } from "./ledger/account-book.ts";
import { bringUpToDate } from "./ledger/bookings.ts";
import { lotOf } from "./ledger/entry.ts";
import { accountOf, type Db, lotsLeft } from "./ledger/ledger-queries.ts";
import { reviewTier } from "./orders/tier.ts";
import { endWaiting, returnsWaitingSince } from "./orders/waiting-queries.ts";
import { WaitingReturns } from "./orders/waiting-returns.ts";
import { lotsOverPeriods } from "./points/lot-dates.ts";
import { planExpiry } from "./points/lots.ts";
import { isReviewDue } from "./points/tiers.ts";
import type { Programmes } from "./programme-versions/programmes.ts";
import type { LoyaltyServices } from "./services.ts";
import { type Cursor, type DueMember, expiredMembers, indebtedMembers, reviewedMembers } from "./upkeep-queries.ts";

/** How often changes that follow from dates are written. No request depends on them, because balances are computed from the dates. */
const INTERVAL_MS = 10 * 60_000;
const MEMBERS_AT_ONCE = 200;
/** The number of members that are looked at in one turn of the event loop, which takes about two milliseconds. */
const MEMBERS_A_TURN = 20;
/** The number of waiting returns that are read at once. */
const RETURNS_AT_ONCE = 200;
/** The largest number of a member's lots that expire in one commit. In SQLite a commit blocks the event loop. */
const LOTS_AT_ONCE = 500;
/**
 * After this many failures in a row the round ends: the database is probably not available. Wrong rows of one member cause only one
 * failure.
 */
const MAX_FAILED_IN_A_ROW = 20;
/** How long a return waits for its sale, and how long a quote is stored (loyalty-model 3 and 13). */
const DAY_MS = 86_400_000;

interface UpkeepCount {
  /** Members whose account changed. */
  members: number;
  /** Returns whose wait for their sale was ended. */
  waiting: number;
}

interface UpkeepServices extends Pick<LoyaltyServices, "store" | "clock" | "log" | "zoneOf" | "observe"> {
  programmes: Programmes;
  codes: Codes;
  /** Absent: no other process does the work. */
  onlyHere?: OnlyHere;
}

/**
 * Writes the changes that need no request: expiry of points, repayment of debts by newly active points, and tier reviews. Ends returns that
 * have waited too long for their sale. Books returns that still wait although their sale is stored. Also deletes old codes and quotes. Any
 * process may run the upkeep at any time: each transaction writes only what is due.
 */
export class LoyaltyUpkeep {
  readonly #services: UpkeepServices;
  readonly #rounds: Rounds;
  #closing = false;

  constructor(services: UpkeepServices) {
    this.#services = services;
    this.#rounds = new Rounds(services.clock, INTERVAL_MS, () => this.#round(), services.onlyHere);
  }

  start(): void {
    this.#rounds.start();
  }

  async close(): Promise<void> {
    this.#closing = true;
    await this.#rounds.close();
  }

  async run(): Promise<UpkeepCount> {
    const { store, clock, codes } = this.#services;
    const nowMs = clock.nowMs();
    const members =
      (await this.#each((db, after, limit) => expiredMembers(db, nowMs, after, limit))) +
      (await this.#each((db, after, limit) => indebtedMembers(db, after, limit))) +
      (await this.#each((db, after, limit) => reviewedMembers(db, nowMs, after, limit)));
    await new WaitingReturns(this.#services).takeUp(() => this.#closing);
    const waiting = await this.#endWaiting(nowMs);
    await codes.wipe();
    await inPieces((limit) => store.commit((tx) => deleteQuotesBefore(tx, nowMs - DAY_MS, limit), "behind"));
    return { members, waiting };
  }

  async #round(): Promise<void> {
    try {
      const count = await this.run();
      if (count.members > 0 || count.waiting > 0) this.#services.log.info({ ...count }, "the loyalty ledger was brought up to date");
    } catch (error) {
      this.#services.log.error({ error: messageOf(error) }, "the loyalty ledger could not be brought up to date");
    }
  }

  async #each(read: (db: Db, after: Cursor, limit: number) => Promise<DueMember[]>): Promise<number> {
    let count = 0;
    let failedInARow = 0;
    let after: Cursor = { dueAtMs: Number.MIN_SAFE_INTEGER, memberId: "" };
    while (!this.#closing) {
      const due = await this.#services.store.read((db) => read(db, after, MEMBERS_AT_ONCE));
      for (const [nth, member] of [...new Map(due.map((each) => [each.memberId, each])).values()].entries()) {
        // A member of whom nothing is due costs only reads, which in SQLite never end a turn of the event loop.
        if (nth % MEMBERS_A_TURN === 0) await nextTurn();
        try {
          if (await this.#bringUpToDate(member)) count += 1;
          failedInARow = 0;
        } catch (error) {
          failedInARow += 1;
          if (failedInARow === MAX_FAILED_IN_A_ROW) throw error;
          // The member is logged, and the next round tries again.
          this.#services.log.error(
            { member: member.memberId, error: messageOf(error) },
            "a member's ledger could not be brought up to date",
          );
        }
      }
      const last = due.at(-1);
      if (last === undefined || due.length < MEMBERS_AT_ONCE) return count;
      after = last;
    }
    return count;
  }

  /** False: another process has updated the member, or nothing was due. */
  async #bringUpToDate({ memberId, ...key }: DueMember): Promise<boolean> {
    const { programmes, zoneOf, observe } = this.#services;
    const zone = await zoneOf(key, "");
    await programmes.prepare(key);
    if (!(await this.#isDue(memberId, key, zone))) return false;
    let changed = false;
    for (;;) {
      const step = await this.#nextOf(memberId, key, zone);
      if (step === undefined) return changed;
      changed = true;
      if (step.expired > 0) observe.points("EXPIRE", step.expired);
      if (!step.more) return true;
    }
  }

  /**
   * Whether the account of a listed member has to be written. The lists go by stored dates, so under rolling expiry each round lists
   * members of whom nothing is due. This check is a read: it locks no account, and in SQLite it delays no sale.
   */
  #isDue(memberId: string, key: InstallationKey, zone: string): Promise<boolean> {
    const { store, clock, programmes } = this.#services;
    return store.read(async (db) => {
      const nowMs = clock.nowMs();
      const account = await accountOf(db, memberId);
      // A lost account counts as due, so that the attempt to write it reports the loss.
      if (account === undefined || isReviewDue({ reviewAtMs: account.tier_review_at_ms }, nowMs)) return true;
      if (account.debt_points > 0 && account.points > 0) return true;
      const { periods } = await programmes.current(db, key);
      const lots = lotsOverPeriods((await lotsLeft(db, memberId)).map(lotOf), periods, account.visited_at_ms ?? undefined, zone);
      return planExpiry(lots, nowMs).length > 0;
    });
  }

  /** Undefined: nothing was due. */
  #nextOf(memberId: string, key: InstallationKey, zone: string): Promise<{ expired: number; more: boolean } | undefined> {
    const { store, clock, programmes } = this.#services;
    return store.commit(async (tx) => {
      const nowMs = clock.nowMs();
      const current = await programmes.current(tx, key);
      const { programme } = current;
      const book = await AccountBook.open(tx, memberId, nowMs);
      const before = book.account;
      const more = bringUpToDate({ book, programme, current, nowMs, zone, actor: "upkeep" }, LOTS_AT_ONCE);
      await reviewTier(tx, book, { programme, nowMs, zone });
      const { entry_number, tier, tier_review_at_ms } = book.account;
      if (entry_number === before.entry_number && tier === before.tier && tier_review_at_ms === before.tier_review_at_ms) return undefined;
      await book.close();
      return { expired: before.points - before.debt_points - (book.account.points - book.account.debt_points), more };
    });
  }

  async #endWaiting(nowMs: number): Promise<number> {
    const { store, observe, log } = this.#services;
    let ended = 0;
    while (!this.#closing) {
      const before = ended;
      const waiting = await store.read((db) => returnsWaitingSince(db, nowMs - DAY_MS, RETURNS_AT_ONCE));
      for (const { id, document_key } of waiting) {
        if (!(await store.commit((tx) => endWaiting(tx, id, [{ kind: "sale-never-came" }])))) continue;
        ended += 1;
        observe.anomaly("sale-never-came");
        log.warn({ return: document_key }, "the sale of a return never came; no points were moved");
      }
      // When another process ends the same returns, the remaining returns are left to that process.
      if (waiting.length < RETURNS_AT_ONCE || ended === before) break;
    }
    return ended;
  }
}
