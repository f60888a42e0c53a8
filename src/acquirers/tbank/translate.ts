import type { z } from "zod";
import { present } from "../../kernel/present.ts";
import type { PaymentReason } from "../../model/payment.ts";
import type { BankPayment, BankStatus, PaymentOrder } from "../acquirer.ts";
import { entryOf } from "../own-entry.ts";
import { cutAtCharacter } from "../texts.ts";
import { declineReason } from "./failures.ts";
import type { orderSchema, stateSchema } from "./schema.ts";

/** Longest description (qr-acquirers 4.3). The buyer's bank shows it. */
const MAX_DESCRIPTION = 140;
/** A code must be valid for at least a minute after the bank reads the request. */
export const LEAST_LIFE_MS = 60_000;
/** The longest time that a request is expected to travel to the bank. */
const TRAVEL_MS = 3_000;
const SECOND_MS = 1_000;
/** Moscow's offset from UTC. The bank gets times with this offset. */
const MOSCOW_AHEAD_MS = 3 * 60 * 60 * 1000;

/** Statuses of a payment (qr-acquirers 2). */
const STATUSES: Readonly<Record<string, BankStatus>> = {
  NEW: "waiting",
  FORM_SHOWED: "waiting",
  PREAUTHORIZING: "waiting",
  AUTHORIZING: "waiting",
  PAY_CHECKING: "waiting",
  CHECKING: "waiting",
  CHECKED: "waiting",
  "3DS_CHECKING": "waiting",
  "3DS_CHECKED": "waiting",
  // The bank may already hold the money, but that is no payment yet.
  AUTHORIZED: "waiting",
  CONFIRMING: "waiting",
  CONFIRM_CHECKING: "waiting",
  CONFIRMED: "paid",
  COMPLETED: "paid",
  PARTIAL_REFUNDED: "partly refunded",
  REFUNDED: "refunded",
  REFUNDING: "refunding",
  ASYNC_REFUNDING: "refunding",
  DEADLINE_EXPIRED: "expired",
  ATTEMPTS_EXPIRED: "expired",
  CANCELED: "cancelled",
  REVERSED: "cancelled",
  REJECTED: "declined",
  AUTH_FAIL: "declined",
  REVERSING: "waiting",
  PARTIAL_REVERSED: "waiting",
};

/** Statuses that a one-stage payment never has. */
const IMPOSSIBLE = ["REVERSING", "PARTIAL_REVERSED"];

export function statusOf(rawStatus: string): BankStatus {
  return entryOf(STATUSES, rawStatus) ?? "unknown";
}

/** Returns when the code ends: at the order's time, rounded up to a whole second, but not earlier than the bank accepts. */
export function dueMsOf(order: PaymentOrder, nowMs: number): number {
  return Math.ceil(Math.max(order.expiresAtMs, nowMs + LEAST_LIFE_MS + TRAVEL_MS) / SECOND_MS) * SECOND_MS;
}

export function initFields(order: PaymentOrder, dueMs: number): Record<string, string | number> {
  const description = cutAtCharacter(order.description, MAX_DESCRIPTION);
  return {
    Amount: order.amountKopecks,
    OrderId: order.paymentId,
    // O: payment in one stage.
    PayType: "O",
    RedirectDueDate: `${new Date(dueMs + MOSCOW_AHEAD_MS).toISOString().slice(0, 19)}+03:00`,
    ...(description === "" ? {} : { Description: description }),
    ...(order.notificationUrl === undefined ? {} : { NotificationURL: order.notificationUrl }),
  };
}

export function bankPayment(state: z.infer<typeof stateSchema>): BankPayment {
  return paymentOf({ ...state, orderId: state.OrderId });
}

/**
 * Of an order's payments, returns the newest that brought money, else the newest that has not ended, else the newest. Undefined: the order
 * has no payments.
 */
export function paymentOfOrder({ OrderId: orderId, Payments: payments = [] }: z.infer<typeof orderSchema>): BankPayment | undefined {
  const newestFirst = payments
    .map((payment) => paymentOf({ ...payment, orderId }))
    .sort((a, b) => idAsNumber(b.bankId) - idAsNumber(a.bankId));
  return newestFirst.find(hasMoney) ?? newestFirst.find(({ status }) => !ENDED.includes(status)) ?? newestFirst[0];
}

const WITH_MONEY: readonly BankStatus[] = ["paid", "refunding", "partly refunded", "refunded"];
const ENDED: readonly BankStatus[] = ["declined", "expired", "cancelled"];

function hasMoney({ status }: BankPayment): boolean {
  return WITH_MONEY.includes(status);
}

/** Payment ids are growing numbers. Sorting needs no exact value. An id that is no number counts as the oldest. */
function idAsNumber(bankId: string): number {
  const number = Number(bankId);
  return Number.isFinite(number) ? number : 0;
}

interface StatedPayment {
  PaymentId: string;
  Amount: number;
  Status: string;
  ErrorCode?: string | undefined;
  Message?: string | undefined;
  orderId: string;
}

function paymentOf(stated: StatedPayment): BankPayment {
  const status = statusOf(stated.Status);
  return {
    bankId: stated.PaymentId,
    status,
    rawStatus: stated.Status,
    amountKopecks: stated.Amount,
    paymentId: stated.orderId,
    ...present({ reason: reasonOf(status, stated) }),
    ...(IMPOSSIBLE.includes(stated.Status) ? { alert: true } : {}),
  };
}

function reasonOf(status: BankStatus, { Status: rawStatus, ErrorCode: code, Message: message }: StatedPayment): PaymentReason | undefined {
  if (status === "declined") return declineReason(code, message) ?? { code: "declined", bankCode: rawStatus };
  if (status === "expired" || status === "cancelled") return { code: status, bankCode: rawStatus };
  return undefined;
}
