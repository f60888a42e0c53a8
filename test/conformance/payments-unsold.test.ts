import { expect, it } from "vitest";
import { paidWithoutSale } from "../../src/app/pages/unmatched.ts";
import { isReadable } from "../../src/payments/listed-payment.ts";
import { insertPayment, paymentById } from "../../src/payments/payment-queries.ts";
import { PaymentBench } from "../support/payment-bench.ts";

/** More payments than are read at once. */
const GONE = 600;
const HALF_AN_HOUR_MS = 30 * 60_000;

it("payments without a sale are told, however many before them have gone back whole: nobody waits for the sale of those", async () => {
  const bench = await PaymentBench.open();
  try {
    await bench.create({ operationId: "operation-1", amountKopecks: 25_920 });
    await bench.follow(3_000);
    await bench.state({ operationId: "operation-1" });
    const { payment } = await bench.stored("operation-1");
    const row = await bench.store.read((db) => paymentById(db, payment.id));
    if (row === undefined) throw new Error("the payment is gone");
    const states = [...Array.from({ length: GONE }, () => "refunded"), "paid", "partly refunded"];
    await bench.store.commit(async (tx) => {
      for (const [number, state] of states.entries()) {
        const id = `copy-${String(number).padStart(4, "0")}`;
        await insertPayment(tx, { ...row, id, operation_id: id, sale_entry_id: null, paid_at_ms: number, state });
      }
    });
    const told = async () => (await paidWithoutSale(bench, 20)).map((payment) => (isReadable(payment) ? payment.state : payment.problem));
    // The payment of just now is not told yet: its till may be about to send the sale.
    expect(await told()).toEqual(["paid", "partly refunded"]);
    await bench.clock.advance(HALF_AN_HOUR_MS);
    expect(await told()).toEqual(["paid", "partly refunded", "paid"]);
  } finally {
    await bench.close();
  }
});
