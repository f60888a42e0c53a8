import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AcquirerBench, BENCHES, PAYMENT_ID } from "../support/acquirers.ts";

describe.each(BENCHES)("an acquirer of kind %s", (name) => {
  let bench: AcquirerBench;

  beforeEach(async () => {
    bench = await AcquirerBench.open(name);
  });

  afterEach(() => bench.close());

  const read = (bankId: string) => bench.settled(bench.acquirer.read(bankId, bench.deadline()));
  const refund = (bankId: string, changes = {}) =>
    bench.settled(bench.acquirer.refund(bench.refundOrder(bankId, changes), bench.deadline()));
  const refundStanding = (bankId: string, changes = {}) =>
    bench.settled(bench.acquirer.readRefund(bench.refundOrder(bankId, changes), bench.deadline()));

  it("creates a payment with the text of its code, which asks for the amount", async () => {
    const made = await bench.settled(bench.acquirer.create(bench.order(), bench.deadline()));
    expect(made).toMatchObject({ kind: "created", qrText: expect.stringContaining("sum=25920") });
    const { expiry } = bench.account.capabilities;
    const endsInMs = expiry.kind === "fixed" ? expiry.lifeMs : 10 * 60_000;
    expect(made).toMatchObject({ expiresAtMs: expect.closeTo(bench.clock.nowMs() + endsInMs, -4) });
    expect(bench.observed).toEqual(["create ok"]);
  });

  it("reads a new payment as waiting, with our id and the amount", async () => {
    const bankId = await bench.created();
    expect(await read(bankId)).toMatchObject({
      kind: "payment",
      payment: { bankId, status: "waiting", amountKopecks: 25_920, paymentId: PAYMENT_ID },
    });
  });

  it.each(["paid", "declined", "expired"] as const)("reads a payment as %s once that has happened", async (what) => {
    const bankId = await bench.createdAnd(what);
    const reading = await read(bankId);
    expect(reading).toMatchObject({ kind: "payment", payment: { status: what } });
    if (what !== "paid") expect(reading).toMatchObject({ payment: { reason: { code: expect.any(String) } } });
  });

  it("finds a payment by our id, or says that create can be repeated", async () => {
    const bankId = await bench.created();
    const found = await bench.settled(bench.acquirer.find(bench.order(), bench.deadline()));
    if (found.kind === "repeat-create") expect(await bench.created()).toBe(bankId);
    else expect(found).toMatchObject({ kind: "payment", payment: { bankId, status: "waiting" } });
  });

  it("finds a payment whose order is over without making it, and says that there is none", async () => {
    const over = () => bench.settled(bench.acquirer.find({ ...bench.order(), isOver: true }, bench.deadline()));
    expect(await over()).toEqual({ kind: "none" });
    const bankId = await bench.created();
    expect(await over()).toMatchObject({ kind: "payment", payment: { bankId, status: "waiting" } });
  });

  it("knows no payment that was never made", async () => {
    const found = await bench.settled(bench.acquirer.find(bench.order(), bench.deadline()));
    expect(["none", "repeat-create"]).toContain(found.kind);
    expect(await read("4417999999")).toMatchObject({ kind: "refused" });
  });

  it("refuses amounts outside its bounds, and asks no bank for that", async () => {
    const { leastKopecks, mostKopecks } = bench.account.capabilities;
    for (const amountKopecks of [leastKopecks - 1, mostKopecks + 1]) {
      const made = await bench.settled(bench.acquirer.create(bench.order({ amountKopecks }), bench.deadline()));
      expect(made).toMatchObject({ kind: "refused", reason: { code: "amount" } });
    }
    expect(bench.server.requests).toEqual([]);
  });

  it("says that the bank refused to create", async () => {
    if (bench.double !== undefined) bench.double.refusesCreate = true;
    const order = bench.order(bench.double === undefined ? { amountKopecks: 25_904 } : {});
    const made = await bench.settled(bench.acquirer.create(order, bench.deadline()));
    expect(made).toMatchObject({ kind: "refused", reason: { code: "refused" }, alert: false });
    expect(bench.observed).toEqual(["create refused"]);
  });

  it("cancels a payment that waits, where it can", async () => {
    const bankId = await bench.created();
    const cancelled = await bench.settled(bench.acquirer.cancel({ bankId, amountKopecks: 25_920 }, bench.deadline(8_000)));
    expect(cancelled.kind).toBe(bench.account.capabilities.cancelBeforePayment ? "accepted" : "not-supported");
    const status = bench.account.capabilities.cancelBeforePayment ? "cancelled" : "waiting";
    expect(await read(bankId)).toMatchObject({ payment: { status } });
  });

  it("never calls a paid payment cancelled", async () => {
    const bankId = await bench.createdAnd("paid");
    await bench.settled(bench.acquirer.cancel({ bankId, amountKopecks: 25_920 }, bench.deadline(8_000)));
    const reading = await read(bankId);
    expect(reading.kind === "payment" && ["paid", "refunding", "refunded"].includes(reading.payment.status)).toBe(true);
  });

  it("returns all money", async () => {
    const bankId = await bench.createdAnd("paid");
    const made = await refund(bankId);
    expect(["accepted", "done"]).toContain(made.kind);
    const { bankRefundId } = made as { bankRefundId: string };
    if (made.kind === "accepted") expect(await refundStanding(bankId, { bankRefundId })).toEqual({ kind: "pending" });
    bench.double?.finishRefunds();
    expect(await refundStanding(bankId, { bankRefundId })).toEqual({ kind: "done" });
    expect(await refundStanding(bankId)).toEqual({ kind: "done" });
    expect(await read(bankId)).toMatchObject({ payment: { status: "refunded" } });
  });

  it("returns a part of the money, and then the rest", async () => {
    const bankId = await bench.createdAnd("paid");
    await refund(bankId, { amountKopecks: 10_000 });
    bench.double?.finishRefunds();
    expect(await refundStanding(bankId, { amountKopecks: 10_000 })).toEqual({ kind: "done" });
    expect(await read(bankId)).toMatchObject({ payment: { status: "partly refunded" } });
    const rest = { number: 2, amountKopecks: 15_920, refundedBeforeKopecks: 10_000 };
    expect(await refundStanding(bankId, rest)).toEqual({ kind: "none" });
    await refund(bankId, rest);
    bench.double?.finishRefunds();
    expect(await refundStanding(bankId, rest)).toEqual({ kind: "done" });
    expect(await read(bankId)).toMatchObject({ payment: { status: "refunded" } });
  });

  it("says that a refund was refused and the payment stands", async () => {
    if (bench.double !== undefined) bench.double.refusesRefunds = true;
    const bankId = await bench.created(bench.double === undefined ? { amountKopecks: 25_907 } : {});
    bench.double?.happen(bankId, "paid");
    if (bench.double === undefined) await bench.clock.advance(1_000);
    const made = await refund(bankId);
    bench.double?.finishRefunds();
    const standing = made.kind === "accepted" ? await refundStanding(bankId, { bankRefundId: made.bankRefundId }) : made;
    expect(standing).toMatchObject({ kind: "refused", reason: { code: "buyer-bank" }, next: "person" });
    expect(await read(bankId)).toMatchObject({ payment: { status: "paid" } });
  });

  it("returns money once for each number, where it says so", async () => {
    const bankId = await bench.createdAnd("paid");
    if (!bench.account.capabilities.refundIdempotent) return;
    await refund(bankId, { amountKopecks: 10_000 });
    await refund(bankId, { amountKopecks: 10_000 });
    bench.double?.finishRefunds();
    expect(await read(bankId)).toMatchObject({ payment: { status: "partly refunded", refundedKopecks: 10_000 } });
  });

  it("shows no trace of a refund that was not sent", async () => {
    const bankId = await bench.createdAnd("paid");
    expect(await refundStanding(bankId)).toEqual({ kind: "none" });
  });

  it("answers from a second client, which another process may have", async () => {
    const bankId = await bench.created();
    const other = bench.account.open(bench.services());
    expect(await bench.settled(other.read(bankId, bench.deadline()))).toMatchObject({ kind: "payment", payment: { status: "waiting" } });
    await other.close();
  });
});
