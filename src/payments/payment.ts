import type { InstallationKey } from "../accounts/installation.ts";
import { PAYMENT_STATES, type PaymentReason, type PaymentState, REFUND_STATES, type RefundState, type Told } from "../model/payment.ts";
import { jsonIn, type RowPlace, wordIn } from "../store/columns.ts";
import type { PaymentRow, RefundRow } from "../store/payment-tables.ts";
import { reasonSchema } from "./reason-schema.ts";
import { PAYMENT_DOUBTS, type PaymentDoubt } from "./states.ts";

export interface Payment extends InstallationKey {
  /** The payment's id. The bank stores it with its payment. */
  id: string;
  operationId: string;
  attempt: number;
  storeId: string;
  acquirer: string;
  merchant: string;
  amountKopecks: number;
  state: PaymentState;
  doubt?: PaymentDoubt;
  told?: Told;
  cancelled: boolean;
  /** No till was shown a code of the payment, and no till uses the payment any more. A new attempt may use the operation's id. */
  freed: boolean;
  refundedKopecks: number;
  createdAtMs: number;
  movedAtMs: number;
  expiresAtMs: number;
  bankExpiresAtMs?: number;
  readAtMs?: number;
  /** When the bank is read next. Absent: never. */
  nextReadAtMs?: number;
  paidAtMs?: number;
  toldAtMs?: number;
  /** The journal's newest entry when the till was told DONE. Absent: the till was not told DONE, or the journal was empty. */
  toldEntryId?: number;
  late?: { amountKopecks: number; state: LateState };
  saleEntryId?: number;
  bankId?: string;
  rawStatus?: string;
  description: string;
  qrText?: string;
  reason?: PaymentReason;
}

/** What happens to money that came after the end: `refund` returns it, `person` leaves it to a person. */
export type LateState = "refund" | "person";

export interface Refund {
  number: number;
  amountKopecks: number;
  state: RefundState;
  cause: RefundCause;
  askedAtMs: number;
  attempts: number;
  triedAtMs?: number;
  nextTryAtMs?: number;
  /** The refunded sum at the bank before this refund's first attempt. */
  beforeKopecks?: number;
  bankRefundId?: string;
  reason?: PaymentReason;
}

/**
 * `till`: the till returns money after DONE. `cancel`: the buyer paid before a cancel took effect. `late`: money came after the end.
 * `person`: a person ordered the refund.
 */
const REFUND_CAUSES = ["till", "cancel", "late", "person"] as const;
export type RefundCause = (typeof REFUND_CAUSES)[number];

/** True for a refund that will be or was sent and has not ended. False for a refund that waits for a person. */
export function isUnderWay({ state }: Pick<Refund, "state">): boolean {
  return state === "queued" || state === "sent" || state === "accepted";
}

/**
 * The sum that may still be returned, in kopecks. The sum of a refund that waits for a person is subtracted: the refund may have been
 * carried out.
 */
export function remainingKopecks(
  payment: Pick<Payment, "amountKopecks">,
  refunds: readonly Pick<Refund, "amountKopecks" | "state">[],
): number {
  const taken = refunds.filter(({ state }) => state !== "refused").reduce((sum, { amountKopecks }) => sum + amountKopecks, 0);
  return payment.amountKopecks - taken;
}

/** Throws `payment-unreadable` when a column has an unknown or malformed value, because no decision may use such a row. */
export function paymentOf(row: PaymentRow): Payment {
  const place = placeOf("payments", row.id);
  return {
    id: row.id,
    appId: row.app_id,
    accountId: row.account_id,
    operationId: row.operation_id,
    attempt: row.attempt,
    storeId: row.store_id,
    acquirer: row.acquirer,
    merchant: row.merchant,
    amountKopecks: row.amount_kopecks,
    state: wordIn(place, "state", row.state, PAYMENT_STATES),
    cancelled: row.cancelled === 1,
    freed: row.freed === 1,
    refundedKopecks: row.refunded_kopecks,
    createdAtMs: row.created_at_ms,
    movedAtMs: row.moved_at_ms,
    expiresAtMs: row.expires_at_ms,
    description: row.description,
    ...(row.doubt === null ? {} : { doubt: wordIn(place, "doubt", row.doubt, PAYMENT_DOUBTS) }),
    ...(row.told === null ? {} : { told: wordIn(place, "told", row.told, TOLD) }),
    ...(row.late_kopecks === null
      ? {}
      : { late: { amountKopecks: row.late_kopecks, state: wordIn(place, "late_state", row.late_state ?? "", LATE_STATES) } }),
    ...(row.reason === null ? {} : { reason: jsonIn(place, "reason", row.reason, reasonSchema) }),
    ...known({
      bankExpiresAtMs: row.bank_expires_at_ms,
      readAtMs: row.read_at_ms,
      nextReadAtMs: row.next_read_at_ms,
      paidAtMs: row.paid_at_ms,
      toldAtMs: row.told_at_ms,
      toldEntryId: row.told_entry_id,
      saleEntryId: row.sale_entry_id,
      bankId: row.bank_id,
      rawStatus: row.raw_status,
      qrText: row.qr_text,
    }),
  };
}

/** Throws `payment-unreadable` as `paymentOf` does. */
export function refundOf(row: RefundRow): Refund {
  const place = placeOf("payment_refunds", `${row.payment_id}/${row.number}`);
  return {
    number: row.number,
    amountKopecks: row.amount_kopecks,
    state: wordIn(place, "state", row.state, REFUND_STATES),
    cause: wordIn(place, "cause", row.cause, REFUND_CAUSES),
    askedAtMs: row.asked_at_ms,
    attempts: row.attempts,
    ...(row.reason === null ? {} : { reason: jsonIn(place, "reason", row.reason, reasonSchema) }),
    ...known({
      triedAtMs: row.tried_at_ms,
      nextTryAtMs: row.next_try_at_ms,
      beforeKopecks: row.before_kopecks,
      bankRefundId: row.bank_refund_id,
    }),
  };
}

const TOLD: readonly Told[] = ["DONE", "REJECTED"];
const LATE_STATES: readonly LateState[] = ["refund", "person"];

function placeOf(table: "payments" | "payment_refunds", row: string): RowPlace {
  return { failure: "payment-unreadable", table, row };
}

function known<T extends object>(columns: T): { [Name in keyof T]?: NonNullable<T[Name]> } {
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== null)) as { [Name in keyof T]?: NonNullable<T[Name]> };
}
