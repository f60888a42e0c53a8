import { numberOf } from "../engine/made-values.ts";
import { type Payment, pendingRefund, refundableKopecks, refundedKopecks } from "../engine/payment.ts";
import type { Payments } from "../engine/payments.ts";
import type { Cause } from "./causes.ts";
import { type Fields, type FORMS, readForm } from "./schema.ts";
import { codeOf, lastRefund, orderLine, REFUND_REFUSED, statusOf } from "./view.ts";

/** The limits of an amount and of the payment time (qr-acquirers 4.3). */
const MIN_KOPECKS = 1_000;
const MAX_KOPECKS = 100_000_000;
const MIN_LIFE_MS = 60_000;
const MAX_LIFE_MS = 90 * 86_400_000;
const DEFAULT_LIFE_MS = 86_400_000;

/**
 * How often one payment may be refunded: once an hour, five times in 24 hours (qr-acquirers 4.8, codes 3029 and 3030). Only accepted
 * refunds count.
 */
const ATTEMPT_EVERY_MS = 3_600_000;
const ATTEMPTS_A_DAY = 5;
const DAY_MS = 86_400_000;

type Result =
  | { readonly kind: "done"; readonly fields: Record<string, unknown>; readonly changedBank: boolean; readonly firstShownPayment?: string }
  | { readonly kind: "refused"; readonly cause: Cause; readonly details: string };

type CallName = keyof typeof FORMS;

/** Returns the handler of the call in the path. Undefined: no such call. */
export function callNamed(path: string): ((values: unknown, payments: Payments) => Result) | undefined {
  const name = path.slice(1);
  return Object.hasOwn(CALLS, name) ? CALLS[name as CallName] : undefined;
}

const CALLS: Readonly<Record<CallName, (values: unknown, payments: Payments) => Result>> = {
  Init: called("Init", init),
  GetQr: called("GetQr", ofPayment(getQr)),
  GetState: called("GetState", ofPayment(getState)),
  CheckOrder: called("CheckOrder", checkOrder),
  Cancel: called("Cancel", ofPayment(cancel)),
  GetQrState: called("GetQrState", ofPayment(getQrState)),
  SbpPayTest: called("SbpPayTest", ofPayment(sbpPayTest)),
};

function called<Name extends CallName>(name: Name, work: (fields: Fields<Name>, payments: Payments) => Result) {
  return (values: unknown, payments: Payments): Result => {
    const read = readForm(name, values);
    return read.kind === "wrong" ? refused("wrongForm", read.details) : work(read.value, payments);
  };
}

function ofPayment<F extends { PaymentId: string }>(work: (payment: Payment, fields: F, payments: Payments) => Result) {
  return (fields: F, payments: Payments): Result => {
    const payment = payments.payment(fields.PaymentId);
    return payment === undefined ? refused("unknownPayment", `PaymentId ${fields.PaymentId}`) : work(payment, fields, payments);
  };
}

function init(fields: Fields<"Init">, payments: Payments): Result {
  const { Amount, OrderId, RedirectDueDate, NotificationURL, Description } = fields;
  const nowMs = payments.nowMs();
  const expiresAtMs = RedirectDueDate ?? nowMs + DEFAULT_LIFE_MS;
  const before = payments.byOrder(OrderId);
  if (before?.state.kind === "paid") return refused("alreadyPaid", `OrderId ${OrderId}`);
  if (before !== undefined) return refused("wrongTransactionStatus", "Заказ с таким order_id уже существует.");
  if (Amount < MIN_KOPECKS || Amount > MAX_KOPECKS) return refused("amountOutOfRange", `От ${MIN_KOPECKS} до ${MAX_KOPECKS} копеек.`);
  if (expiresAtMs - nowMs < MIN_LIFE_MS || expiresAtMs - nowMs > MAX_LIFE_MS) {
    return refused("expiryOutOfRange", "RedirectDueDate: от 1 минуты до 90 дней.");
  }
  if (payments.isFull) return refused("internal", "This fake bank is full: begin anew with another --data");
  const payment = payments.create({
    id: paymentIdOf(payments),
    orderId: OrderId,
    amountKopecks: Amount,
    expiresAtMs,
    order: {
      show: "code",
      ...(Description === undefined ? {} : { description: Description }),
      ...(NotificationURL === undefined ? {} : { notifyUrl: NotificationURL }),
    },
  });
  const address = { PaymentURL: `https://securepay.tinkoff.ru/new/${payment.id}` };
  return done({ ...stateOf(payment), ...address }, { changedBank: true });
}

function getQr(payment: Payment, _: Fields<"GetQr">, payments: Payments): Result {
  if (payment.state.kind !== "waiting") return refused("wrongTransactionStatus", `Статус ${statusOf(payment)}.`);
  const isFirst = !payment.codeShown;
  if (isFirst) payments.showCode(payment);
  const fields = { OrderId: payment.orderId, PaymentId: Number(payment.id), Data: codeOf(payment, payments.seed) };
  return done(fields, isFirst ? { changedBank: true, firstShownPayment: payment.id } : {});
}

function getState(payment: Payment): Result {
  return done(stateOf(payment));
}

function checkOrder({ OrderId }: Fields<"CheckOrder">, payments: Payments): Result {
  const payment = payments.byOrder(OrderId);
  return done({ OrderId, Payments: payment === undefined ? [] : [orderLine(payment, payments.seed)] });
}

function cancel(payment: Payment, { Amount }: Fields<"Cancel">, payments: Payments): Result {
  const before = refundableKopecks(payment);
  switch (payment.state.kind) {
    case "declined":
    case "expired":
    case "cancelled":
      return refused("wrongStatus", `Статус ${statusOf(payment)}.`);
    case "waiting": {
      const after = payments.cancel(payment);
      return done({ ...cancelled(after), OriginalAmount: payment.amountKopecks, NewAmount: 0 }, { changedBank: true });
    }
    case "paid": {
      const counted = payments.countRefundAttempt(payment);
      const refusal = refundRefusal(counted, Amount ?? before, payments.nowMs());
      if (refusal !== undefined) return refusal;
      const amountKopecks = Amount ?? before;
      const [after] = payments.refund(counted, { amountKopecks });
      return done({ ...cancelled(after), OriginalAmount: before, NewAmount: before - amountKopecks }, { changedBank: true });
    }
  }
}

function refundRefusal(payment: Payment, amountKopecks: number, nowMs: number): Result | undefined {
  const left = refundableKopecks(payment);
  if (left === 0 && pendingRefund(payment) === undefined) return refused("wrongStatus", `Статус ${statusOf(payment)}.`);
  const ages = payment.refunds.map(({ askedAtMs }) => nowMs - askedAtMs);
  if (ages.filter((ageMs) => ageMs < DAY_MS).length >= ATTEMPTS_A_DAY) return refused("fivePerDay", "Повторите завтра.");
  if (ages.some((ageMs) => ageMs < ATTEMPT_EVERY_MS)) return refused("oncePerHour", "Повторите через час.");
  if (pendingRefund(payment) !== undefined) return refused("wrongTransactionStatus", "Возврат ещё выполняется.");
  if (amountKopecks > left) return refused("wrongForm", `Amount: к возврату осталось ${left} копеек.`);
  return undefined;
}

/**
 * Tells whether the last refund was refused. A refused refund does not change the payment, so `Status` is always the payment's status.
 * `Amount` is the sum of all done refunds.
 */
function getQrState(payment: Payment): Result {
  const refusal = lastRefund(payment)?.state === "refused" ? REFUND_REFUSED : {};
  return done({ OrderId: payment.orderId, Status: statusOf(payment), Amount: refundedKopecks(payment), ...refusal });
}

function sbpPayTest(payment: Payment, fields: Fields<"SbpPayTest">, payments: Payments): Result {
  if (payment.state.kind !== "waiting") return refused("wrongTransactionStatus", `Статус ${statusOf(payment)}.`);
  if (fields.IsDeadlineExpired) payments.expire(payment);
  else if (fields.IsRejected) payments.decline(payment, "insufficient-funds");
  else payments.pay(payment);
  return done({}, { changedBank: true });
}

function stateOf(payment: Payment): Record<string, unknown> {
  return { OrderId: payment.orderId, PaymentId: payment.id, Status: statusOf(payment), Amount: payment.amountKopecks };
}

function cancelled({ id, orderId, ...payment }: Payment): Record<string, unknown> {
  return { OrderId: orderId, PaymentId: id, Status: statusOf({ id, orderId, ...payment }) };
}

/** Payment ids have ten digits and increase, like the real bank's ids. */
function paymentIdOf(payments: Payments): string {
  return String(4_000_000_000 + numberOf(900_000_000, payments.seed, "payment ids") + payments.count);
}

function done(fields: Record<string, unknown>, more: { changedBank?: boolean; firstShownPayment?: string } = {}): Result {
  return { kind: "done", fields, changedBank: false, ...more };
}

function refused(cause: Cause, details: string): Result {
  return { kind: "refused", cause, details };
}
