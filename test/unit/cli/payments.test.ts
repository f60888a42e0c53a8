import { describe, expect, it } from "vitest";
import { storyJson } from "../../../src/cli/payments/payment-json.ts";
import { storyLines } from "../../../src/cli/payments/tables.ts";
import { reconcileText, refundObstacleText, settleObstacleText } from "../../../src/cli/payments/words.ts";
import type { PaymentStory } from "../../../src/operator/payments/payment-story.ts";

const AT_MS = Date.UTC(2026, 10, 29, 9);

function story(change: Partial<PaymentStory["payment"]> = {}): PaymentStory {
  return {
    payment: {
      appId: "app",
      accountId: "account",
      id: "id-1",
      operationId: "operation-1",
      attempt: 1,
      storeId: "store-1",
      acquirer: "tbank",
      merchant: "tbank:Terminal",
      amountKopecks: 25_920,
      state: "partly refunded",
      told: "DONE",
      cancelled: false,
      freed: false,
      refundedKopecks: 10_000,
      createdAtMs: AT_MS,
      movedAtMs: AT_MS,
      expiresAtMs: AT_MS + 600_000,
      bankId: "700",
      description: "Лавка",
      qrText: "https://qr.nspk.ru/A?sum=25920",
      ...change,
    },
    refunds: [{ number: 1, amountKopecks: 10_000, state: "done", cause: "person", askedAtMs: AT_MS, attempts: 1 }],
    moves: [
      { atMs: AT_MS, to: "creating", why: "create" },
      { atMs: AT_MS + 1_000, from: "creating", to: "waiting", why: "created" },
    ],
    saleDocumentId: "sale-1",
  };
}

describe("payments show", () => {
  it("writes exactly the members that programs rely on, with amounts in kopecks", () => {
    const late = { amountKopecks: 25_920, state: "person" } as const;
    expect(storyJson(story({ late, reason: { code: "declined", bankCode: "116", words: "Нет денег" } }))).toEqual({
      id: "id-1",
      operationId: "operation-1",
      accountId: "account",
      retailStoreId: "store-1",
      acquirer: "tbank",
      bankId: "700",
      amount: 25_920,
      state: "partly refunded",
      told: "DONE",
      reason: "declined (116: Нет денег)",
      refunds: [{ number: 1, amount: 10_000, state: "done" }],
      lateMoney: { amount: 25_920, state: "person" },
      sale: "sale-1",
      moves: [
        { at: "2026-11-29T09:00:00.000Z", from: null, to: "creating", why: "create" },
        { at: "2026-11-29T09:00:01.000Z", from: "creating", to: "waiting", why: "created" },
      ],
    });
  });

  it("shows people what is stored, and not the code that a buyer could pay", () => {
    const lines = storyLines(story()).join("\n");
    for (const words of ["partly refunded", "259.20", "sale-1", "tbank:Terminal", "100.00"]) expect(lines).toContain(words);
    expect(lines).not.toContain("nspk");
  });
});

describe("words of payments", () => {
  it("name sums in roubles, and what to do", () => {
    expect(refundObstacleText({ code: "above-remainder", leftKopecks: 15_920 })).toBe("only 159.20 is left");
    expect(refundObstacleText({ code: "nothing-left" })).toContain("payments settle");
    expect(settleObstacleText({ code: "nothing-open", state: "paid" })).toContain("the payment is paid");
    expect(reconcileText({ kind: "differs", difference: { code: "refunded", ours: 0, bank: 500 } })).toBe(
      "the bank has returned 5.00, the server says 0.00",
    );
  });
});
