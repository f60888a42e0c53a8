import { pause } from "../../kernel/clock.ts";
import type { Deadline } from "../../kernel/deadline.ts";
import { messageOf } from "../../kernel/failure.ts";
import type { Lease } from "../../store/lease.ts";
import type { Clients } from "../clients.ts";
import { schedule } from "../moves.ts";
import { paymentWithRefunds } from "../payment-with-refunds.ts";
import type { PaymentServices } from "../services.ts";
import { CallPace } from "./call-pace.ts";
import { PaymentTurn, type TurnEnd } from "./turn.ts";

const FAILED_PAUSE_MS = 5_000;
/** The maximum number of remembered failures of turns. At this number all are forgotten. */
const MAX_FAILED = 10_000;
/**
 * The maximum number of turns of one payment that run or wait. A turn takes up to 6 s, and callers wait for a few turns at most. Further
 * callers get `held`, and may ask again until their own deadline.
 */
export const MAX_QUEUED_TURNS = 8;
/** How often a caller checks whether another process has released the payment. */
const HELD_ELSEWHERE_MS = 250;

/** How a turn ended, or why there was none. */
export type TurnResult = TurnEnd | { held: true } | { problem: string };

interface TurnWish {
  /** The caller wants a reading although none is due. */
  read?: boolean;
  /** The caller has counted the turn's first call (`Clients.mayRead`). */
  mayAsk?: boolean;
  /** The transaction that made the payment has also taken the lease and stored the intent to create. */
  begun?: { lease: Lease; call: number };
}

/** The turns of this process, one at a time for each payment. A call during a turn gets its own turn afterwards. */
export class Turns {
  readonly #services: PaymentServices;
  readonly #clients: Clients;
  readonly #running = new Map<string, Promise<TurnResult>>();
  readonly #queued = new Map<string, number>();
  /** Until when the follower skips a payment after a failed turn, on the monotonic clock. */
  readonly #failedUntilMs = new Map<string, number>();

  constructor(services: PaymentServices, clients: Clients) {
    this.#services = services;
    this.#clients = clients;
  }

  get size(): number {
    return this.#running.size;
  }

  isRunning(paymentId: string): boolean {
    return this.#running.has(paymentId);
  }

  /**
   * False while a turn of the payment runs, and for a while after a turn has failed by a fault of the server. So a failing turn is not
   * repeated at every look.
   */
  mayFollow(paymentId: string): boolean {
    return !this.isRunning(paymentId) && (this.#failedUntilMs.get(paymentId) ?? 0) <= this.#services.clock.monotonicMs();
  }

  /**
   * Begins a turn now, or after the running turn, even if that turn rejects. `held`: another process works on the payment, or
   * `MAX_QUEUED_TURNS` turns run or wait. May reject when the database fails.
   */
  take(paymentId: string, wish: TurnWish = {}): Promise<TurnResult> {
    const queued = this.#queued.get(paymentId) ?? 0;
    if (queued >= MAX_QUEUED_TURNS) return Promise.resolve({ held: true });
    this.#queued.set(paymentId, queued + 1);
    const before = this.#running.get(paymentId) ?? Promise.resolve();
    const run = () => this.#run(paymentId, wish);
    const turn = before.then(run, run).finally(() => this.#forget(paymentId, turn));
    this.#running.set(paymentId, turn);
    return turn;
  }

  /** Like `take`, but while the result is `held`, tries again until the deadline. */
  async takeSoon(paymentId: string, deadline: Deadline, wish: TurnWish = {}): Promise<TurnResult> {
    for (;;) {
      const result = await this.take(paymentId, wish);
      if (!("held" in result) || deadline.remainingMs() === 0) return result;
      await pause(this.#services.clock, Math.min(HELD_ELSEWHERE_MS, deadline.remainingMs()));
    }
  }

  /** Waits for all turns, which end by their own deadlines. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled([...this.#running.values()]);
  }

  #forget(paymentId: string, turn: Promise<TurnResult>): void {
    const left = (this.#queued.get(paymentId) ?? 1) - 1;
    if (left > 0) this.#queued.set(paymentId, left);
    else this.#queued.delete(paymentId);
    if (this.#running.get(paymentId) === turn) this.#running.delete(paymentId);
  }

  async #run(paymentId: string, wish: TurnWish): Promise<TurnResult> {
    const services = this.#services;
    const lease = wish.begun?.lease ?? (await this.#takeLease(paymentId));
    if (lease === undefined) return { held: true };
    try {
      return await this.#runUnder(lease, paymentId, wish);
    } catch (error) {
      services.log.error({ payment: paymentId, error: messageOf(error), err: error }, "a turn of a payment failed; it is repeated");
      this.#noteFailed(paymentId);
      await this.#release(lease, paymentId);
      return { problem: messageOf(error) };
    }
  }

  async #runUnder(lease: Lease, paymentId: string, { read, begun, mayAsk = false }: TurnWish): Promise<TurnResult> {
    const services = this.#services;
    const stored = await services.store.read((db) => paymentWithRefunds(db, paymentId));
    if (stored === undefined) return await this.#forgetLease(lease);
    const { payment } = stored;
    const [open, settings, notificationUrl] = await Promise.all([
      this.#clients.ofPayment(payment),
      services.settingsOf(payment, payment.storeId),
      // Only the making of a payment needs the address.
      payment.qrText === undefined ? this.#notificationUrl(payment) : undefined,
    ]);
    if ("problem" in open) return await this.#giveUp(lease, paymentId, open.problem);
    const { lateMoney } = settings;
    const call = begun === undefined ? {} : { begun: begun.call };
    return await new PaymentTurn({
      ...stored,
      services,
      lease,
      open,
      lateMoney,
      notificationUrl,
      pace: new CallPace(this.#clients, payment.merchant, mayAsk),
      ...call,
      ...(read === true ? { read } : {}),
    }).run();
  }

  async #takeLease(paymentId: string): Promise<Lease | undefined> {
    try {
      return await this.#services.leases.take(leaseOf(paymentId));
    } catch (error) {
      this.#noteFailed(paymentId);
      throw error;
    }
  }

  #noteFailed(paymentId: string): void {
    if (this.#failedUntilMs.size >= MAX_FAILED) this.#failedUntilMs.clear();
    this.#failedUntilMs.set(paymentId, this.#services.clock.monotonicMs() + FAILED_PAUSE_MS);
  }

  /**
   * Releases the lease of a failed turn, so that another process may go on immediately. The next turn looks at the bank for the results of
   * stored intents.
   */
  async #release(lease: Lease, paymentId: string): Promise<void> {
    const { leases, log } = this.#services;
    try {
      await leases.release(lease);
    } catch (error) {
      log.warn({ payment: paymentId, error: messageOf(error) }, "the lease of a failed turn could not be released; it ends by itself");
    }
  }

  /** Deletes the lease of a payment that does not exist, because no later turn would delete it. */
  async #forgetLease({ name }: Lease): Promise<TurnResult> {
    const { store, leases } = this.#services;
    await store.commit((tx) => leases.forgetIn(tx, name));
    return { problem: "no such payment" };
  }

  /** Ends a turn whose account cannot be opened. Each due turn logs the problem until the setting works again. */
  async #giveUp(lease: Lease, paymentId: string, problem: string): Promise<TurnResult> {
    const services = this.#services;
    services.log.error({ payment: paymentId, problem }, "the acquirer of a payment cannot be reached with its setting");
    const nowMs = services.clock.nowMs();
    await services.store.commit(async (tx) => {
      const stored = await paymentWithRefunds(tx, paymentId);
      if (stored !== undefined && (await services.leases.holds(tx, lease)))
        await schedule(tx, stored.payment, stored.refunds, nowMs, false);
      await services.leases.releaseIn(tx, lease);
    });
    return { problem };
  }

  async #notificationUrl(payment: { appId: string; accountId: string; acquirer: string }): Promise<string | undefined> {
    const secret = await this.#services.merchants.hookSecret(payment, payment.acquirer);
    return this.#services.notificationUrl(payment.acquirer, secret.reveal());
  }
}

export function leaseOf(paymentId: string): string {
  return `payment:${paymentId}`;
}
