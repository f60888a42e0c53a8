import { afterEach, describe, expect, it } from "vitest";
import { leaseOf, MAX_QUEUED_TURNS } from "../../../src/payments/turns/turns.ts";
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

describe("a turn that fails", () => {
  /** A process with an open payment. */
  async function withPayment() {
    const bench = await PaymentBench.open();
    opened.push(bench);
    await bench.create();
    return { bench, id: (await bench.stored()).payment.id };
  }

  function leasesOf({ store }: PaymentBench) {
    return store.read((db) => db.selectFrom("leases").select(["name", "holder"]).execute());
  }

  it.each(["read", "settingsOf"] as const)("before it asks the bank releases the lease, and the follower pauses: %s", async (failing) => {
    const { bench, id } = await withPayment();
    const target: Record<string, unknown> = failing === "read" ? Object(bench.store) : Object(bench.services);
    const before = target[failing];
    target[failing] = () => Promise.reject(new Error("no answer"));
    expect(await bench.turns.take(id, { read: true })).toEqual({ problem: "no answer" });
    target[failing] = before;
    expect(await leasesOf(bench)).toEqual([{ name: leaseOf(id), holder: "" }]);
    expect(bench.turns.mayFollow(id)).toBe(false);
    await bench.clock.advance(5_000);
    expect(bench.turns.mayFollow(id)).toBe(true);
  });

  it("because the database gives no lease is not repeated at every look either", async () => {
    const { bench, id } = await withPayment();
    bench.services.leases.take = () => Promise.reject(new Error("no database"));
    await expect(bench.turns.take(id)).rejects.toThrow("no database");
    expect(bench.turns.mayFollow(id)).toBe(false);
  });

  it("and whose lease cannot be released still ends", async () => {
    const { bench, id } = await withPayment();
    bench.services.settingsOf = () => Promise.reject(new Error("no answer"));
    bench.services.leases.release = () => Promise.reject(new Error("no database"));
    expect(await bench.turns.take(id)).toEqual({ problem: "no answer" });
    expect(bench.lines.map(({ text }) => text)).toContain("the lease of a failed turn could not be released; it ends by itself");
  });

  it("because there is no such payment leaves no lease in the table", async () => {
    const { bench, id } = await withPayment();
    const before = await leasesOf(bench);
    expect(await bench.turns.take("nothing")).toEqual({ problem: "no such payment" });
    expect(await leasesOf(bench)).toEqual(before);
    expect(before.map(({ name }) => name)).toEqual([leaseOf(id)]);
  });
});
