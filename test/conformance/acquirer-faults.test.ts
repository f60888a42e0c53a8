import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AcquirerBench, NETWORKED } from "../support/acquirers.ts";
import type { BankFault, BankReply } from "../support/bank-server.ts";

const DOUBTFUL: readonly BankFault[] = [
  "lost-before",
  "lost-after",
  "silent-after",
  "error-after",
  "page-after",
  "half-after",
  "long-after",
];

describe.each(NETWORKED)("a bank of kind %s in trouble", (name) => {
  let bench: AcquirerBench;

  beforeEach(async () => {
    bench = await AcquirerBench.open(name);
  });

  afterEach(() => bench.close());

  const create = (changes = {}) => bench.settled(bench.acquirer.create(bench.order(changes), bench.deadline()));
  const read = (bankId: string) => bench.settled(bench.acquirer.read(bankId, bench.deadline()));
  const refund = (bankId: string) => bench.settled(bench.acquirer.refund(bench.refundOrder(bankId), bench.deadline(8_000)));
  const changed = (reply: BankReply, members: Record<string, unknown>) => ({ ...reply, body: { ...(reply.body as object), ...members } });

  it.each(DOUBTFUL)("leaves create unknown when every answer is %s", async (fault) => {
    bench.server.faults = [fault, fault, fault];
    const made = await create();
    expect(made).toMatchObject({ kind: "unknown", problem: expect.stringMatching(/./) });
    expect(made).not.toHaveProperty("neverLeft");
    const isRead = fault === "page-after" || fault === "half-after" || fault === "long-after";
    expect(bench.observed).toEqual([isRead ? "create unreadable" : "create unknown"]);
  });

  it("ends by the deadline when the bank is silent", async () => {
    bench.server.faults = ["silent-after", "silent-after"];
    const startMs = bench.clock.monotonicMs();
    await create();
    expect(bench.clock.monotonicMs() - startMs).toBeLessThanOrEqual(5_100);
  });

  it("makes one payment although the answer to create was lost", async () => {
    bench.server.faults = ["lost-after"];
    let made = await create();
    if (made.kind === "unknown") {
      const found = await bench.settled(bench.acquirer.find(bench.order(), bench.deadline()));
      if (found.kind !== "payment") throw new Error(`find answered ${found.kind}`);
      made = await create({ bankId: found.payment.bankId });
    }
    expect(made).toMatchObject({ kind: "created", qrText: expect.stringContaining("sum=25920") });
    const created = bench.double as { payments?: readonly unknown[] };
    expect(created.payments).toHaveLength(1);
  });

  it("says that the bank is busy, and tries once more while time is left", async () => {
    bench.server.faults = ["busy", "busy"];
    expect(await create()).toEqual({ kind: "busy" });
    expect(bench.server.requests).toHaveLength(2);
    bench.server.faults = ["busy"];
    expect(await create()).toMatchObject({ kind: "created" });
  });

  it("does not call busy what may have been made by a try before", async () => {
    bench.server.faults = ["lost-after", "busy"];
    expect(await create()).toMatchObject({ kind: "unknown" });
  });

  it("knows that nothing left when nobody listens", async () => {
    const bankId = await bench.createdAnd("paid");
    await bench.server.close();
    expect(await create()).toMatchObject({ kind: "unknown", neverLeft: true });
    expect(await refund(bankId)).toMatchObject({ kind: "unknown", neverLeft: true });
    expect(await read(bankId)).toMatchObject({ kind: "unknown" });
    await bench.server.open();
  });

  it("sends nothing without time", async () => {
    expect(await bench.acquirer.create(bench.order(), bench.deadline(0))).toMatchObject({ kind: "unknown", neverLeft: true });
    expect(bench.server.requests).toEqual([]);
  });

  it("keeps its connection between calls", async () => {
    const bankId = await bench.created();
    for (let call = 0; call < 20; call += 1) await read(bankId);
    // The pool opens another connection when the last answer has not quite ended.
    expect(bench.server.connections).toBeLessThan(8);
  });

  it("shows no code when the bank names another amount", async () => {
    const members = name === "tbank" ? { Amount: 25_921 } : { amount: { value: "259.21", currency: "RUB" } };
    bench.server.faults = [(reply) => changed(reply, members)];
    expect(await create()).toMatchObject({ kind: "begun", mismatch: true });
  });

  it.each(["lost-before", "silent-after", "error-after", "page-after", "half-after", "long-after"] as const)(
    "reads as unknown what is %s",
    async (fault) => {
      const bankId = await bench.created();
      bench.server.faults = [fault];
      expect(await read(bankId)).toMatchObject({ kind: "unknown" });
    },
  );

  it("reads as unknown an amount with a fraction of a kopeck", async () => {
    const bankId = await bench.created();
    const members = name === "tbank" ? { Amount: 25_920.5 } : { amount: { value: "259.205", currency: "RUB" } };
    bench.server.faults = [(reply) => changed(reply, members)];
    expect(await read(bankId)).toMatchObject({ kind: "unknown" });
  });

  it("reads an unlisted status as unknown and keeps the word", async () => {
    const bankId = await bench.created();
    bench.server.faults = [(reply) => changed(reply, name === "tbank" ? { Status: "DREAMING" } : { status: "dreaming" })];
    expect(await read(bankId)).toMatchObject({
      kind: "payment",
      payment: { status: "unknown", rawStatus: expect.stringMatching(/^dreaming$/i) },
    });
  });

  it("does not take another payment for the one asked for", async () => {
    const bankId = await bench.created();
    bench.server.faults = [(reply) => changed(reply, name === "tbank" ? { PaymentId: "1" } : { id: "1" })];
    expect(await read(bankId)).toMatchObject({ kind: "unknown" });
  });

  it("reads a new member in an answer without harm", async () => {
    const bankId = await bench.created();
    bench.server.faults = [(reply) => changed(reply, { brandNew: { deep: [1, 2, 3] } })];
    expect(await read(bankId)).toMatchObject({ kind: "payment", payment: { status: "waiting" } });
  });

  it("leaves a refund unknown whose answers are lost, and pays once", async () => {
    const bankId = await bench.createdAnd("paid");
    bench.server.faults = ["lost-after", "lost-after"];
    const made = await refund(bankId);
    expect(made).toMatchObject({ kind: "unknown" });
    expect(made).not.toHaveProperty("neverLeft");
    bench.server.faults = [];
    if (bench.account.capabilities.refundIdempotent) await refund(bankId);
    bench.double?.finishRefunds();
    const standing = await bench.settled(bench.acquirer.readRefund(bench.refundOrder(bankId), bench.deadline()));
    expect(standing).toEqual({ kind: "done" });
    expect(await read(bankId)).toMatchObject({ payment: { status: "refunded" } });
  });

  it("says that its credentials are wrong, and that a person must look", async () => {
    const other = name === "tbank" ? "tbank?terminalKey=DemoTerm01&password=other" : "yookassa?shopId=100500&secretKey=other";
    const wrong = await AcquirerBench.open(name, other);
    const made = await wrong.settled(wrong.acquirer.create(wrong.order(), wrong.deadline()));
    expect(made).toMatchObject({ kind: "refused", reason: { code: "settings" }, alert: true });
    expect(JSON.stringify(made)).not.toContain("other");
    await wrong.close();
  });
});
