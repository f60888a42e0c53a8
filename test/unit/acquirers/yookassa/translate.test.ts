import { describe, expect, it } from "vitest";
import { judge } from "../../../../src/acquirers/yookassa/failures.ts";
import { paymentSchema, refundSchema } from "../../../../src/acquirers/yookassa/schema.ts";
import {
  bankPayment,
  createdFrom,
  createKey,
  paymentBody,
  refundBody,
  refundKey,
  refundReading,
} from "../../../../src/acquirers/yookassa/translate.ts";

const PAYMENT_ID = "9b6f0e52-2c1d-4f7e-8a35-6d0f4f3a1c77";
const CREATED = "2026-11-13T06:00:00.000Z";
const order = { paymentId: PAYMENT_ID, amountKopecks: 25_920, expiresAtMs: 0, description: "Receipt 00031", storeId: "store-1" };

const payment = (members: object = {}) =>
  paymentSchema.parse({
    id: "2c5d",
    status: "pending",
    amount: { value: "259.20", currency: "RUB" },
    created_at: CREATED,
    metadata: { payment_id: PAYMENT_ID },
    confirmation: { type: "qr", confirmation_data: "https://qr.nspk.ru/A" },
    ...members,
  });
const canceled = (reason: string) => payment({ status: "canceled", cancellation_details: { party: "payment_network", reason } });

describe("a payment of YooKassa", () => {
  it.each([
    ["pending", payment(), "waiting"],
    ["waiting_for_capture", payment({ status: "waiting_for_capture" }), "waiting"],
    ["succeeded", payment({ status: "succeeded" }), "paid"],
    ["succeeded, nothing refunded", payment({ status: "succeeded", refunded_amount: { value: "0.00", currency: "RUB" } }), "paid"],
    ["partly refunded", payment({ status: "succeeded", refunded_amount: { value: "1.00", currency: "RUB" } }), "partly refunded"],
    ["refunded", payment({ status: "succeeded", refunded_amount: { value: "259.20", currency: "RUB" } }), "refunded"],
    ["canceled at its end", canceled("expired_on_confirmation"), "expired"],
    ["canceled by the merchant", canceled("canceled_by_merchant"), "cancelled"],
    ["canceled by the bank", canceled("general_decline"), "declined"],
    ["canceled for a new reason", canceled("bad_mood"), "declined"],
    ["canceled without a reason", payment({ status: "canceled" }), "declined"],
    ["unlisted", payment({ status: "dreaming" }), "unknown"],
    ["named like a member of every object", payment({ status: "constructor" }), "unknown"],
    ["canceled for a reason named like one", canceled("constructor"), "declined"],
  ])("that is %s", (_title, shown, status) => {
    expect(bankPayment(shown)).toMatchObject({ status, amountKopecks: 25_920, currency: "RUB", paymentId: PAYMENT_ID });
    expect(bankPayment(shown).alert).toBe(shown.status === "waiting_for_capture" ? true : undefined);
  });

  it.each([
    ["insufficient_funds", "insufficient-funds"],
    ["payment_method_limit_exceeded", "limit-exceeded"],
    ["internal_timeout", "declined"],
  ])("canceled as %s was declined for %s", (reason, code) => {
    expect(bankPayment(canceled(reason)).reason).toEqual({ code, bankCode: reason });
  });

  it("gives the text of its code in both forms of the confirmation, and ends an hour after it was made", () => {
    const expiresAtMs = Date.parse(CREATED) + 3_600_000;
    expect(createdFrom(payment(), order, 0)).toEqual({ kind: "created", bankId: "2c5d", qrText: "https://qr.nspk.ru/A", expiresAtMs });
    const redirect = payment({ confirmation: { type: "redirect", confirmation_url: "https://yoomoney.example/pay" } });
    expect(createdFrom(redirect, order, 0)).toMatchObject({ kind: "created", qrText: "https://yoomoney.example/pay" });
  });

  it.each([
    ["another amount", { amount: { value: "259.21", currency: "RUB" } }],
    ["another currency", { amount: { value: "259.20", currency: "USD" } }],
    ["another payment of ours", { metadata: { payment_id: "other" } }],
  ])("with %s shows no code", (_title, members) => {
    expect(createdFrom(payment(members), order, 0)).toMatchObject({ kind: "begun", mismatch: true });
  });

  it.each(["259.205", "-1.00", "1,00", "", "NaN"])("with the amount %j is not as documented", (value) => {
    expect(paymentSchema.safeParse({ id: "1", status: "pending", amount: { value, currency: "RUB" } }).success).toBe(false);
  });
});

describe("an order for YooKassa", () => {
  it("is a payment in one stage by SBP, without a receipt", () => {
    expect(JSON.parse(paymentBody(order))).toEqual({
      amount: { value: "259.20", currency: "RUB" },
      capture: true,
      payment_method_data: { type: "sbp" },
      confirmation: { type: "qr" },
      description: "Receipt 00031",
      metadata: { payment_id: PAYMENT_ID, store_id: "store-1" },
    });
  });

  it("has keys of at most 64 characters, one for the payment and one for each refund", () => {
    const refund = { paymentId: PAYMENT_ID, bankId: "2c5d", number: 12, amountKopecks: 5, paidKopecks: 9, refundedBeforeKopecks: 0 };
    expect(createKey(PAYMENT_ID)).toBe(`${PAYMENT_ID}create`);
    expect(refundKey(refund)).toBe(`${PAYMENT_ID}refund12`);
    expect(refundKey({ ...refund, number: 999_999 }).length).toBeLessThanOrEqual(64);
    expect(JSON.parse(refundBody(refund))).toEqual({ payment_id: "2c5d", amount: { value: "0.05", currency: "RUB" } });
  });

  it.each([
    ["pending", {}, { kind: "pending" }],
    ["succeeded", {}, { kind: "done" }],
    ["canceled", { reason: "insufficient_funds" }, { kind: "refused", reason: { code: "merchant-funds" } }],
    ["canceled", { reason: "general_decline" }, { kind: "refused", reason: { code: "buyer-bank" }, next: "person" }],
    ["dreaming", {}, { kind: "unknown" }],
  ])("has a refund that is %s with %o", (status, cancellation_details, reading) => {
    const refund = { id: "r", payment_id: "2c5d", status, amount: { value: "0.05", currency: "RUB" }, cancellation_details };
    expect(refundReading(refundSchema.parse(refund))).toMatchObject(reading);
  });
});

describe("an answer of YooKassa", () => {
  it.each([
    [200, "done"],
    [201, "unknown"],
    [202, "unknown"],
    [302, "unknown"],
    [400, "refused"],
    [401, "refused"],
    [403, "refused"],
    [404, "refused"],
    [405, "refused"],
    [409, "unknown"],
    [415, "refused"],
    [429, "busy"],
    [500, "unknown"],
    [503, "unknown"],
  ])("with HTTP %i is %s", (status, kind) => {
    expect(judge({ kind: "answer", status, members: { type: "error", code: "x" } }).kind).toBe(kind);
    if (kind !== "busy") expect(judge({ kind: "unreadable", status, problem: "page" }).kind).toBe("unknown");
  });
});
