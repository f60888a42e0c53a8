import { nextTurn, pause } from "../kernel/clock.ts";
import { messageOf } from "../kernel/failure.ts";
import type { Clients } from "./clients.ts";
import { type DuePlace, duePayments, makeNextDue } from "./payment-queries.ts";
import type { PaymentServices } from "./services.ts";
import type { Turns } from "./turns/turns.ts";

/** The pause between two looks for due payments. The shortest time between two readings of a payment is two seconds. */
const LOOK_MS = 250;
/**
 * While so many payments have a turn (`turns/turn.ts`), no look begins another. Each turn waits for a bank, with a lease and a connection.
 */
const MAX_TURNS = 256;
/**
 * The maximum number of turns that one look begins. In SQLite the commits of turns and sales queue up. Hundreds of payments may become due
 * in the same second. If all their turns began together, each sale would wait half a second.
 */
const TURNS_A_LOOK = 16;
/** The pause before the next look when more payments are due. So the looks begin at most 400 turns in a second. */
const NEXT_LOOK_MS = 40;
/** The number of due payments that one query reads (a page). It is above `MAX_TURNS`, because payments with running turns are still due. */
const DUE_ROWS = 512;
/** The number of payments that one commit makes due. In SQLite a commit blocks the event loop. */
const MADE_DUE_AT_ONCE = 500;
/**
 * The maximum number of pages of due payments in one look. Each further page leaves out the accounts that may not be asked now.
 */
const MAX_PAGES = 40;
/** When the wall clock is set back by less than this, the change is ignored: it delays a reading by less than one refresh step. */
const CLOCK_STEP_MS = 1_000;

/**
 * Follows all payments with a time of their next reading (`refresh-times.ts`): open payments, and ended payments with late money or refunds
 * to look for. A payment is read when this time has come. The payment that is due longest comes first.
 */
export class Follower {
  readonly #services: PaymentServices;
  readonly #clients: Clients;
  readonly #turns: Turns;
  readonly #closing = new AbortController();
  #loop: Promise<void> = Promise.resolve();
  /** The wall clock minus the monotonic clock, at the last look. */
  #wallOffsetMs: number | undefined;

  constructor(services: PaymentServices, clients: Clients, turns: Turns) {
    this.#services = services;
    this.#clients = clients;
    this.#turns = turns;
  }

  /** Starts to follow. Makes every followed payment due first. */
  start(): void {
    this.#loop = this.#run();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#loop;
    await this.#turns.idle();
  }

  async #run(): Promise<void> {
    const { clock } = this.#services;
    await this.#guarded(() => this.makeAllDue());
    while (!this.#closing.signal.aborted) {
      const moreAreDue = (await this.#isMine()) && (await this.#guarded(() => this.look()));
      await pause(clock, moreAreDue === true ? NEXT_LOOK_MS : LOOK_MS, this.#closing.signal);
    }
  }

  /**
   * Begins turns of the payments that are due longest. Returns true when it has begun as many turns as one look may begin and more payments
   * may be due. Leaves out accounts that may not be asked now, so that the payments of other accounts are reached.
   */
  async look(): Promise<boolean> {
    const { store, clock, log } = this.#services;
    await this.#noticeClock();
    const waiting = new Set<string>();
    let begun = 0;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const due = await store.read((db) => duePayments(db, clock.nowMs(), { limit: DUE_ROWS, without: [...waiting] }));
      const before = waiting.size;
      for (const { id, merchant } of due) {
        if (this.#turns.size >= MAX_TURNS) return false;
        if (begun === TURNS_A_LOOK) return true;
        if (waiting.has(merchant) || !this.#turns.mayFollow(id)) continue;
        if (!this.#clients.mayRead(merchant)) {
          waiting.add(merchant);
          continue;
        }
        begun += 1;
        this.#turns
          .take(id, { mayAsk: true })
          .catch((error: unknown) => log.error({ payment: id, error: messageOf(error) }, "a turn of a payment failed"));
      }
      if (due.length < DUE_ROWS || waiting.size === before) return false;
    }
    return false;
  }

  /**
   * Makes all followed payments due since their creation, so that the oldest comes first. Needed at a start, because the banks may have had
   * news meanwhile. Needed after the wall clock was set back, because the stored times are then wrong. Other work runs between two commits.
   */
  async makeAllDue(): Promise<void> {
    const { store, clock } = this.#services;
    const nowMs = clock.nowMs();
    let before: DuePlace | undefined;
    do {
      const from = before;
      before = await store.commit((tx) => makeNextDue(tx, nowMs, from, MADE_DUE_AT_ONCE));
      await nextTurn();
    } while (before !== undefined);
  }

  /** Makes all followed payments due after the wall clock was set back. Otherwise they might wait for hours. */
  async #noticeClock(): Promise<void> {
    const { clock } = this.#services;
    const offsetMs = clock.nowMs() - clock.monotonicMs();
    const before = this.#wallOffsetMs ?? offsetMs;
    this.#wallOffsetMs = offsetMs;
    if (before - offsetMs > CLOCK_STEP_MS) await this.makeAllDue();
  }

  async #isMine(): Promise<boolean> {
    const { onlyHere } = this.#services;
    return onlyHere === undefined || (await onlyHere());
  }

  /** The database may fail for a while. The loop goes on, and works again when the database is back. */
  async #guarded<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      this.#services.log.error({ error: messageOf(error) }, "the open payments could not be looked at");
      return undefined;
    }
  }
}
