import { numberOf, uuidOf } from "../engine/made-values.ts";
import { type Payment, refundableKopecks } from "../engine/payment.ts";
import type { Payments } from "../engine/payments.ts";
import type { Refusal } from "./refusal.ts";
import { type ListQuery, type PaymentBody, type RefundBody, readListQuery, readPaymentBody, readRefundBody } from "./schema.ts";
import { paymentJson, refundJson, statusOf } from "./view.ts";

/** The time for an SBP payment, which a merchant cannot change (qr-acquirers 3.4). */
const PAYING_WINDOW_MS = 3_600_000;
/** A payment can be refunded for three years (qr-acquirers 3.3), here with 366 days each. */
const REFUNDABLE_FOR_MS = 3 * 366 * 86_400_000;

export type Result =
  | { readonly kind: "done"; readonly body: Record<string, unknown>; readonly changedBank: boolean; readonly firstShownPayment?: string }
  | { readonly kind: "refused"; readonly refusal: Refusal };

interface Shop {
  readonly payments: Payments;
  readonly shopId: string;
}

export function createPayment(shop: Shop, bytes: Buffer): Result {
  const read = readPaymentBody(bytes);
  if (read.kind === "refused") return read;
  const { payments } = shop;
  if (payments.isFull) return refused("invalid_request", "This fake bank is full: begin anew with another --data");
  const { amount, description, metadata, confirmation } = read.value;
  const created = payments.create({
    id: uuidOf(payments.seed, "payment", payments.count),
    orderId: orderIdOf(metadata),
    amountKopecks: amount,
    expiresAtMs: payments.nowMs() + PAYING_WINDOW_MS,
    order: {
      show: confirmation.type === "qr" ? "code" : "address",
      ...(description === undefined ? {} : { description }),
      ...(metadata === undefined ? {} : { metadata }),
    },
  });
  const payment = payments.showCode(created);
  return { kind: "done", body: view(shop, payment), changedBank: true, firstShownPayment: payment.id };
}

export function readPayment(shop: Shop, id: string): Result {
  const payment = shop.payments.payment(id);
  return payment === undefined ? unknown("payment") : { kind: "done", body: view(shop, payment), changedBank: false };
}

/** Lists the newest payments first. The cursor is the id of the last payment of the previous page. */
export function listPayments(shop: Shop, query: URLSearchParams): Result {
  const read = readListQuery(query);
  if (read.kind === "refused") return read;
  const { cursor, limit } = read.value;
  const newestFirst = [...shop.payments.all()].reverse();
  const begin = cursor === undefined ? 0 : newestFirst.findIndex(({ id }) => id === cursor) + 1;
  if (cursor !== undefined && begin === 0) return refused("invalid_request", "The cursor is unknown", "cursor");
  const matching = newestFirst.slice(begin).filter((payment) => isListed(payment, read.value));
  const items = matching.slice(0, limit);
  const last = items.at(-1);
  const next = matching.length > limit && last !== undefined ? { next_cursor: last.id } : {};
  return { kind: "done", body: { type: "list", items: items.map((payment) => view(shop, payment)), ...next }, changedBank: false };
}

/**
 * Refuses every cancellation: only a payment that waits for its capture can be cancelled, and an SBP payment has no capture (qr-acquirers
 * 3.3).
 */
export function cancelPayment({ payments }: Shop, id: string): Result {
  const payment = payments.payment(id);
  if (payment === undefined) return unknown("payment");
  return refused("invalid_request", `A payment with status ${statusOf(payment)} cannot be canceled`);
}

export function createRefund({ payments }: Shop, bytes: Buffer): Result {
  const read = readRefundBody(bytes);
  if (read.kind === "refused") return read;
  const { payment_id, amount, description }: RefundBody = read.value;
  const found = payments.payment(payment_id);
  if (found === undefined) return refused("not_found", "The payment is unknown", "payment_id");
  const payment = payments.countRefundAttempt(found);
  if (payment.state.kind !== "paid") return refused("invalid_request", "Only a succeeded payment can be refunded", "payment_id");
  if (payments.nowMs() - payment.state.atMs > REFUNDABLE_FOR_MS) {
    return refused("invalid_request", "A payment can be refunded for three years", "payment_id");
  }
  if (amount > refundableKopecks(payment)) return refused("invalid_request", "The refund exceeds what is left of the payment", "amount");
  const wanted = { amountKopecks: amount, ...(description === undefined ? {} : { description }) };
  const [after, refund] = payments.refund(payment, wanted);
  return { kind: "done", body: refundJson(after, refund), changedBank: true };
}

export function readRefund({ payments }: Shop, id: string): Result {
  const payment = payments.byRefund(id);
  const refund = payment?.refunds.find((each) => each.id === id);
  if (payment === undefined || refund === undefined) return unknown("refund");
  return { kind: "done", body: refundJson(payment, refund), changedBank: false };
}

/** Returns the id of the test shop: six digits, like the ids of real shops. */
export function shopIdOf(seed: number): string {
  return String(100_000 + numberOf(900_000, seed, "shop"));
}

/** The merchant's order id is the first metadata value whose name contains `order` or `payment`. */
function orderIdOf(metadata: PaymentBody["metadata"]): string | null {
  const entries = Object.entries(metadata ?? {});
  const found = entries.find(([name]) => /order|payment/i.test(name));
  return found?.[1] ?? null;
}

function isListed(payment: Payment, query: ListQuery): boolean {
  const atMs = payment.createdAtMs;
  return (
    atMs >= (query["created_at.gte"] ?? Number.NEGATIVE_INFINITY) &&
    atMs > (query["created_at.gt"] ?? Number.NEGATIVE_INFINITY) &&
    atMs <= (query["created_at.lte"] ?? Number.POSITIVE_INFINITY) &&
    atMs < (query["created_at.lt"] ?? Number.POSITIVE_INFINITY) &&
    (query.status === undefined || query.status === statusOf(payment))
  );
}

function view({ payments, shopId }: Shop, payment: Payment): Record<string, unknown> {
  return paymentJson(payment, payments.seed, shopId);
}

function unknown(what: string): Result {
  return refused("not_found", `The ${what} is unknown`, "id");
}

function refused(code: Refusal["code"], description: string, parameter?: string): Result {
  return { kind: "refused", refusal: { code, description, ...(parameter === undefined ? {} : { parameter }) } };
}
