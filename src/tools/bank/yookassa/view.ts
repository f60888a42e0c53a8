import { qrText, uuidOf } from "../engine/made-values.ts";
import { type DeclineReason, type Payment, type Refund, refundableKopecks, refundedKopecks } from "../engine/payment.ts";
import { amountJson } from "./amount.ts";

type Status = "pending" | "succeeded" | "canceled";

export function statusOf({ state }: Payment): Status {
  switch (state.kind) {
    case "waiting":
      return "pending";
    case "paid":
      return "succeeded";
    case "declined":
    case "expired":
    case "cancelled":
      return "canceled";
  }
}

/** The number of the acquirer's settlement bank in QR codes. */
const QR_BANK = "100000000022";

const DECLINES: Readonly<Record<DeclineReason, string>> = {
  "insufficient-funds": "insufficient_funds",
  limit: "payment_method_limit_exceeded",
  refused: "general_decline",
};

/** Returns the payment as the API shows it. `confirmation` is present only while the payment waits. */
export function paymentJson(payment: Payment, seed: number, shopId: string): Record<string, unknown> {
  const { id, amountKopecks, order, state } = payment;
  const isPaid = state.kind === "paid";
  const refunded = refundedKopecks(payment);
  return {
    id,
    status: statusOf(payment),
    amount: amountJson(amountKopecks),
    ...(order.description === undefined ? {} : { description: order.description }),
    recipient: { account_id: shopId, gateway_id: String(Number(shopId) + 1) },
    payment_method: { type: "sbp", id, saved: false, status: "inactive" },
    ...(isPaid ? { captured_at: momentJson(state.atMs) } : {}),
    created_at: momentJson(payment.createdAtMs),
    ...(state.kind === "waiting" ? { confirmation: confirmationJson(payment, seed) } : {}),
    ...(isPaid ? { refunded_amount: amountJson(refunded) } : {}),
    test: true,
    paid: isPaid,
    refundable: refundableKopecks(payment) > 0,
    metadata: order.metadata ?? {},
    ...cancellationJson(payment),
  };
}

export function refundJson(payment: Payment, refund: Refund): Record<string, unknown> {
  return {
    id: refund.id,
    payment_id: payment.id,
    status: { pending: "pending", done: "succeeded", refused: "canceled" }[refund.state],
    created_at: momentJson(refund.askedAtMs),
    amount: amountJson(refund.amountKopecks),
    ...(refund.description === undefined ? {} : { description: refund.description }),
    ...(refund.state === "refused" ? { cancellation_details: { party: "payment_network", reason: "general_decline" } } : {}),
  };
}

function momentJson(ms: number): string {
  return new Date(ms).toISOString();
}

function confirmationJson({ id, amountKopecks, order }: Payment, seed: number): Record<string, unknown> {
  if (order.show === "code") return { type: "qr", confirmation_data: qrText({ bank: QR_BANK, amountKopecks, seed, payment: id }) };
  return { type: "redirect", confirmation_url: `https://yoomoney.ru/checkout/payments/v2/contract?orderId=${uuidOf(seed, "address", id)}` };
}

function cancellationJson({ state }: Payment): Record<string, unknown> {
  switch (state.kind) {
    case "expired":
      return { cancellation_details: { party: "yoo_money", reason: "expired_on_confirmation" } };
    case "declined":
      return { cancellation_details: { party: "payment_network", reason: DECLINES[state.reason] } };
    case "cancelled":
      return { cancellation_details: { party: "merchant", reason: "canceled_by_merchant" } };
    case "waiting":
    case "paid":
      return {};
  }
}
