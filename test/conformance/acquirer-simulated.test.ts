import { appendFileSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AcquirerBench } from "../support/acquirers.ts";

const MINUTE_MS = 60_000;

describe("the simulated acquirer", () => {
  let bench: AcquirerBench;

  beforeEach(async () => {
    bench = await AcquirerBench.open("simulated");
  });

  afterEach(() => bench.close());

  const create = (changes = {}) => bench.acquirer.create(bench.order(changes), bench.deadline());
  const statusOf = async (bankId: string, acquirer = bench.acquirer) => {
    const reading = await acquirer.read(bankId, bench.deadline());
    return reading.kind === "payment" ? reading.payment.status : reading.kind;
  };
  const file = () => join(bench.folder, "simulated-payments.jsonl");

  /** For an amount, whose last two digits decide: the status at some times after the code was made, in milliseconds. */
  it.each([
    [
      25_900,
      [
        [999, "waiting"],
        [1_000, "paid"],
        [20 * MINUTE_MS, "paid"],
      ],
    ],
    [
      25_901,
      [
        [999, "waiting"],
        [1_000, "declined"],
        [20 * MINUTE_MS, "declined"],
      ],
    ],
    [
      25_902,
      [
        [10 * MINUTE_MS - 1, "waiting"],
        [10 * MINUTE_MS, "expired"],
        [60 * MINUTE_MS, "expired"],
      ],
    ],
    [
      25_903,
      [
        [29_999, "waiting"],
        [30_000, "paid"],
      ],
    ],
    [
      25_906,
      [
        [9 * MINUTE_MS, "waiting"],
        [10 * MINUTE_MS, "expired"],
      ],
    ],
    [
      25_908,
      [
        [9 * MINUTE_MS, "waiting"],
        [10 * MINUTE_MS, "expired"],
        [11 * MINUTE_MS - 1, "expired"],
        [11 * MINUTE_MS, "paid"],
      ],
    ],
  ] as const)("lets an amount of %i kopecks decide", async (amountKopecks, steps) => {
    const bankId = await bench.created({ amountKopecks });
    let passedMs = 0;
    for (const [atMs, status] of steps) {
      await bench.clock.advance(atMs - passedMs);
      passedMs = atMs;
      expect([atMs, await statusOf(bankId)]).toEqual([atMs, status]);
    }
  });

  it("cannot be reached for 05 until the code would have ended, and knows no payment then", async () => {
    const order = bench.order({ amountKopecks: 25_905 });
    expect(await bench.acquirer.create(order, bench.deadline())).toMatchObject({ kind: "unknown" });
    expect(await bench.acquirer.find(order, bench.deadline())).toMatchObject({ kind: "unknown" });
    await bench.clock.advance(10 * MINUTE_MS);
    expect(await bench.acquirer.find(order, bench.deadline())).toEqual({ kind: "none" });
  });

  it("lets the buyer pay while a cancel of 06 runs", async () => {
    const bankId = await bench.created({ amountKopecks: 25_906 });
    expect(await bench.acquirer.cancel({ bankId, amountKopecks: 25_906 }, bench.deadline())).toEqual({ kind: "final" });
    expect(await statusOf(bankId)).toBe("paid");
    const refund = { amountKopecks: 25_906, paidKopecks: 25_906 };
    expect(await bench.acquirer.refund(bench.refundOrder(bankId, refund), bench.deadline())).toMatchObject({ kind: "done" });
  });

  it("keeps a cancelled payment cancelled, also past the time at which it would be paid", async () => {
    const bankId = await bench.created({ amountKopecks: 25_908 });
    expect(await bench.acquirer.cancel({ bankId, amountKopecks: 25_908 }, bench.deadline())).toEqual({ kind: "accepted" });
    await bench.clock.advance(20 * MINUTE_MS);
    expect(await statusOf(bankId)).toBe("cancelled");
  });

  it("follows its options", async () => {
    await bench.close();
    bench = await AcquirerBench.open("simulated", "simulated?payAfterMs=5000&expireAfterMs=4000");
    expect(bench.account.capabilities.expiry).toEqual({ kind: "fixed", lifeMs: 4_000 });
    const bankId = await bench.created();
    await bench.clock.advance(3_999);
    expect(await statusOf(bankId)).toBe("waiting");
    await bench.clock.advance(5_000);
    expect(await statusOf(bankId)).toBe("expired");
  });

  it("makes one payment of an order, however often it is asked", async () => {
    const first = await create();
    expect(await create()).toEqual(first);
    expect(await create({ amountKopecks: 100 })).toMatchObject({ kind: "begun", mismatch: true });
  });

  it("returns no more than was paid, and nothing before", async () => {
    const bankId = await bench.created();
    const refund = (number: number, amountKopecks: number) =>
      bench.acquirer.refund(bench.refundOrder(bankId, { number, amountKopecks }), bench.deadline());
    expect(await refund(1, 100)).toMatchObject({ kind: "refused" });
    await bench.clock.advance(1_000);
    expect(await refund(1, 25_000)).toMatchObject({ kind: "done" });
    expect(await refund(2, 921)).toMatchObject({ kind: "refused", reason: { code: "amount" } });
    expect(await refund(2, 920)).toMatchObject({ kind: "done" });
  });

  it("shares its memory with another process, and keeps it in a file of its user", async () => {
    const other = bench.account.open(bench.services());
    const bankId = await bench.created();
    expect(await statusOf(bankId, other)).toBe("waiting");
    await bench.clock.advance(1_000);
    await other.refund(bench.refundOrder(bankId), bench.deadline());
    expect(await statusOf(bankId)).toBe("refunded");
    expect(statSync(file()).mode & 0o777).toBe(0o600);
  });

  it("reads on behind a line that was cut off, and loses only that line", async () => {
    const bankId = await bench.created();
    const whole = readFileSync(file(), "utf8");
    appendFileSync(file(), whole.trim().slice(0, 40));
    expect(await statusOf(bankId)).toBe("waiting");
    const second = await bench.created({ paymentId: "0f0e52e2-2c1d-4f7e-8a35-6d0f4f3a1c77" });
    expect(await statusOf(second)).toBe("waiting");
    expect(await statusOf(second, bench.account.open(bench.services()))).toBe("waiting");
  });
});
