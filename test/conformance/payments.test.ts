import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemChance } from "../../src/kernel/clock.ts";
import { PAYMENT_LEASE_MS } from "../../src/payments/services.ts";
import { leaseOf } from "../../src/payments/turns/turns.ts";
import { Leases } from "../../src/store/lease.ts";
import { PaymentBench } from "../support/payment-bench.ts";

describe("a QR payment at the simulated acquirer", () => {
  let bench: PaymentBench;

  beforeEach(async () => {
    bench = await PaymentBench.open();
  });

  afterEach(() => bench.close());

  it("is made, shown as IN_PROGRESS, paid and told as DONE", async () => {
    expect(await bench.create()).toMatchObject({ kind: "created", qrText: expect.stringContaining("sum=25920") });
    expect(await bench.state()).toMatchObject({ status: "IN_PROGRESS" });
    await bench.follow(3_000);
    expect(await bench.state()).toMatchObject({ status: "DONE" });
    expect((await bench.stored()).payment).toMatchObject({ state: "paid", told: "DONE" });
  });

  it("gives the same code again for the same operation and amount, and refuses another amount or point of sale", async () => {
    const first = await bench.create();
    expect(await bench.create()).toEqual(first);
    expect(await bench.create({ amountKopecks: 25_921 })).toEqual({ kind: "conflict" });
    expect(await bench.create({ storeId: "other-store" })).toEqual({ kind: "no-operation" });
  });

  it("uses each token once, whatever the call comes to", async () => {
    const call = bench.call();
    await bench.settled(bench.payments.create(call));
    expect(await bench.settled(bench.payments.state(call))).toEqual({ kind: "token-used" });
    const unknown = bench.call({ operationId: "nothing" });
    expect(await bench.settled(bench.payments.state(unknown))).toEqual({ kind: "no-operation" });
    expect(await bench.settled(bench.payments.state(unknown))).toEqual({ kind: "token-used" });
    bench.active = false;
    const stopped = bench.call();
    expect(await bench.settled(bench.payments.cancel(stopped))).toEqual({ kind: "no-account" });
    expect(await bench.settled(bench.payments.cancel(stopped))).toEqual({ kind: "token-used" });
  });

  it("is declined by the bank", async () => {
    await bench.create({ amountKopecks: 25_901 });
    await bench.follow(3_000);
    expect(await bench.state({ amountKopecks: 25_901 })).toMatchObject({ status: "REJECTED" });
  });

  it("expires when nobody pays, and is watched afterwards", async () => {
    const amountKopecks = 25_902;
    await bench.create({ amountKopecks });
    await bench.follow(9 * 60_000);
    expect(await bench.state({ amountKopecks })).toMatchObject({ status: "IN_PROGRESS" });
    await bench.follow(90_000);
    expect(await bench.state({ amountKopecks })).toMatchObject({ status: "REJECTED" });
    await bench.follow(30 * 60_000);
    expect((await bench.stored()).payment.nextReadAtMs).toBeUndefined();
  });

  it("ends REJECTED when the till cancels it", async () => {
    const amountKopecks = 25_902;
    await bench.create({ amountKopecks });
    expect(await bench.cancel({ amountKopecks: 100 })).toMatchObject({ kind: "amount" });
    expect(await bench.cancel({ amountKopecks })).toEqual({ kind: "cancelled" });
    expect(await bench.state({ amountKopecks })).toMatchObject({ status: "REJECTED" });
    expect(await bench.cancel({ amountKopecks })).toEqual({ kind: "cancelled" });
  });

  it("ends REJECTED and gives the money back when the buyer pays while the cancel runs", async () => {
    const amountKopecks = 25_906;
    await bench.create({ amountKopecks });
    expect(await bench.cancel({ amountKopecks })).toEqual({ kind: "cancelled" });
    await bench.follow(10_000);
    expect(await bench.state({ amountKopecks })).toMatchObject({ status: "REJECTED" });
    const { payment, refunds } = await bench.stored();
    expect(payment).toMatchObject({ state: "refunded", refundedKopecks: amountKopecks });
    expect(refunds).toMatchObject([{ cause: "cancel", state: "done", amountKopecks }]);
  });

  it("returns money in parts after DONE, never more than was paid, and stays DONE", async () => {
    await bench.create();
    await bench.follow(3_000);
    await bench.state();
    expect(await bench.cancel({ amountKopecks: 10_000 })).toEqual({ kind: "cancelled" });
    expect(await bench.cancel({ amountKopecks: 10_000 })).toEqual({ kind: "cancelled" });
    await bench.follow(5_000);
    expect((await bench.stored()).payment).toMatchObject({ state: "partly refunded", refundedKopecks: 10_000 });
    await bench.follow(60_000);
    expect(await bench.cancel({ amountKopecks: 15_921 })).toMatchObject({ kind: "amount", mostKopecks: 15_920 });
    expect(await bench.cancel({ amountKopecks: 15_920 })).toEqual({ kind: "cancelled" });
    await bench.follow(5_000);
    expect((await bench.stored()).payment).toMatchObject({ state: "refunded", told: "DONE" });
    expect(await bench.state()).toMatchObject({ status: "DONE" });
  });

  it("says in words that a refund was refused, and keeps the payment paid", async () => {
    const amountKopecks = 25_907;
    await bench.create({ amountKopecks });
    await bench.follow(3_000);
    await bench.state({ amountKopecks });
    expect(await bench.cancel({ amountKopecks })).toMatchObject({ kind: "refused" });
    expect((await bench.stored()).payment.state).toBe("paid");
    expect(bench.alerts()).toContain("a refund failed; a person must look at it");
  });

  it.each([
    { ended: "money back", told: true, amountKopecks: 25_920, kind: "cancelled" },
    { ended: "a refund that the bank refuses", told: true, amountKopecks: 25_907, kind: "refused" },
    { ended: "a cancel that the buyer's money outran", told: false, amountKopecks: 25_906, kind: "cancelled" },
  ])("repeats the answer about $ended although a killed process still holds the payment", async ({ told, amountKopecks, kind }) => {
    await bench.create({ amountKopecks });
    if (told) await bench.follow(3_000);
    await bench.state({ amountKopecks });
    expect(await bench.cancel({ amountKopecks })).toMatchObject({ kind });
    if (!told) await bench.follow(10_000);
    const answer = await bench.cancel({ amountKopecks });
    const { clock, store } = bench;
    const killed = new Leases({ store, clock, chance: systemChance, leaseMs: PAYMENT_LEASE_MS });
    expect(await killed.take(leaseOf((await bench.stored()).payment.id))).toBeDefined();
    const beforeMs = clock.nowMs();
    expect(await bench.cancel({ amountKopecks })).toEqual(answer);
    expect(clock.nowMs()).toBe(beforeMs);
    expect((await bench.stored()).refunds).toHaveLength(1);
  });

  it("gives money back that comes after the end, and never turns REJECTED into DONE", async () => {
    const amountKopecks = 25_908;
    await bench.create({ amountKopecks });
    await bench.follow(10 * 60_000 + 2_000);
    expect(await bench.state({ amountKopecks })).toMatchObject({ status: "REJECTED" });
    await bench.follow(5 * 60_000);
    const { payment, refunds } = await bench.stored();
    expect(payment).toMatchObject({ state: "expired", told: "REJECTED", late: { amountKopecks, state: "refund" } });
    expect(refunds).toMatchObject([{ cause: "late", state: "done", amountKopecks }]);
    expect(bench.ended).toContain("late money");
  });

  it("leaves late money to a person where the setting says so", async () => {
    const amountKopecks = 25_908;
    bench.settings = { ...bench.settings, lateMoney: "person" };
    await bench.create({ amountKopecks });
    await bench.follow(15 * 60_000);
    const { payment, refunds } = await bench.stored();
    expect(payment.late).toEqual({ amountKopecks, state: "person" });
    expect(refunds).toEqual([]);
  });

  it("is refused by the acquirer, and the operation is free for another attempt", async () => {
    const amountKopecks = 25_904;
    expect(await bench.create({ amountKopecks })).toMatchObject({ kind: "refused" });
    expect(await bench.state({ amountKopecks })).toEqual({ kind: "no-operation" });
    expect(await bench.create({ amountKopecks: 25_920 })).toMatchObject({ kind: "created" });
    expect((await bench.stored()).payment.attempt).toBe(2);
  });

  it("is IN_PROGRESS while the acquirer cannot be reached, and ends by its expiry", async () => {
    const amountKopecks = 25_905;
    expect(await bench.create({ amountKopecks })).toEqual({ kind: "unreachable" });
    expect(await bench.state({ amountKopecks })).toMatchObject({ status: "IN_PROGRESS" });
    await bench.follow(14 * 60_000);
    expect(await bench.state({ amountKopecks })).toMatchObject({ status: "REJECTED" });
  });

  it("stays cancelled when its making never got an answer, also when the till creates it again", async () => {
    const amountKopecks = 25_905;
    await bench.create({ amountKopecks });
    await bench.cancel({ amountKopecks });
    await bench.follow(14 * 60_000);
    bench.settings = { ...bench.settings, acquirer: "simulated?payAfterMs=1" };
    expect((await bench.create({ amountKopecks })).kind).not.toBe("created");
    await bench.follow(5_000);
    expect(await bench.state({ amountKopecks })).toMatchObject({ status: "REJECTED" });
  });

  it("needs an acquirer and an amount that it takes", async () => {
    bench.settings = { ...bench.settings, acquirer: "none" };
    expect(await bench.create()).toEqual({ kind: "no-acquirer" });
    bench.settings = { ...bench.settings, acquirer: "simulated" };
    expect(await bench.create({ amountKopecks: 100_000_001 })).toMatchObject({ kind: "amount", mostKopecks: 100_000_000 });
  });
});

describe("the sale of a QR payment", () => {
  let bench: PaymentBench;

  beforeEach(async () => {
    bench = await PaymentBench.open();
  });

  afterEach(() => bench.close());

  const paid = async (operationId: string) => {
    await bench.create({ operationId });
    await bench.follow(2_500);
    expect(await bench.state({ operationId })).toMatchObject({ status: "DONE" });
  };
  const linked = async (operationId: string) => (await bench.stored(operationId)).payment.saleEntryId;

  it("is the oldest one of its sum in its point of sale since DONE, and each sale counts once", async () => {
    await bench.sell({ qrKopecks: 25_920 });
    await bench.clock.advance(1_000);
    await paid("first");
    await paid("second");
    await bench.sell({ qrKopecks: 25_921 });
    await bench.sell({ qrKopecks: 25_920, storeId: "other-store" });
    const one = await bench.sell({ qrKopecks: 25_920 });
    await bench.sales.look();
    expect([await linked("first"), await linked("second")]).toEqual([one, undefined]);
    const two = await bench.sell({ qrKopecks: 25_920 });
    await bench.sales.look();
    await bench.sales.look();
    expect([await linked("first"), await linked("second")]).toEqual([one, two]);
  });

  it("is found although the wall clock was set back between DONE and the sale", async () => {
    await paid("first");
    bench.clock.jumpTo(bench.clock.nowMs() - 10 * 60_000);
    const sale = await bench.sell({ qrKopecks: 25_920 });
    await bench.sales.look();
    expect(await linked("first")).toBe(sale);
  });

  it("is found although it was refused before the payment was made, and was made when it came again", async () => {
    const refused = await bench.sell({ qrKopecks: 25_920, state: "refused" });
    await paid("first");
    const between = await bench.sell({ qrKopecks: 25_920 });
    await bench.clock.advance(1_000);
    await paid("second");
    await bench.repeat(refused);
    await bench.sales.look();
    expect([await linked("first"), await linked("second")]).toEqual([between, refused]);
    await bench.clock.advance(31 * 60_000);
    await bench.sales.look();
    expect(bench.alerts()).toEqual([]);
  });

  it("is not one that was refused and made again before DONE", async () => {
    const refused = await bench.sell({ qrKopecks: 25_920, state: "refused" });
    await bench.repeat(refused);
    await bench.clock.advance(1_000);
    await paid("first");
    await bench.sales.look();
    expect(await linked("first")).toBeUndefined();
  });

  it("is missed after half an hour, once, also when no till has asked for the end", async () => {
    await paid("told");
    await bench.create({ operationId: "never-asked" });
    await bench.follow(2_500);
    await bench.clock.advance(30 * 60_000);
    await bench.sales.look();
    await bench.sales.look();
    const missed = bench.lines.filter(({ text }) => text.startsWith("a QR payment is paid and no sale"));
    expect(missed.map(({ values }) => values.operationId).sort()).toEqual(["never-asked", "told"]);
    const late = await bench.sell({ qrKopecks: 25_920 });
    await bench.sales.look();
    expect(await linked("told")).toBe(late);
  });

  it("belongs to no payment whose money has gone back", async () => {
    await paid("returned");
    await bench.cancel({ operationId: "returned" });
    await bench.follow(5_000);
    await paid("second");
    const sale = await bench.sell({ qrKopecks: 25_920 });
    await bench.sales.look();
    expect([await linked("returned"), await linked("second")]).toEqual([undefined, sale]);
  });

  it("is not missed where the money has gone back", async () => {
    await paid("returned");
    await bench.cancel({ operationId: "returned" });
    await bench.follow(5_000);
    await bench.clock.advance(31 * 60_000);
    await bench.sales.look();
    expect(bench.alerts()).toEqual([]);
  });
});
