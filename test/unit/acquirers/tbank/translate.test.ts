import { describe, expect, it } from "vitest";
import type { BankStatus } from "../../../../src/acquirers/acquirer.ts";
import { orderSchema, stateSchema } from "../../../../src/acquirers/tbank/schema.ts";
import { bankPayment, dueMsOf, initFields, paymentOfOrder } from "../../../../src/acquirers/tbank/translate.ts";

const NOW_MS = Date.UTC(2026, 10, 13, 6);
const ORDER_ID = "9b6f0e52-2c1d-4f7e-8a35-6d0f4f3a1c77";

/** The table of qr-acquirers 2. */
const STATUSES: Record<BankStatus, string[]> = {
  waiting: [
    ..."NEW FORM_SHOWED PREAUTHORIZING AUTHORIZING PAY_CHECKING CHECKING CHECKED 3DS_CHECKING 3DS_CHECKED".split(" "),
    ..."AUTHORIZED CONFIRMING CONFIRM_CHECKING REVERSING PARTIAL_REVERSED".split(" "),
  ],
  paid: ["CONFIRMED", "COMPLETED"],
  "partly refunded": ["PARTIAL_REFUNDED"],
  refunded: ["REFUNDED"],
  refunding: ["REFUNDING", "ASYNC_REFUNDING"],
  expired: ["DEADLINE_EXPIRED", "ATTEMPTS_EXPIRED"],
  cancelled: ["CANCELED", "REVERSED"],
  declined: ["REJECTED", "AUTH_FAIL"],
  unknown: ["UNKNOWN", "DREAMING", "confirmed", "constructor", "__proto__"],
};

const state = (members: object) =>
  bankPayment(stateSchema.parse({ PaymentId: "1", OrderId: ORDER_ID, Amount: "25920", ErrorCode: "0", Status: "NEW", ...members }));
const orderOf = (...payments: object[]) =>
  paymentOfOrder(orderSchema.parse({ OrderId: ORDER_ID, Payments: payments.map((each) => ({ Amount: "25920", ...each })) }));

describe("a payment of T-Bank", () => {
  it.each(Object.entries(STATUSES).flatMap(([ours, words]) => words.map((word) => ({ ours, word }))))(
    "is $ours with status $word",
    ({ ours, word }) => {
      const impossible = ["REVERSING", "PARTIAL_REVERSED"].includes(word);
      expect(state({ Status: word })).toMatchObject({ status: ours, rawStatus: word, ...(impossible ? { alert: true } : {}) });
      if (!impossible) expect(state({ Status: word })).not.toHaveProperty("alert");
    },
  );

  it.each([
    ["5060", "insufficient-funds"],
    ["5061", "limit-exceeded"],
    ["5062", "limit-exceeded"],
    ["1051", "declined"],
    ["0", "declined"],
  ])("declined with code %s was declined as %s", (ErrorCode, code) => {
    expect(state({ Status: "REJECTED", ErrorCode }).reason?.code).toBe(code);
  });

  it("of an order is the one with money, else the newest that may still be paid, else the newest", () => {
    const [old, paid, fresh] = [
      { PaymentId: "9", Status: "NEW" },
      { PaymentId: "10", Status: "CONFIRMED" },
      { PaymentId: "11", Status: "NEW" },
    ];
    const rejected = { PaymentId: "12", Status: "REJECTED" };
    expect(orderOf(old, paid, fresh, rejected)?.bankId).toBe("10");
    expect(orderOf(old, fresh, rejected)?.bankId).toBe("11");
    expect(orderOf({ PaymentId: "9", Status: "REJECTED" }, rejected)?.bankId).toBe("12");
    expect(orderOf()).toBeUndefined();
  });
});

describe("an order for T-Bank", () => {
  const order = { paymentId: ORDER_ID, amountKopecks: 25_920, expiresAtMs: NOW_MS + 600_000, description: "x", storeId: "s" };

  it("states kopecks, our id and when the code ends, with the bank's offset", () => {
    expect(initFields(order, dueMsOf(order, NOW_MS))).toEqual({
      Amount: 25_920,
      OrderId: ORDER_ID,
      PayType: "O",
      Description: "x",
      RedirectDueDate: "2026-11-13T09:10:00+03:00",
    });
  });

  it("ends no earlier than the bank takes", () => {
    expect(dueMsOf({ ...order, expiresAtMs: NOW_MS + 1 }, NOW_MS)).toBeGreaterThan(NOW_MS + 60_000);
  });

  it("has a description of at most 140 characters that ends at a whole one", () => {
    const { Description } = initFields({ ...order, description: `${"я".repeat(139)}👍🏽` }, NOW_MS);
    expect(Description).toBe("я".repeat(139));
  });
});
