import type { InstallationKey } from "../accounts/installation.ts";
import { type OneTimeToken, useUp } from "../accounts/one-time-tokens.ts";
import { newestEntryId } from "../journal/qr-sale-queries.ts";
import { deadlineIn, waitUntil } from "../kernel/deadline.ts";
import { present } from "../kernel/present.ts";
import type { PaymentReason, PaymentStatus } from "../model/payment.ts";
import type { Lease } from "../store/lease.ts";
import { insertCall, refundsOf } from "./call-queries.ts";
import type { Clients, OpenAccount } from "./clients.ts";
import { descriptionOf } from "./description.ts";
import { applyEvent, locked, orderRefund, schedule } from "./moves.ts";
import { firstTryAtMs, refreshStepMs } from "./pace.ts";
import { type Payment, paymentOf, type Refund, refundOf, remainingKopecks } from "./payment.ts";
import { insertPayment, insertPaymentMove, newestAttempt, type Tx, updatePayment } from "./payment-queries.ts";
import type { PaymentServices } from "./services.ts";
import { isRejected, statusOf } from "./states.ts";
import { paymentWithRefunds } from "./stored-payment.ts";
import { hashOf } from "./turns/order-hash.ts";
import { leaseOf, type TurnResult, type Turns } from "./turns/turns.ts";

/** Limits of the three calls, chosen by the project (qr-acquirers 6). */
const CREATE_LIMIT_MS = 5_000;
const CANCEL_LIMIT_MS = 8_000;
/** How long a state call waits for a reading that it has begun itself. */
const REFRESH_WAIT_MS = 1_200;
/** A second equal refund within this time is the same request. */
const SAME_REFUND_MS = 60_000;

/** What a till sends. */
export interface TillCall {
  token: OneTimeToken;
  accountId: string;
  storeId: string;
  operationId: string;
  amountKopecks: number;
}

export type CallRefusal =
  /** The token was used before: nothing was done. */
  | { kind: "token-used" }
  /** No active installation of this account. */
  | { kind: "no-account" }
  /** No such operation at this point of sale. */
  | { kind: "no-operation" }
  /** The amount is outside of what the acquirer or the payment allows. */
  | { kind: "amount"; leastKopecks?: number; mostKopecks?: number }
  /** The operation has another amount. */
  | { kind: "conflict" }
  | { kind: "no-acquirer" }
  | { kind: "refused"; reason: PaymentReason }
  | { kind: "busy" }
  /** The acquirer could not be reached in time; the work goes on. */
  | { kind: "unreachable" };

export type CreateResult = { kind: "created"; qrText: string } | CallRefusal;
export type StateResult = { kind: "state"; status: PaymentStatus } | CallRefusal;
export type CancelResult = { kind: "cancelled" } | CallRefusal;

/** The three calls of a till (platform-contracts 5). Each uses its token up in the transaction that records it. */
export class Payments {
  readonly #services: PaymentServices;
  readonly #clients: Clients;
  readonly #turns: Turns;

  constructor(services: PaymentServices, clients: Clients, turns: Turns) {
    this.#services = services;
    this.#clients = clients;
    this.#turns = turns;
  }

  /** Makes a payment, or gives the code of the same one again. */
  async create(call: TillCall): Promise<CreateResult> {
    const { clock } = this.#services;
    const deadline = deadlineIn(clock, CREATE_LIMIT_MS);
    const key = await this.#services.activeInstallation(call.accountId);
    if (key === undefined) return this.#refuse(call, { kind: "no-account" });
    const merchant = await this.#merchantOf(key, call);
    const begun = await this.#services.store.commit((tx) => this.#begin(tx, key, call, merchant));
    if (begun.kind !== "begun" && begun.kind !== "there") return begun;
    if (begun.kind === "there" && begun.payment.qrText !== undefined) return { kind: "created", qrText: begun.payment.qrText };
    const turn =
      begun.kind === "begun"
        ? this.#turns.take(begun.payment.id, { begun: { lease: begun.lease, call: begun.call } })
        : this.#turns.takeSoon(begun.payment.id, deadline);
    const waited = await waitUntil(clock, deadline, turn);
    return waited.kind === "late" ? { kind: "unreachable" } : await this.#madeBy(waited.value);
  }

  /** Answers from the store. Waits a little for the bank only where nobody has read it for longer than its step. */
  async state(call: TillCall): Promise<StateResult> {
    const key = await this.#services.activeInstallation(call.accountId);
    if (key === undefined) return this.#refuse(call, { kind: "no-account" });
    const first = await this.#services.store.commit(async (tx) => {
      if (!(await useUp(tx, call.token))) return { kind: "token-used" } as const;
      return this.#tell(tx, key, call);
    });
    if (first.kind !== "state" || first.status !== "IN_PROGRESS" || !this.#isStale(first.payment)) return first;
    const { clock, store } = this.#services;
    if (!this.#clients.mayRead(first.payment.merchant)) return first;
    const reading = this.#turns.take(first.payment.id, { read: true });
    const waited = await waitUntil(clock, deadlineIn(clock, REFRESH_WAIT_MS), reading);
    if (waited.kind === "late" || !("payment" in waited.value)) return first;
    return store.commit((tx) => this.#tell(tx, key, call));
  }

  /** Ends a payment that DONE was not told of; afterwards returns money (platform-contracts 5.3). */
  async cancel(call: TillCall): Promise<CancelResult> {
    const { clock, store } = this.#services;
    const deadline = deadlineIn(clock, CANCEL_LIMIT_MS);
    const key = await this.#services.activeInstallation(call.accountId);
    if (key === undefined) return this.#refuse(call, { kind: "no-account" });
    const { leastKopecks, apartMs } = await this.#refundRules(key, call);
    const ordered = await store.commit((tx) => this.#orderCancel(tx, key, call, { leastKopecks, apartMs }));
    if (ordered.kind !== "ordered") return ordered;
    const waited = await waitUntil(clock, deadline, this.#turns.takeSoon(ordered.paymentId, deadline));
    return waited.kind === "late" ? { kind: "unreachable" } : endOfCancel(waited.value, ordered.refund);
  }

  /** The acquirer's account of the point of sale, and whether it takes this amount. */
  async #merchantOf(key: InstallationKey, call: TillCall): Promise<MerchantChoice> {
    const settings = await this.#services.settingsOf(key, call.storeId);
    const { acquirer } = settings;
    if (acquirer === undefined || acquirer === "none") return { kind: "no-acquirer" };
    const open = this.#clients.of(acquirer);
    if ("problem" in open) {
      this.#services.log.error({ ...key, storeId: call.storeId, problem: open.problem }, "the acquirer of a point of sale cannot be used");
      return { kind: "no-acquirer" };
    }
    const { leastKopecks, mostKopecks } = open.account.capabilities;
    if (call.amountKopecks < leastKopecks || call.amountKopecks > mostKopecks) return { kind: "amount", leastKopecks, mostKopecks };
    await this.#services.merchants.keep(key, { merchant: open.account.merchant, acquirer: open.account.acquirer, setting: acquirer });
    const storeName = await this.#services.storeNameOf(key, call.storeId);
    const description = descriptionOf(settings.qrDescription, { store: storeName ?? "", receipt: call.operationId });
    return { kind: "merchant", open, description, expiryMs: settings.qrExpiryMinutes * 60_000 };
  }

  async #begin(tx: Tx, key: InstallationKey, call: TillCall, merchant: MerchantChoice): Promise<Begun> {
    if (!(await useUp(tx, call.token))) return { kind: "token-used" };
    const row = await newestAttempt(tx, key, call.operationId);
    const known = row === undefined ? undefined : paymentOf(row);
    if (known !== undefined && !known.freed && !wasNeverShown(known)) return sameAs(known, call);
    if (known !== undefined && !known.freed) await updatePayment(tx, known.id, { freed: 1, cancelled: 1 });
    if (merchant.kind !== "merchant") return merchant;
    return this.#insert(tx, key, call, merchant, (known?.attempt ?? 0) + 1);
  }

  /** The payment, the intent to ask the bank, and the lease for the turn that asks: one transaction. */
  async #insert(tx: Tx, key: InstallationKey, call: TillCall, { open, description, expiryMs }: Merchant, attempt: number): Promise<Begun> {
    const { clock, chance, leases } = this.#services;
    const nowMs = clock.nowMs();
    const id = chance.uuid();
    const expiresAtMs = nowMs + codeLifeMs(open, expiryMs);
    const inserted = await insertPayment(tx, {
      id,
      app_id: key.appId,
      account_id: key.accountId,
      operation_id: call.operationId,
      attempt,
      store_id: call.storeId,
      acquirer: open.account.acquirer,
      merchant: open.account.merchant,
      amount_kopecks: call.amountKopecks,
      state: "creating",
      cancelled: 0,
      freed: 0,
      refunded_kopecks: 0,
      created_at_ms: nowMs,
      moved_at_ms: nowMs,
      expires_at_ms: expiresAtMs,
      next_read_at_ms: nowMs + refreshStepMs(0),
      unsold_told: 0,
      description,
    });
    if (!inserted) {
      // Another process has made the same attempt at this moment: its payment is the one.
      const row = await newestAttempt(tx, key, call.operationId);
      return row === undefined ? { kind: "unreachable" } : sameAs(paymentOf(row), call);
    }
    const payment = await locked(tx, id);
    await insertPaymentMove(tx, { payment_id: id, at_ms: nowMs, from_state: null, to_state: "creating", why: "create" });
    const number = await insertCall(tx, { payment_id: id, call: "create", refund_number: null, order_hash: hashOf(call), at_ms: nowMs });
    const lease = await leases.takeIn(tx, leaseOf(id));
    if (lease === undefined) return { kind: "there", payment };
    return { kind: "begun", payment, lease, call: number };
  }

  /** What the turn has made of a payment that has no code yet. */
  async #madeBy(turn: TurnResult): Promise<CreateResult> {
    if (!("payment" in turn)) return { kind: "unreachable" };
    const { payment, making } = turn;
    if (making?.kind === "refused" || making?.kind === "busy") {
      const isOurCancel = making.kind === "refused" && making.reason.code === "wrong-code";
      if ((await this.#free(payment, isOurCancel)) === "shown") return this.#shown(payment);
      if (making.kind === "busy") return { kind: "busy" };
      return making.reason.code === "amount" ? { kind: "amount" } : { kind: "refused", reason: making.reason };
    }
    return payment.qrText === undefined ? { kind: "unreachable" } : { kind: "created", qrText: payment.qrText };
  }

  /**
   * The till hears that there is no payment, and may create its operation anew. Whatever comes of this one, its money goes back.
   * `shown`: another call has shown the code meanwhile. `kept`: a till has cancelled the operation, which stays cancelled.
   */
  async #free(payment: Payment, isOurCancel: boolean): Promise<"freed" | "shown" | "kept"> {
    return await this.#services.store.commit(async (tx) => {
      const { qrText, told, cancelled } = await locked(tx, payment.id);
      if (qrText !== undefined || told !== undefined) return "shown";
      if (cancelled && !isOurCancel) return "kept";
      await updatePayment(tx, payment.id, { freed: 1, cancelled: 1 });
      return "freed";
    }, "outcome");
  }

  /** The code of a payment that another call has made meanwhile. */
  async #shown({ id }: Payment): Promise<CreateResult> {
    const stored = await this.#services.store.read((db) => paymentWithRefunds(db, id));
    const qrText = stored?.payment.qrText;
    return qrText === undefined ? { kind: "unreachable" } : { kind: "created", qrText };
  }

  /** The status, and that it was told: what is told is never taken back, so both are one transaction. */
  async #tell(tx: Tx, key: InstallationKey, call: TillCall): Promise<Told | CallRefusal> {
    const row = await newestAttempt(tx, key, call.operationId);
    if (row === undefined || row.freed === 1 || row.store_id !== call.storeId) return { kind: "no-operation" };
    const seen = paymentOf(row);
    if (statusOf(seen) === "IN_PROGRESS" || seen.told !== undefined) return { kind: "state", status: statusOf(seen), payment: seen };
    const payment = await locked(tx, seen.id);
    const status = statusOf(payment);
    if (status !== "IN_PROGRESS" && payment.told === undefined) await this.#noteTold(tx, payment, status);
    return { kind: "state", status, payment };
  }

  /** The newest entry of the journal is noted: the sale of this payment comes after it, whatever the clocks do. */
  async #noteTold(tx: Tx, { id }: Payment, told: Exclude<PaymentStatus, "IN_PROGRESS">): Promise<void> {
    const newest = told === "DONE" ? await newestEntryId(tx) : undefined;
    await updatePayment(tx, id, { told, told_at_ms: this.#services.clock.nowMs(), told_entry_id: newest ?? null });
  }

  /** A payment that nobody has read for longer than its step, and that nobody reads now. */
  #isStale(payment: Payment): boolean {
    const nowMs = this.#services.clock.nowMs();
    const stepMs = refreshStepMs(nowMs - payment.createdAtMs);
    // A reading from the future was stored before the wall clock was set back.
    const ageMs = Math.abs(nowMs - (payment.readAtMs ?? payment.createdAtMs));
    return ageMs > stepMs && !this.#turns.isRunning(payment.id);
  }

  async #orderCancel(
    tx: Tx,
    key: InstallationKey,
    call: TillCall,
    rules: RefundRules,
  ): Promise<Ordered | CallRefusal | { kind: "cancelled" }> {
    if (!(await useUp(tx, call.token))) return { kind: "token-used" };
    const row = await newestAttempt(tx, key, call.operationId);
    if (row === undefined || row.freed === 1 || row.store_id !== call.storeId) return { kind: "no-operation" };
    const payment = await locked(tx, row.id);
    const refunds = (await refundsOf(tx, payment.id)).map(refundOf);
    if (isRejected(payment.state)) return { kind: "cancelled" };
    if (payment.told === "DONE") return this.#orderRefund(tx, payment, refunds, call.amountKopecks, rules);
    if (call.amountKopecks !== payment.amountKopecks)
      return { kind: "amount", leastKopecks: payment.amountKopecks, mostKopecks: payment.amountKopecks };
    if (payment.cancelled) return { kind: "ordered", paymentId: payment.id };
    const nowMs = this.#services.clock.nowMs();
    const context = { nowMs, refunds, lateMoney: "refund" as const, change: { cancelled: 1 as const } };
    const moved = await applyEvent(tx, { ...payment, cancelled: true }, { kind: "cancel" }, context);
    await schedule(tx, moved.payment, moved.refunds, nowMs, false);
    return { kind: "ordered", paymentId: payment.id };
  }

  async #orderRefund(
    tx: Tx,
    payment: Payment,
    refunds: readonly Refund[],
    amountKopecks: number,
    { leastKopecks, apartMs }: RefundRules,
  ): Promise<Ordered | CallRefusal> {
    const nowMs = this.#services.clock.nowMs();
    const same = refunds.findLast(
      (each) => each.cause === "till" && each.amountKopecks === amountKopecks && nowMs - each.askedAtMs <= SAME_REFUND_MS,
    );
    if (same !== undefined) return { kind: "ordered", paymentId: payment.id, refund: same.number };
    const mostKopecks = remainingKopecks(payment, refunds);
    if (amountKopecks > mostKopecks || amountKopecks < leastKopecks) return { kind: "amount", leastKopecks, mostKopecks };
    const next = present({ nextTryAtMs: firstTryAtMs(refunds, apartMs, nowMs) });
    const after = await orderRefund(tx, payment, { amountKopecks, cause: "till", ...next }, { nowMs, refunds });
    const moved = await applyEvent(tx, payment, { kind: "refund" }, { nowMs, refunds: after, lateMoney: "refund" });
    await schedule(tx, moved.payment, after, nowMs, false);
    const number = after.at(-1)?.number;
    return { kind: "ordered", paymentId: payment.id, ...(number === undefined ? {} : { refund: number }) };
  }

  async #refundRules(key: InstallationKey, call: TillCall): Promise<RefundRules> {
    const row = await this.#services.store.read((db) => newestAttempt(db, key, call.operationId));
    const open = row === undefined ? undefined : await this.#clients.ofPayment(paymentOf(row));
    if (open === undefined || "problem" in open) return { leastKopecks: 1, apartMs: 0 };
    const { leastRefundKopecks, refundAttempts } = open.account.capabilities;
    return { leastKopecks: leastRefundKopecks, apartMs: refundAttempts?.apartMs ?? 0 };
  }

  /** A call that is refused without being recorded uses its token up all the same. */
  async #refuse<Refusal extends CallRefusal>(call: TillCall, refusal: Refusal): Promise<Refusal | { kind: "token-used" }> {
    const fresh = await this.#services.store.commit((tx) => useUp(tx, call.token));
    return fresh ? refusal : { kind: "token-used" };
  }
}

interface Merchant {
  open: OpenAccount;
  description: string;
  expiryMs: number;
}

type MerchantChoice =
  | ({ kind: "merchant" } & Merchant)
  | { kind: "no-acquirer" }
  | { kind: "amount"; leastKopecks: number; mostKopecks: number };

type Begun =
  | { kind: "begun"; payment: Payment; lease: Lease; call: number }
  /** The operation has a payment already. */
  | { kind: "there"; payment: Payment }
  | CallRefusal;

interface Told {
  kind: "state";
  status: PaymentStatus;
  payment: Payment;
}

interface Ordered {
  kind: "ordered";
  paymentId: string;
  /** The number of the refund; absent: the payment is cancelled. */
  refund?: number;
}

interface RefundRules {
  leastKopecks: number;
  /** Least time between two attempts at refunds of one payment. */
  apartMs: number;
}

/**
 * A payment that is over before it had a code, and of whose end no till was told: another attempt may be made. What a till has
 * cancelled stays cancelled.
 */
function wasNeverShown({ state, qrText, told, cancelled }: Payment): boolean {
  return isRejected(state) && qrText === undefined && told === undefined && !cancelled;
}

/** A payment of the operation that is there already, or why it is not the one that the call means. */
function sameAs(known: Payment, call: TillCall): Begun {
  if (known.storeId !== call.storeId) return { kind: "no-operation" };
  return known.amountKopecks === call.amountKopecks ? { kind: "there", payment: known } : { kind: "conflict" };
}

/** Our expiry is the smaller of the setting and of what the acquirer allows (qr-acquirers 6). */
function codeLifeMs({ account }: OpenAccount, wantedMs: number): number {
  const { expiry } = account.capabilities;
  return expiry.kind === "fixed" ? Math.min(wantedMs, expiry.lifeMs) : Math.min(Math.max(wantedMs, expiry.leastMs), expiry.mostMs);
}

function endOfCancel(turn: TurnResult, refundNumber: number | undefined): CancelResult {
  if (!("payment" in turn)) return { kind: "unreachable" };
  const { payment, refunds } = turn;
  const refund =
    refundNumber === undefined
      ? refunds.findLast(({ cause }) => cause === "cancel")
      : refunds.find(({ number }) => number === refundNumber);
  if (refund === undefined) return isRejected(payment.state) ? { kind: "cancelled" } : { kind: "unreachable" };
  switch (refund.state) {
    case "accepted":
    case "done":
      return { kind: "cancelled" };
    case "queued":
      // The bank's limit of one attempt an hour: it is sent when its time comes.
      return { kind: "cancelled" };
    case "refused":
    case "person":
      return { kind: "refused", reason: refund.reason ?? { code: "refused" } };
    case "sent":
      return { kind: "unreachable" };
  }
}
