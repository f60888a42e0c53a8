import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Acquirer, AcquirerKind, Found, PaymentReading, Refunded, RefundReading } from "../../src/acquirers/acquirer.ts";
import { ACQUIRERS } from "../../src/acquirers/catalogue.ts";
import { findPayment } from "../../src/operator/payments/find-payment.ts";
import { paymentList } from "../../src/operator/payments/list-payments.ts";
import { paymentStory } from "../../src/operator/payments/payment-story.ts";
import { type Reconciled, reconcile } from "../../src/operator/payments/reconcile.ts";
import { refundPayment } from "../../src/operator/payments/refund-payment.ts";
import type { OperatorPayments } from "../../src/operator/payments/services.ts";
import { settlePayment } from "../../src/operator/payments/settle-payment.ts";
import { insertPayment, paymentById } from "../../src/payments/payment-queries.ts";
import { leaseOf } from "../../src/payments/turns/turns.ts";
import { ACCOUNT, PaymentBench, STORE } from "../support/payment-bench.ts";

const AMOUNT = 25_920;
/** Amounts by which the simulated acquirer decides. */
const [NEVER_PAID, UNREACHABLE, PAID_LATE] = [25_902, 25_905, 25_908];
const HOUR_MS = 3_600_000;

/** Answers of the bank in place of the simulated acquirer's. Undefined: no replacement. */
interface Overrides {
  read?: (reading: PaymentReading) => PaymentReading;
  find?: () => Found;
  refund?: () => Refunded;
  readRefund?: () => RefundReading;
}

describe("a person's work on QR payments", () => {
  let bench: PaymentBench;
  let desk: OperatorPayments;
  let overrides: Overrides;

  beforeEach(async () => {
    overrides = {};
    bench = await PaymentBench.open({ kinds: ACQUIRERS.map((kind) => overridden(kind, () => overrides)) });
    desk = deskOf(bench);
  });

  afterEach(() => bench.close());

  async function paid(operationId = "operation-1", amountKopecks = AMOUNT) {
    await bench.create({ operationId, amountKopecks });
    await bench.follow(3_000);
    await bench.state({ operationId });
    return bench.stored(operationId);
  }

  async function refund(order: { amountKopecks?: number } = {}, operationId = "operation-1") {
    const { payment } = await bench.stored(operationId);
    return bench.settled(refundPayment(desk, payment, { reason: "the buyer came back", ...order }));
  }

  async function settle(decision: "paid" | "not-paid", operationId = "operation-1") {
    const { payment } = await bench.stored(operationId);
    return bench.settled(settlePayment(desk, payment, { decision, reason: "seen at the bank" }));
  }

  async function reconciled(): Promise<Record<string, Reconciled["result"]>> {
    const rows: Record<string, Reconciled["result"]> = {};
    const running = reconcile(desk, new AbortController().signal, ({ payment, result }) => {
      rows[payment.operationId] = result;
    });
    await bench.settled(running);
    return rows;
  }

  const movesOf = async (operationId = "operation-1") =>
    (await paymentStory(desk, (await bench.stored(operationId)).payment.id)).moves.map(({ from, to, why }) => [from, to, why]);

  describe("finding and listing", () => {
    it("finds a payment by our id, the operation's and the bank's", async () => {
      const { payment } = await paid();
      for (const id of [payment.id, "operation-1", payment.bankId ?? ""])
        expect(await findPayment(desk, id)).toMatchObject({ kind: "found", payment: { id: payment.id } });
      expect(await findPayment(desk, "nothing")).toEqual({ kind: "none" });
    });

    it("means the newest attempt of an operation, and finds an earlier one by our id", async () => {
      await bench.create({ amountKopecks: 25_904 });
      const { payment: first } = await bench.stored();
      const { payment: second } = await paid();
      expect(await findPayment(desk, "operation-1")).toMatchObject({ kind: "found", payment: { id: second.id, attempt: 2 } });
      expect(await findPayment(desk, first.id)).toMatchObject({ kind: "found", payment: { id: first.id, attempt: 1 } });
    });

    it("names the candidates when an id means several payments", async () => {
      const { payment } = await paid();
      await bench.create({ operationId: payment.bankId ?? "" });
      const found = await findPayment(desk, payment.bankId ?? "");
      expect(found.kind === "ambiguous" && found.candidates.map(({ operationId }) => operationId).toSorted()).toEqual(
        ["operation-1", payment.bankId].toSorted(),
      );
    });

    it("lists by account, point of sale and state, the newest first, and says when there are more", async () => {
      await paid("one");
      await paid("two");
      await bench.create({ operationId: "three", amountKopecks: NEVER_PAID });
      const names = async (wish: object) => {
        const { payments, more } = await paymentList(desk, { limit: 10, ...wish });
        return [...payments.map(({ operationId }) => operationId), ...(more ? ["…"] : [])];
      };
      expect(await names({})).toEqual(["three", "two", "one"]);
      expect(await names({ limit: 2 })).toEqual(["three", "two", "…"]);
      expect(await names({ state: "paid" })).toEqual(["two", "one"]);
      expect(await names({ accountId: ACCOUNT, storeId: STORE })).toHaveLength(3);
      expect(await names({ accountId: "another" })).toEqual([]);
      expect(await names({ storeId: "another" })).toEqual([]);
    });

    it("goes through more payments than it reads at once, also those of one moment", async () => {
      const { payment } = await paid();
      const row = await bench.store.read((db) => paymentById(db, payment.id));
      if (row === undefined) throw new Error("the payment is gone");
      await bench.store.commit(async (tx) => {
        for (let number = 0; number < 1_200; number += 1)
          await insertPayment(tx, {
            ...row,
            id: `copy-${String(number).padStart(4, "0")}`,
            operation_id: `copy-${number}`,
            sale_entry_id: null,
          });
      });
      const { payments, more } = await paymentList(desk, { limit: 2_000, day: "2026-03-02" });
      expect([new Set(payments.map(({ id }) => id)).size, more]).toEqual([1_201, false]);
    });

    it("takes a day in the zone of the point of sale", async () => {
      // 12:00 in Moscow is 20:00 in Magadan.
      await paid("noon");
      await bench.clock.advance(5 * HOUR_MS);
      await paid("evening");
      const names = async (day: string) => (await paymentList(desk, { limit: 10, day })).payments.map(({ operationId }) => operationId);
      expect(await names("2026-03-02")).toEqual(["evening", "noon"]);
      expect(await names("2026-03-03")).toEqual([]);
      bench.settings = { ...bench.settings, timeZone: "Asia/Magadan" };
      expect([await names("2026-03-02"), await names("2026-03-03")]).toEqual([["noon"], ["evening"]]);
    });
  });

  describe("refunding", () => {
    it("returns a part and then all that is left, and records the person's words", async () => {
      await paid();
      expect(await refund({ amountKopecks: 10_000 })).toEqual({ kind: "ordered", number: 1 });
      expect((await bench.stored()).payment).toMatchObject({ state: "partly refunded", told: "DONE" });
      expect(await refund()).toEqual({ kind: "ordered", number: 2 });
      const { payment, refunds } = await bench.stored();
      expect(payment).toMatchObject({ state: "refunded", refundedKopecks: AMOUNT, told: "DONE" });
      expect(refunds.map(({ amountKopecks, state, cause }) => [amountKopecks, state, cause])).toEqual([
        [10_000, "done", "person"],
        [15_920, "done", "person"],
      ]);
      expect(await movesOf()).toContainEqual(["partly refunded", "refunding", "refund; person: the buyer came back"]);
      expect(await bench.state()).toMatchObject({ status: "DONE" });
    });

    it("is refused with a code where nothing can go back", async () => {
      await bench.create({ operationId: "waiting", amountKopecks: NEVER_PAID });
      expect(await refund({}, "waiting")).toEqual({ kind: "refused", because: { code: "not-paid", state: "waiting" } });
      await paid();
      expect(await refund({ amountKopecks: AMOUNT + 1 })).toEqual({
        kind: "refused",
        because: { code: "above-remainder", leftKopecks: AMOUNT },
      });
      expect(await refund({ amountKopecks: 0 })).toMatchObject({ because: { code: "below-least" } });
      await refund();
      expect(await refund()).toEqual({ kind: "refused", because: { code: "nothing-left" } });
      expect((await bench.stored()).refunds).toHaveLength(1);
    });

    it("of a payment that the till has not asked for goes back whole only, and the till hears REJECTED", async () => {
      await bench.create();
      await bench.follow(3_000);
      expect(await refund({ amountKopecks: 10_000 })).toEqual({ kind: "refused", because: { code: "till-not-told" } });
      expect(await refund()).toMatchObject({ kind: "ordered" });
      expect((await bench.stored()).payment).toMatchObject({ state: "refunded", cancelled: true });
      expect(await bench.state()).toMatchObject({ status: "REJECTED" });
    });

    it("of late money that waits for a person leaves the payment expired", async () => {
      bench.settings = { ...bench.settings, lateMoney: "person" };
      await bench.create({ amountKopecks: PAID_LATE });
      await bench.follow(15 * 60_000);
      expect(await refund()).toMatchObject({ kind: "ordered" });
      const { payment, refunds } = await bench.stored();
      expect(payment).toMatchObject({ state: "expired", late: { state: "refund" } });
      expect(refunds).toMatchObject([{ cause: "person", state: "done", amountKopecks: PAID_LATE }]);
      expect(await movesOf()).toContainEqual(["expired", "expired", "refund of late money; person: the buyer came back"]);
    });

    it("is stored, and sent by the server when that has the payment", async () => {
      const { payment } = await paid();
      const server = await PaymentBench.open({ store: bench.store, clock: bench.clock, dataDir: bench.dataDir });
      const lease = await server.services.leases.take(leaseOf(payment.id));
      expect(await refund()).toMatchObject({ kind: "ordered" });
      expect(await bench.stored()).toMatchObject({ payment: { state: "refunding" }, refunds: [{ state: "queued" }] });
      if (lease !== undefined) await server.services.leases.release(lease);
      await server.follow(2_000);
      expect(await bench.stored()).toMatchObject({ payment: { state: "refunded" }, refunds: [{ state: "done" }] });
      await server.clients.close();
    });
  });

  describe("settling", () => {
    it.each([
      ["paid", "paid", "DONE"],
      ["not-paid", "declined", "REJECTED"],
    ] as const)("a payment that nobody understands as %s makes it %s, and the till hears %s", async (decision, state, status) => {
      await bench.create({ amountKopecks: NEVER_PAID });
      overrides.read = strange;
      await bench.follow(3_000);
      expect((await bench.stored()).payment.state).toBe("unknown");
      expect(await bench.state()).toMatchObject({ status: "IN_PROGRESS" });
      expect(await settle(decision)).toEqual({ kind: "payment-settled" });
      expect((await bench.stored()).payment.state).toBe(state);
      expect(await movesOf()).toContainEqual(["unknown", state, `person: ${decision}; seen at the bank`]);
      expect(await bench.state()).toMatchObject({ status });
    });

    it("a payment that the till has cancelled as paid sends the money back", async () => {
      await bench.create();
      overrides.read = strange;
      await bench.follow(3_000);
      await bench.cancel();
      overrides = {};
      const { payment } = await bench.stored();
      expect(payment).toMatchObject({ state: "unknown", cancelled: true });
      await settle("paid");
      await bench.follow(2_000);
      expect((await bench.stored()).payment).toMatchObject({ state: "refunded" });
      expect(await bench.state()).toMatchObject({ status: "REJECTED" });
    });

    it.each([
      ["paid", "refused", "paid", 0],
      ["not-paid", "done", "refunded", AMOUNT],
    ] as const)("a refund that waits for a person as %s makes it %s and the payment %s", async (decision, refundState, state, kopecks) => {
      await paid();
      overrides = { refund: () => ({ kind: "accepted" }), readRefund: () => ({ kind: "none" }) };
      await refund();
      await bench.follow(5_000);
      expect(await bench.stored()).toMatchObject({ payment: { state: "paid" }, refunds: [{ state: "person" }] });
      expect(await refund()).toMatchObject({ because: { code: "nothing-left" } });
      expect(await settle(decision)).toEqual({ kind: "refund-settled", number: 1, waiting: 0 });
      const stored = await bench.stored();
      expect(stored).toMatchObject({ payment: { state, refundedKopecks: kopecks }, refunds: [{ state: refundState }] });
      expect(stored.payment.nextReadAtMs).toBeUndefined();
      expect((await movesOf()).map(([, , why]) => why)).toContainEqual(
        expect.stringMatching(/^person: refund 1 has .*; seen at the bank$/),
      );
    });

    it("is refused with a code where nothing waits for a person", async () => {
      await paid();
      expect(await settle("not-paid")).toEqual({ kind: "refused", because: { code: "nothing-open", state: "paid" } });
    });
  });

  describe("reconciling", () => {
    it("tells what agrees, and follows what the bank has done meanwhile", async () => {
      await paid("agrees");
      await bench.create({ operationId: "changed" });
      await bench.create({ operationId: "waits", amountKopecks: NEVER_PAID });
      await bench.clock.advance(5_000);
      expect(await reconciled()).toMatchObject({
        agrees: { kind: "agrees" },
        changed: { kind: "changed", from: "waiting", to: "paid" },
        waits: { kind: "agrees" },
      });
      expect((await bench.stored("changed")).payment.state).toBe("paid");
    });

    it("finds money that came after nobody watched any more", async () => {
      bench.settings = { ...bench.settings, lateMoney: "person" };
      await bench.create({ amountKopecks: NEVER_PAID });
      await bench.follow(40 * 60_000);
      expect((await bench.stored()).payment.nextReadAtMs).toBeUndefined();
      overrides.read = (reading) =>
        reading.kind === "payment" ? { ...reading, payment: { ...reading.payment, status: "paid" } } : reading;
      expect(await reconciled()).toEqual({ "operation-1": { kind: "differs", difference: { code: "late-money", kopecks: NEVER_PAID } } });
      expect((await bench.stored()).payment).toMatchObject({ state: "expired", late: { state: "person" } });
    });

    it.each([
      ["amount", { amountKopecks: 1 }, { code: "amount", ours: AMOUNT, bank: 1 }],
      ["refunded sum", { refundedKopecks: 500, status: "partly refunded" }, { code: "refunded", ours: 0, bank: 500 }],
      ["status", { status: "expired" }, { code: "status", ours: "paid", bank: "expired" }],
    ] as const)("tells another %s at the bank of a paid payment", async (_what, change, difference) => {
      await paid();
      overrides.read = (reading) => (reading.kind === "payment" ? { ...reading, payment: { ...reading.payment, ...change } } : reading);
      expect(await reconciled()).toEqual({ "operation-1": { kind: "differs", difference } });
    });

    it("compares the sums also while a refund waits for its time", async () => {
      await paid();
      overrides.refund = () => ({ kind: "refused", reason: { code: "refused" }, next: "later" });
      await refund({ amountKopecks: 10_000 });
      expect((await bench.stored()).payment.state).toBe("refunding");
      expect(await reconciled()).toEqual({ "operation-1": { kind: "agrees" } });
      overrides.read = (reading) =>
        reading.kind === "payment"
          ? { ...reading, payment: { ...reading.payment, status: "partly refunded", refundedKopecks: 20_000 } }
          : reading;
      expect(await reconciled()).toEqual({
        "operation-1": { kind: "differs", difference: { code: "refunded", ours: 0, bank: 20_000 } },
      });
    });

    it("tells what could not be read, and never calls it agreed", async () => {
      await paid("paid");
      await bench.create({ operationId: "waits", amountKopecks: NEVER_PAID });
      await bench.create({ operationId: "lost", amountKopecks: UNREACHABLE });
      overrides.read = () => ({ kind: "unknown", problem: "no answer" });
      const rows = await reconciled();
      for (const name of ["paid", "waits", "lost"]) expect(rows[name]).toEqual({ kind: "unreachable", why: "no-answer" });
    });

    it("asks the bank for a payment that ended before its id was known", async () => {
      overrides.find = () => ({ kind: "unknown", problem: "no answer" });
      await bench.create({ amountKopecks: UNREACHABLE });
      await bench.follow(14 * 60_000);
      const { payment } = await bench.stored();
      expect([payment.state, payment.bankId]).toEqual(["expired", undefined]);
      expect(await reconciled()).toEqual({ "operation-1": { kind: "unreachable", why: "no-answer" } });
      overrides.find = () => ({ kind: "repeat-create" });
      expect(await reconciled()).toEqual({ "operation-1": { kind: "unreachable", why: "cannot-be-found" } });
      const found = { bankId: "b", status: "paid", rawStatus: "paid", amountKopecks: UNREACHABLE } as const;
      overrides.find = () => ({ kind: "payment", payment: found });
      expect(await reconciled()).toMatchObject({ "operation-1": { kind: "differs", difference: { code: "status", bank: "paid" } } });
      overrides = {};
      expect(await reconciled()).toEqual({ "operation-1": { kind: "agrees" } });
    });

    it("looks at what is over for three days", async () => {
      await paid();
      await bench.clock.advance(73 * HOUR_MS);
      expect(await reconciled()).toEqual({});
    });

    it("reads no account more often than it may be read", async () => {
      for (let number = 0; number < 20; number += 1) await paid(`operation-${number}`);
      let reads = 0;
      overrides.read = (reading) => {
        reads += 1;
        return reading;
      };
      const beganMs = bench.clock.nowMs();
      await reconciled();
      expect(reads).toBe(20);
      expect(bench.clock.nowMs() - beganMs).toBeGreaterThanOrEqual(3_000);
    });
  });
});

const strange = (reading: PaymentReading): PaymentReading =>
  reading.kind === "payment" ? { ...reading, payment: { ...reading.payment, status: "unknown", rawStatus: "NEW_WORD" } } : reading;

function deskOf({ services, clients, turns }: PaymentBench): OperatorPayments {
  return { services, clients, turns, journal: { get: async () => undefined } };
}

function overridden(kind: AcquirerKind, overrides: () => Overrides): AcquirerKind {
  return {
    ...kind,
    parse(setting) {
      const parsed = kind.parse(setting);
      if (parsed.kind === "invalid") return parsed;
      const { account } = parsed;
      return { kind: "account", account: { ...account, open: (services) => speaking(account.open(services), overrides) } };
    },
  };
}

function speaking(client: Acquirer, overrides: () => Overrides): Acquirer {
  return {
    create: (...order) => client.create(...order),
    cancel: (...order) => client.cancel(...order),
    close: () => client.close(),
    async read(...order) {
      const reading = await client.read(...order);
      return overrides().read?.(reading) ?? reading;
    },
    find: async (...order) => overrides().find?.() ?? client.find(...order),
    refund: async (...order) => overrides().refund?.() ?? client.refund(...order),
    readRefund: async (...order) => overrides().readRefund?.() ?? client.readRefund(...order),
  };
}
