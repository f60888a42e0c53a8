import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { silentLog } from "../../src/kernel/log.ts";
import { openBank } from "../../src/tools/bank/bank.ts";
import { extent, sample } from "../support/extent.ts";
import { PaymentBench, START_MS } from "../support/payment-bench.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const AMOUNT = 25_920;
/** A process looks every half second. In tests that last hours `npm test` looks less often. */
const LATER_STEP_MS = extent({ short: 5_000, long: 500 });

/** The bank's records, as its control line shows them. */
interface BankBooks {
  id: string;
  orderId: string;
  status: string;
  amount: number;
  refunded: number;
  refundAttempts: number;
}

describe.each(sample(["tbank", "yookassa"] as const, 1))("a QR payment at %s, with its fake bank", (name) => {
  let bench: PaymentBench;
  let bank: Awaited<ReturnType<typeof openBank>>;

  beforeEach(async () => {
    const clock = new VirtualClock(START_MS);
    const options = { port: 0, seed: 1, data: undefined, notifyUrl: undefined, payAfterMs: undefined, faults: [], clockAheadMs: 0 };
    bank = await openBank({ ...options, name, clock, log: silentLog });
    bench = await PaymentBench.open({ setting: bank.acquirer, clock, addresses: { [name]: bank.base }, laterStepMs: LATER_STEP_MS });
  });

  afterEach(async () => {
    await bench.close();
    await bank.close();
  });

  const control = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${bank.control}${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
    });
    expect(response.status, `${method} ${path}`).toBeLessThan(300);
    return response;
  };
  const books = async () => (await (await control("GET", "/payments")).json()) as BankBooks[];
  const only = async () => {
    const [payment, ...more] = await books();
    expect(more).toEqual([]);
    if (payment === undefined) throw new Error("the bank has no payment");
    return payment;
  };
  const pay = async (late = false) => control("POST", `/payments/${(await only()).id}/pay`, late ? { late } : {});
  const fault = (faults: Record<string, number>) => control("PUT", "/faults", faults);

  it("is paid and told as DONE", async () => {
    expect(await bench.create()).toMatchObject({ kind: "created", qrText: expect.stringContaining(`sum=${AMOUNT}`) });
    await bench.follow(2_500);
    expect(await bench.state()).toMatchObject({ status: "IN_PROGRESS" });
    await pay();
    await bench.follow(2_500);
    expect(await bench.state()).toMatchObject({ status: "DONE" });
    expect((await only()).amount).toBe(AMOUNT);
  });

  it("is declined, with a reason for the merchant", async () => {
    await bench.create();
    await control("POST", `/payments/${(await only()).id}/decline`);
    await bench.follow(2_500);
    expect(await bench.state()).toMatchObject({ status: "REJECTED" });
    expect((await bench.stored()).payment).toMatchObject({ state: "declined", reason: { code: expect.any(String) } });
  });

  it("expires by our time, is watched, and gives back money that comes later", async () => {
    await bench.create();
    await bench.follow(10 * 60_000 + 1_000);
    expect(await bench.state()).toMatchObject({ status: "REJECTED" });
    await pay(true);
    await bench.follow(60_000);
    expect(await bench.state()).toMatchObject({ status: "REJECTED" });
    expect((await only()).refunded).toBe(AMOUNT);
    expect((await bench.stored()).payment).toMatchObject({ state: "expired", refundedKopecks: AMOUNT, late: { state: "refund" } });
  });

  it("ends REJECTED after a cancel, and keeps no money that comes all the same", async () => {
    await bench.create();
    expect(await bench.cancel()).toEqual({ kind: "cancelled" });
    expect(await bench.state()).toMatchObject({ status: "REJECTED" });
    await pay(true);
    await bench.follow(60_000);
    expect((await only()).refunded).toBe(AMOUNT);
    expect(await bench.state()).toMatchObject({ status: "REJECTED" });
  });

  it("ends REJECTED and returns the money when the buyer was faster than the cancel", async () => {
    await bench.create();
    await pay();
    expect(await bench.cancel()).toEqual({ kind: "cancelled" });
    await bench.follow(10_000);
    expect(await bench.state()).toMatchObject({ status: "REJECTED" });
    expect((await only()).refunded).toBe(AMOUNT);
    expect((await bench.stored()).payment).toMatchObject({ state: "refunded", refundedKopecks: AMOUNT });
  });

  it("gives money back in parts, the second one when the bank's rules allow it", async () => {
    await bench.create();
    await pay();
    await bench.follow(2_500);
    await bench.state();
    expect(await bench.cancel({ amountKopecks: 10_000 })).toEqual({ kind: "cancelled" });
    await bench.follow(61_000);
    expect(await bench.cancel({ amountKopecks: AMOUNT - 10_000 })).toEqual({ kind: "cancelled" });
    await bench.follow(3_700_000);
    expect((await only()).refunded).toBe(AMOUNT);
    expect((await bench.stored()).payment).toMatchObject({ state: "refunded", refundedKopecks: AMOUNT });
    expect(await bench.state()).toMatchObject({ status: "DONE" });
  });

  it("gives back money that came while the bank could not be read until long after the end", async () => {
    await bench.create();
    await fault({ down: 1 });
    await pay();
    await bench.follow(90 * 60_000);
    expect(await bench.state()).toMatchObject({ status: "REJECTED" });
    await fault({});
    await bench.follow(15 * 60_000);
    expect((await only()).refunded).toBe(AMOUNT);
    expect((await bench.stored()).payment).toMatchObject({ refundedKopecks: AMOUNT, late: { state: "refund" } });
  });

  it("ends REJECTED and goes back when it was paid and ended while nobody followed it", async () => {
    await bench.create();
    await pay();
    await bench.clock.advance(15 * 60_000);
    await bench.follow(60_000);
    expect(await bench.state()).toMatchObject({ status: "REJECTED" });
    expect((await only()).refunded).toBe(AMOUNT);
  });

  it("is read on when the wall clock is set back", async () => {
    await bench.create();
    await bench.follow(2_500);
    await pay();
    bench.clock.jumpTo(bench.clock.nowMs() - 3_600_000);
    await bench.follow(3_000);
    expect(await bench.state()).toMatchObject({ status: "DONE" });
  });

  it("sends several refunds as far apart as the bank wants them", async () => {
    await bench.create();
    await pay();
    await bench.follow(2_500);
    await bench.state();
    for (const amountKopecks of [1_000, 2_000, 3_000, 4_000]) expect(await bench.cancel({ amountKopecks })).toEqual({ kind: "cancelled" });
    await bench.follow(3 * 3_600_000 + 120_000);
    expect((await only()).refunded).toBe(10_000);
    expect((await bench.stored()).payment).toMatchObject({ state: "partly refunded", refundedKopecks: 10_000 });
    expect(bench.alerts()).toEqual([]);
  });

  it.each(["lost-answer", "error-after", "error-before", "busy", "down"] as const)(
    "is made once, whatever %s does to its making",
    async (what) => {
      await fault({ [what]: 1 });
      const first = await bench.create();
      expect(["created", "unreachable", "busy", "refused"]).toContain(first.kind);
      await fault({});
      await bench.follow(15_000);
      const again = await bench.create();
      expect(again).toMatchObject({ kind: "created" });
      const alive = (await books()).filter(({ status }) => !/cancel|reject/i.test(status));
      expect(alive).toHaveLength(1);
      await control("POST", `/payments/${alive[0]?.id}/pay`);
      await bench.follow(10_000);
      expect(await bench.state()).toMatchObject({ status: "DONE" });
    },
  );

  it.each(["lost-answer", "error-after", "error-before", "busy", "down"] as const)(
    "is returned once, whatever %s does to its refund",
    async (what) => {
      await bench.create();
      await pay();
      await bench.follow(2_500);
      await bench.state();
      await fault({ [what]: 1 });
      await bench.cancel({ amountKopecks: 10_000 });
      await fault({});
      await bench.follow(3_800_000);
      expect((await only()).refunded).toBe(10_000);
      expect((await bench.stored()).payment).toMatchObject({ state: "partly refunded", refundedKopecks: 10_000 });
    },
  );

  it("is neither DONE nor REJECTED by a status that no table has, and a person is alerted", async () => {
    await bench.create();
    await fault({ "strange-status": 1 });
    await bench.follow(15 * 60_000);
    expect(await bench.state()).toMatchObject({ status: "IN_PROGRESS" });
    expect(bench.alerts().length).toBeGreaterThan(0);
    await fault({});
    await pay(true);
    await bench.follow(120_000);
    expect(await bench.state()).toMatchObject({ status: "DONE" });
  });

  it("is never DONE while the bank names another amount", async () => {
    await bench.create();
    await fault({ "wrong-amount": 1 });
    await pay();
    await bench.follow(120_000);
    expect(await bench.state()).toMatchObject({ status: "IN_PROGRESS" });
    expect(bench.alerts()).toEqual(["a person must look at a payment"]);
  });

  it("says that a refund was refused, and stays DONE", async () => {
    await bench.create();
    await pay();
    await bench.follow(2_500);
    await bench.state();
    await fault({ "refund-refused": 1 });
    await bench.cancel();
    await bench.follow(30_000);
    expect((await only()).refunded).toBe(0);
    expect(await bench.state()).toMatchObject({ status: "DONE" });
    expect(bench.alerts()).toContain("a refund failed; a person must look at it");
  });
});
