import type { InstallationKey } from "../../accounts/installation.ts";
import { useUp } from "../../accounts/one-time-tokens.ts";
import { waitUntil } from "../../kernel/deadline.ts";
import type { Lease } from "../../store/lease.ts";
import { insertCall } from "../call-queries.ts";
import type { Clients, OpenAccount } from "../clients.ts";
import { descriptionOf } from "../description.ts";
import { locked } from "../moves.ts";
import { type Payment, paymentOf } from "../payment.ts";
import { insertPayment, insertPaymentMove, newestAttempt, type Tx, updatePayment } from "../payment-queries.ts";
import { paymentWithRefunds } from "../payment-with-refunds.ts";
import { refreshStepMs } from "../refresh-times.ts";
import type { PaymentServices } from "../services.ts";
import { isRejected } from "../states.ts";
import { hashOf } from "../turns/order-hash.ts";
import { leaseOf, type TurnResult, type Turns } from "../turns/turns.ts";
import { type CallRefusal, type CreateResult, deadlineOf, refuseUnrecorded, type TillCall } from "./till-call.ts";

/** The longest time of a creation, chosen by this project (qr-acquirers 6). */
const CREATE_LIMIT_MS = 5_000;

export class PaymentCreation {
  readonly #services: PaymentServices;
  readonly #clients: Clients;
  readonly #turns: Turns;

  constructor(services: PaymentServices, clients: Clients, turns: Turns) {
    this.#services = services;
    this.#clients = clients;
    this.#turns = turns;
  }

  /** Makes a payment, or returns the code of the payment that the operation already has. */
  async create(call: TillCall): Promise<CreateResult> {
    const { clock } = this.#services;
    const deadline = deadlineOf(call, clock, CREATE_LIMIT_MS);
    const key = await this.#services.activeInstallation(call.accountId);
    if (key === undefined) return refuseUnrecorded(this.#services.store, call, { kind: "no-account" });
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

  /** Returns the point of sale's account at the acquirer, and stores its setting. Refuses an amount outside the acquirer's limits. */
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
    const seen = row === undefined ? undefined : paymentOf(row);
    // A call `state` or `cancel` may be ending the operation right now. The lock waits for it.
    const known = seen !== undefined && wasNeverShown(seen) ? await locked(tx, seen.id) : seen;
    if (known !== undefined && !known.freed && !wasNeverShown(known)) return sameAs(known, call);
    if (known !== undefined && !known.freed) await updatePayment(tx, known.id, { freed: 1, cancelled: 1 });
    if (merchant.kind !== "merchant") return merchant;
    return this.#insert(tx, key, call, merchant, (known?.attempt ?? 0) + 1);
  }

  /** Stores in one transaction the payment, the intent to ask the bank, and the lease for the turn that asks. */
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
      // Another process has just made the same attempt, so the payment of that process is used.
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

  /** Returns the call's result after the turn of a payment that had no code. */
  async #madeBy(turn: TurnResult): Promise<CreateResult> {
    if (!("payment" in turn)) return { kind: "unreachable" };
    const { payment, making } = turn;
    if (making?.kind === "refused" || making?.kind === "busy") {
      const isOwnCancel = making.kind === "refused" && making.reason.code === "wrong-code";
      if ((await this.#free(payment, isOwnCancel)) === "shown") return this.#shown(payment);
      if (making.kind === "busy") return { kind: "busy" };
      return making.reason.code === "amount" ? { kind: "amount" } : { kind: "refused", reason: making.reason };
    }
    return payment.qrText === undefined ? { kind: "unreachable" } : { kind: "created", qrText: payment.qrText };
  }

  /**
   * Records that the till gets the answer that there is no payment. The till may then create its operation again. Late money never makes
   * this payment DONE: the money is returned, or waits for a person (`lateMoney`). `shown`: another call has meanwhile shown the code or
   * told the till an end. `kept`: a till has cancelled the operation, which stays cancelled. `isOwnCancel`: this server has cancelled the
   * payment, because its code was wrong.
   */
  async #free(payment: Payment, isOwnCancel: boolean): Promise<"freed" | "shown" | "kept"> {
    return await this.#services.store.commit(async (tx) => {
      const { qrText, told, cancelled } = await locked(tx, payment.id);
      if (qrText !== undefined || told !== undefined) return "shown";
      if (cancelled && !isOwnCancel) return "kept";
      await updatePayment(tx, payment.id, { freed: 1, cancelled: 1 });
      return "freed";
    }, "outcome");
  }

  async #shown({ id }: Payment): Promise<CreateResult> {
    const stored = await this.#services.store.read((db) => paymentWithRefunds(db, id));
    const qrText = stored?.payment.qrText;
    return qrText === undefined ? { kind: "unreachable" } : { kind: "created", qrText };
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

/**
 * True for a payment that ended before it had a code, when no till has cancelled it or was told of its end. Then another attempt may
 * follow.
 */
function wasNeverShown({ state, qrText, told, cancelled }: Payment): boolean {
  return isRejected(state) && qrText === undefined && told === undefined && !cancelled;
}

/** Returns the operation's existing payment, or a refusal if its point of sale or amount differs from the call's. */
function sameAs(known: Payment, call: TillCall): Begun {
  if (known.storeId !== call.storeId) return { kind: "no-operation" };
  return known.amountKopecks === call.amountKopecks ? { kind: "there", payment: known } : { kind: "conflict" };
}

/** The code's lifetime: the setting, within the acquirer's limits (qr-acquirers 6). */
function codeLifeMs({ account }: OpenAccount, wantedMs: number): number {
  const { expiry } = account.capabilities;
  return expiry.kind === "fixed" ? Math.min(wantedMs, expiry.lifeMs) : Math.min(Math.max(wantedMs, expiry.leastMs), expiry.mostMs);
}
