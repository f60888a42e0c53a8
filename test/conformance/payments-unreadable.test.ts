import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { paidWithoutSale } from "../../src/app/pages/unmatched.ts";
import { findPayment } from "../../src/operator/payments/find-payment.ts";
import { paymentList } from "../../src/operator/payments/list-payments.ts";
import { reconcile } from "../../src/operator/payments/reconcile.ts";
import type { OperatorPayments } from "../../src/operator/payments/services.ts";
import { PaymentBench } from "../support/payment-bench.ts";

const HALF_AN_HOUR_MS = 30 * 60_000;
const PROBLEM = /^Column reason of row .* in table payments cannot be read: it is no JSON$/;
/** A refund that waits for a person. */
const REFUND = {
  number: 1,
  amount_kopecks: 25_920,
  state: "person",
  cause: "person",
  asked_at_ms: 1,
  attempts: 1,
  tried_at_ms: null,
  next_try_at_ms: null,
  before_kopecks: null,
  bank_refund_id: null,
};

describe("a payment whose row cannot be read", () => {
  let bench: PaymentBench;
  let desk: OperatorPayments;
  let id: string;
  beforeEach(async () => {
    bench = await PaymentBench.open();
    const { services, clients, turns } = bench;
    desk = { services, clients, turns, journal: { get: async () => undefined } };
    for (const operationId of ["spoilt", "sound"]) {
      await bench.create({ operationId });
      await bench.follow(3_000);
      await bench.state({ operationId });
    }
    id = (await bench.stored("spoilt")).payment.id;
    await bench.store.commit((tx) => tx.updateTable("payments").set({ reason: '{"buyer":' }).where("id", "=", id).execute());
  });
  afterEach(() => bench.close());

  it("hinders no other from being linked to its sale, and is logged once", async () => {
    await bench.sell({ qrKopecks: 25_920 });
    for (let look = 0; look < 3; look += 1) await bench.sales.look();
    expect((await bench.stored("sound")).payment.saleEntryId).toBeDefined();
    expect(bench.lines.filter(({ text }) => text.includes("cannot be read"))).toEqual([
      {
        level: "error",
        text: "a paid payment cannot be read and is left as it is; a person must look",
        values: { payment: id, problem: expect.stringMatching(PROBLEM) },
      },
    ]);
  });

  it("stands in lists in its place, with what is wrong", async () => {
    const { payments } = await paymentList(desk, { limit: 10, day: "2026-03-02" });
    const spoilt = { id, operationId: "spoilt", amountKopecks: 25_920, problem: expect.stringMatching(PROBLEM) };
    expect(payments).toMatchObject([{ operationId: "sound", state: "paid" }, spoilt]);
    await bench.clock.advance(HALF_AN_HOUR_MS);
    expect(await paidWithoutSale(bench, 20)).toMatchObject([spoilt, { operationId: "sound" }]);
    expect(await findPayment(desk, "spoilt")).toMatchObject({ kind: "unreadable", payment: spoilt });
  });

  it("is told of by the comparison with the bank, which compares the others", async () => {
    const compared: string[] = [];
    const running = reconcile(desk, new AbortController().signal, ({ payment }) => void compared.push(payment.operationId));
    expect(await bench.settled(running)).toMatchObject([{ id, problem: expect.stringMatching(PROBLEM) }]);
    expect(compared).toEqual(["sound"]);
  });

  it("is told of by the comparison with the bank when only a refund cannot be read", async () => {
    await bench.store.commit((tx) => tx.updateTable("payments").set({ reason: null }).where("id", "=", id).execute());
    const refund = { ...REFUND, payment_id: id, reason: '{"buyer":' };
    await bench.store.commit((tx) => tx.insertInto("payment_refunds").values(refund).execute());
    const compared: string[] = [];
    const running = reconcile(desk, new AbortController().signal, ({ payment }) => void compared.push(payment.operationId));
    const problem = expect.stringMatching(/^Column reason of row .*\/1 in table payment_refunds cannot be read: it is no JSON$/);
    expect(await bench.settled(running)).toMatchObject([{ id, operationId: "spoilt", problem }]);
    expect(compared).toEqual(["sound"]);
  });
});
