import type { InstallationKey } from "../../accounts/installation.ts";
import { useUp } from "../../accounts/one-time-tokens.ts";
import { newestEntryId } from "../../journal/qr-sale-queries.ts";
import { deadlineIn, earlier, waitUntil } from "../../kernel/deadline.ts";
import type { PaymentStatus } from "../../model/payment.ts";
import type { Clients } from "../clients.ts";
import { type Payment, paymentOf } from "../payment.ts";
import { newestAttempt, type Tx, updatePayment } from "../payment-queries.ts";
import { refreshStepMs } from "../refresh-times.ts";
import type { PaymentServices } from "../services.ts";
import { statusOf } from "../states.ts";
import type { Turns } from "../turns/turns.ts";
import { lockedNewest } from "./newest-attempt.ts";
import { type CallRefusal, deadlineOf, refuseUnrecorded, type StateResult, type TillCall } from "./till-call.ts";

/** How long the call `state` waits for its own reading. */
const REFRESH_WAIT_MS = 1_200;
/** The longest time of the call `state`, including a reading of the token's key. The till waits 2 s. */
const STATE_LIMIT_MS = 1_800;

/** Answers the state of an operation's payment. An end that was told never changes. */
export class PaymentTelling {
  readonly #services: PaymentServices;
  readonly #clients: Clients;
  readonly #turns: Turns;

  constructor(services: PaymentServices, clients: Clients, turns: Turns) {
    this.#services = services;
    this.#clients = clients;
    this.#turns = turns;
  }

  /** Answers from the store. Waits briefly for the bank only if the last reading is older than the refresh step. */
  async state(call: TillCall): Promise<StateResult> {
    const key = await this.#services.activeInstallation(call.accountId);
    if (key === undefined) return refuseUnrecorded(this.#services.store, call, { kind: "no-account" });
    const first = await this.#services.store.commit(async (tx) => {
      if (!(await useUp(tx, call.token))) return { kind: "token-used" } as const;
      return this.#tell(tx, key, call);
    });
    if (first.kind !== "state" || first.status !== "IN_PROGRESS" || !this.#isStale(first.payment)) return first;
    const { clock, store } = this.#services;
    if (!this.#clients.mayRead(first.payment.merchant)) return first;
    const reading = this.#turns.take(first.payment.id, { read: true, mayAsk: true });
    const deadline = earlier(deadlineIn(clock, REFRESH_WAIT_MS), deadlineOf(call, clock, STATE_LIMIT_MS));
    const waited = await waitUntil(clock, deadline, reading);
    if (waited.kind === "late" || !("payment" in waited.value)) return first;
    return store.commit((tx) => this.#tell(tx, key, call));
  }

  /** Reads the status and stores an end for the till in one transaction, because an end that was told never changes. */
  async #tell(tx: Tx, key: InstallationKey, call: TillCall): Promise<Told | CallRefusal> {
    const row = await newestAttempt(tx, key, call.operationId);
    if (row === undefined || row.freed === 1 || row.store_id !== call.storeId) return { kind: "no-operation" };
    const seen = paymentOf(row);
    if (statusOf(seen) === "IN_PROGRESS" || seen.told !== undefined) return { kind: "state", status: statusOf(seen), payment: seen };
    const payment = await lockedNewest(tx, key, call.operationId);
    if (payment === undefined || payment.freed || payment.storeId !== call.storeId) return { kind: "no-operation" };
    const status = statusOf(payment);
    if (status !== "IN_PROGRESS" && payment.told === undefined) await this.#noteTold(tx, payment, status);
    return { kind: "state", status, payment };
  }

  /**
   * Stores the end that the till is told. With DONE it also stores the id of the journal's newest entry. The payment's sale is searched by
   * this id, which no change of a clock affects.
   */
  async #noteTold(tx: Tx, { id }: Payment, told: Exclude<PaymentStatus, "IN_PROGRESS">): Promise<void> {
    const newest = told === "DONE" ? await newestEntryId(tx) : undefined;
    await updatePayment(tx, id, { told, told_at_ms: this.#services.clock.nowMs(), told_entry_id: newest ?? null });
  }

  /** True when the last reading is older than the refresh step, and no turn runs. */
  #isStale(payment: Payment): boolean {
    const nowMs = this.#services.clock.nowMs();
    const stepMs = refreshStepMs(nowMs - payment.createdAtMs);
    // A reading in the future was stored before the wall clock was set back. Far in the future, it counts as old too.
    const ageMs = Math.abs(nowMs - (payment.readAtMs ?? payment.createdAtMs));
    return ageMs > stepMs && !this.#turns.isRunning(payment.id);
  }
}

interface Told {
  kind: "state";
  status: PaymentStatus;
  payment: Payment;
}
