import { describe, expect, it } from "vitest";
import { standingByQrState, standingByStatus } from "../../../../src/acquirers/tbank/refund-standing.ts";

const order = { paymentId: "p", bankId: "1", number: 1, amountKopecks: 100, paidKopecks: 300, refundedBeforeKopecks: 0 };
const second = { ...order, number: 2, refundedBeforeKopecks: 150 };

describe("a refund at T-Bank by the status of its payment", () => {
  it.each([
    ["ASYNC_REFUNDING", order, "pending"],
    ["REFUNDED", { ...order, amountKopecks: 300 }, "done"],
    ["REFUNDED", order, "unknown"],
    ["NEW", order, "unknown"],
    ["CANCELED", order, "unknown"],
  ])("%s", (status, asked, kind) => {
    expect(standingByStatus(status, asked)?.kind).toBe(kind);
  });

  it.each(["CONFIRMED", "PARTIAL_REFUNDED"])("is not told by %s alone", (status) => {
    expect(standingByStatus(status, order)).toBeUndefined();
  });
});

describe("a refund at T-Bank by GetQrState", () => {
  const accepted = { bankRefundId: "1-1" };

  it.each([
    ["nothing was returned and nothing was accepted", { Status: "CONFIRMED" }, order, "none"],
    ["nothing was returned yet of what was accepted", { Status: "CONFIRMED" }, { ...order, ...accepted }, "pending"],
    ["the buyer's bank refused it", { Status: "CONFIRMED", QrCancelCode: "I05043" }, order, "refused"],
    ["a refund done before is gone", { Status: "CONFIRMED" }, second, "unknown"],
    ["the first part was returned", { Status: "PARTIAL_REFUNDED" }, order, "done"],
    ["the second part was refused", { Status: "PARTIAL_REFUNDED", QrCancelCode: "I05043" }, second, "refused"],
    ["the second part was accepted and is over", { Status: "PARTIAL_REFUNDED" }, { ...second, ...accepted }, "done"],
    ["the second part was accepted and is on its way", { Status: "PARTIAL_REFUNDED", Amount: 150 }, { ...second, ...accepted }, "pending"],
    [
      "the second part was accepted and the sum is that of both",
      { Status: "PARTIAL_REFUNDED", Amount: 250 },
      { ...second, ...accepted },
      "done",
    ],
    ["the sum is that of both", { Status: "PARTIAL_REFUNDED", Amount: 250 }, second, "done"],
    ["the sum is that of the second", { Status: "PARTIAL_REFUNDED", Amount: 100 }, second, "done"],
    ["the sum is that of the first", { Status: "PARTIAL_REFUNDED", Amount: 150 }, second, "none"],
    ["both have one sum", { Status: "PARTIAL_REFUNDED", Amount: 100 }, { ...second, refundedBeforeKopecks: 100 }, "unknown"],
    ["the sum may be that of an earlier one", { Status: "PARTIAL_REFUNDED", Amount: 100 }, { ...second, number: 3 }, "unknown"],
    ["no sum is stated", { Status: "PARTIAL_REFUNDED" }, second, "unknown"],
    ["the payment is being refunded by now", { Status: "REFUNDING" }, order, "pending"],
  ])("%s", (_title, qr, asked, kind) => {
    expect(standingByQrState({ QrCancelMessage: undefined, ...qr }, asked).kind).toBe(kind);
  });
});
