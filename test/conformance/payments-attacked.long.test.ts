import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { reconcile } from "../../src/operator/payments/reconcile.ts";
import { type TestBank, testBank } from "../support/bank.ts";
import { BankProxy, type CallFate } from "../support/bank-proxy.ts";
import { PaymentBench, START_MS } from "../support/payment-bench.ts";

const AMOUNT = 25_920;
const HOUR_MS = 3_600_000;
const SECOND_MS = 1_000;
/** The allowance of an account: so many at once, and so many each second. */
const AT_ONCE = 5;
const EACH_SECOND = 5;

interface BankRow {
  id: string;
  status: string;
  refunded: number;
  refundAttempts: number;
}

describe.each(["yookassa", "tbank"] as const)("a QR payment at %s that somebody tries to break", (name) => {
  let bench: PaymentBench;
  let bank: TestBank;
  let proxy: BankProxy;

  beforeEach(async () => {
    bank = await testBank(name);
    bank.clock.jumpTo(START_MS);
    proxy = new BankProxy(bank.base);
    await proxy.open();
    bench = await PaymentBench.open({ setting: bank.acquirer, clock: bank.clock, addresses: { [name]: proxy.base } });
  });

  afterEach(async () => {
    await bench.close();
    await proxy.close();
    await bank.close();
  });

  const rows = async () => (await bank.order("GET", "/payments")).body as BankRow[];
  const only = async () => {
    const [row, ...more] = await rows();
    if (row === undefined || more.length > 0) throw new Error(`the bank has ${more.length + (row === undefined ? 0 : 1)} payments`);
    return row;
  };
  const pay = async () => bank.order("POST", `/payments/${(await only()).id}/pay`, { late: true });
  const isReading = ({ method, path }: { method: string; path: string }) => method === "GET" || /GetState/.test(path);
  const isRefund = ({ method, path }: { method: string; path: string }) => method === "POST" && /refunds|Cancel/.test(path);
  const told = async () => {
    await bench.create();
    await pay();
    await bench.follow(2_500);
    expect(await bench.state()).toMatchObject({ status: "DONE" });
  };

  it.each(["page", "half"] as const)(
    "stays as it is when the bank answers each reading with a %s, and a person hears of it once",
    async (what) => {
      await bench.create();
      await pay();
      proxy.before = (call) => (isReading(call) ? what : "pass");
      await bench.follow(60_000);
      expect(await bench.state()).toMatchObject({ status: "IN_PROGRESS" });
      expect(bench.alerts()).toEqual(["an acquirer answers what cannot be understood; payments stay as they are, and a person must look"]);
      proxy.before = () => "pass";
      await bench.follow(60_000);
      expect(await bench.state()).toMatchObject({ status: "DONE" });
    },
  );

  it("is never DONE while each reading names another amount or currency, and a person is told", async () => {
    await bench.create();
    await pay();
    let readings = 0;
    const changed = (text: string) => {
      readings += 1;
      const other = String(AMOUNT + readings);
      return readings % 2 === 0
        ? text.replaceAll("RUB", "USD").replace(/"Amount":\d+/, `"Amount":${other}`)
        : text.replaceAll("259.20", (AMOUNT / 100 + readings).toFixed(2)).replace(/"Amount":\d+/, `"Amount":${other}`);
    };
    proxy.before = (call): CallFate => (isReading(call) ? { answer: changed } : "pass");
    await bench.follow(12 * 60_000);
    expect(readings).toBeGreaterThan(2);
    expect(await bench.state()).toMatchObject({ status: "IN_PROGRESS" });
    expect((await bench.stored()).payment).toMatchObject({ state: "unknown", doubt: "mismatch" });
    expect(bench.alerts()).toEqual(["a person must look at a payment"]);
  });

  it("gives a part back once when the answers to the refund are lost for longer than the bank knows its number", async () => {
    await told();
    proxy.before = (call) => (isRefund(call) ? "lost-after" : isReading(call) || /GetQrState/.test(call.path) ? "lost-before" : "pass");
    await bench.cancel({ amountKopecks: 10_000 });
    await bench.clock.advance(25 * HOUR_MS);
    proxy.before = () => "pass";
    await bench.follow(2 * HOUR_MS);
    expect(await only()).toMatchObject({ refunded: 10_000 });
    expect((await bench.stored()).payment).toMatchObject({ state: "partly refunded", refundedKopecks: 10_000 });
    expect(await bench.state()).toMatchObject({ status: "DONE" });
  });

  it("asks the bank for a refund of days ago before it is left to a person", async () => {
    await told();
    proxy.before = (call) => (isRefund(call) ? "lost-after" : "pass");
    await bench.cancel({ amountKopecks: 10_000 });
    proxy.before = () => "pass";
    await bench.clock.advance(7 * 24 * HOUR_MS);
    await bench.follow(60_000);
    expect((await bench.stored()).refunds).toMatchObject([{ state: "done" }]);
    expect(bench.alerts()).toEqual([]);
    expect(await only()).toMatchObject({ refunded: 10_000 });
  });

  it("is never called agreed while money that should go back does not, however long ago it was", async () => {
    await bench.create();
    await pay();
    await bank.order("PUT", "/faults", { "refund-refused": 1 });
    await bench.cancel();
    await bench.follow(HOUR_MS);
    expect(await bench.state()).toMatchObject({ status: "REJECTED" });
    expect((await bench.stored()).refunds).toMatchObject([{ state: "person" }]);
    await bench.clock.advance(100 * HOUR_MS);
    const results: unknown[] = [];
    const { services, clients, turns } = bench;
    const desk = { services, clients, turns, journal: { get: async () => undefined } };
    await bench.settled(reconcile(desk, new AbortController().signal, ({ result }) => void results.push(result)));
    expect(results).toEqual([{ kind: "differs", difference: { code: "not-returned", kopecks: AMOUNT } }]);
  });

  it("cancels many payments at once without asking the bank more often than it may be asked", async () => {
    const operations = Array.from({ length: 30 }, (_, number) => ({ operationId: `operation-${number}` }));
    for (const operation of operations) await bench.create(operation);
    await bench.clock.advance(10 * SECOND_MS);
    const sinceMs = bench.clock.monotonicMs();
    const at: number[] = [];
    proxy.before = () => {
      at.push(bench.clock.monotonicMs() - sinceMs);
      return "pass";
    };
    await Promise.all(operations.map((operation) => bench.cancel(operation)));
    await bench.follow(60_000);
    for (const operation of operations) expect(await bench.state(operation)).toMatchObject({ status: "REJECTED" });
    for (const from of at) {
      const within = at.filter((each) => each >= from && each < from + 2 * SECOND_MS).length;
      expect(within).toBeLessThanOrEqual(AT_ONCE + 2 * EACH_SECOND);
    }
  });

  it("leaves no lease behind when nobody works on it any more", async () => {
    await told();
    await bench.create({ operationId: "declined" });
    const row = (await rows()).find(({ status }) => !/CONFIRMED|succeeded/.test(status));
    await bank.order("POST", `/payments/${row?.id}/decline`);
    await bench.follow(5_000);
    for (let hour = 0; hour < 2; hour += 1) {
      await bench.clock.advance(HOUR_MS);
      await bench.follow(1_000);
    }
    const leases = await bench.store.read((db) => db.selectFrom("leases").select("name").execute());
    expect(leases).toEqual([]);
  });

  it("gets its code at a repeated create although a reading came before it", async () => {
    proxy.before = ({ method, path }) => (method === "POST" && /GetQr$|payments$/.test(path) ? "lost-after" : "pass");
    expect(await bench.create()).toEqual({ kind: "unreachable" });
    await bench.follow(4_000);
    proxy.before = () => "pass";
    expect(await bench.create()).toMatchObject({ kind: "created" });
    expect(await rows()).toHaveLength(1);
  });

  it("gives money back that came for it although its answer was lost and the bank was away until after its end", async () => {
    let isAway = false;
    proxy.before = ({ method, path }) => {
      if (isAway) return "lost-before";
      isAway = method === "POST" && /Init$|payments$/.test(path);
      return isAway ? "lost-after" : "pass";
    };
    expect(await bench.create()).toEqual({ kind: "unreachable" });
    await bench.follow(13 * 60_000);
    expect((await bench.stored()).payment).toMatchObject({ state: "expired", reason: { code: "no-answer" } });
    expect(await bench.state()).toMatchObject({ status: "REJECTED" });
    expect(bench.alerts().join("\n")).toContain("unknown whether the bank has made it");
    await pay();
    proxy.before = () => "pass";
    await bench.follow(6 * 60_000);
    expect(await only()).toMatchObject({ refunded: AMOUNT });
    expect(await bench.state()).toMatchObject({ status: "REJECTED" });
  });

  it("stays REJECTED when a till has cancelled it after it ended without a code", async () => {
    proxy.before = () => "lost-before";
    expect(await bench.create()).toEqual({ kind: "unreachable" });
    await bench.follow(13 * 60_000);
    expect((await bench.stored()).payment.state).toBe("expired");
    expect(await bench.cancel()).toEqual({ kind: "cancelled" });
    proxy.before = () => "pass";
    expect(await bench.create()).not.toMatchObject({ kind: "created" });
    expect(await bench.state()).toMatchObject({ status: "REJECTED" });
    expect(await rows()).toEqual([]);
  });
});
