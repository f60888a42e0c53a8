import { afterEach, describe, expect, it } from "vitest";
import { MAX_QUEUED_TURNS } from "../../../src/payments/turns/turns.ts";
import { PaymentBench } from "../../support/payment-bench.ts";

const opened: PaymentBench[] = [];
afterEach(async () => {
  for (const bench of opened.splice(0)) await bench.store.close();
});

/** The turns of a process whose database fails for the first lease. Every later lease belongs to another process. */
async function scene() {
  const bench = await PaymentBench.open();
  opened.push(bench);
  const failing = Promise.withResolvers<undefined>();
  let asked = 0;
  bench.services.leases.take = () => {
    asked += 1;
    return asked === 1 ? failing.promise : Promise.resolve(undefined);
  };
  return { turns: bench.turns, failing, asked: () => asked };
}

describe("the turns of one payment", () => {
  it("run after a turn that the database has rejected", async () => {
    const { turns, failing } = await scene();
    const both = Promise.allSettled([turns.take("a"), turns.take("a")]);
    failing.reject(new Error("no database"));
    const [first, second] = await both;
    expect(first.status).toBe("rejected");
    expect(second).toEqual({ status: "fulfilled", value: { held: true } });
    expect(turns.size).toBe(0);
  });

  it("wait up to a bound, and beyond it the payment is said to be held", async () => {
    const { turns, failing, asked } = await scene();
    const queued = Array.from({ length: MAX_QUEUED_TURNS }, () => turns.take("a"));
    expect(await turns.take("a")).toEqual({ held: true });
    failing.resolve(undefined);
    await Promise.all(queued);
    expect(asked()).toBe(MAX_QUEUED_TURNS);
    await turns.take("a");
    expect(asked()).toBe(MAX_QUEUED_TURNS + 1);
  });
});
