import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { YookassaDouble } from "../support/acquirer-doubles.ts";
import { AcquirerBench, PAYMENT_ID } from "../support/acquirers.ts";
import type { BankReply } from "../support/bank-server.ts";

const HOUR_MS = 3_600_000;

describe("YooKassa", () => {
  let bench: AcquirerBench;

  beforeEach(async () => {
    bench = await AcquirerBench.open("yookassa");
  });

  afterEach(() => bench.close());

  const create = (changes = {}) => bench.settled(bench.acquirer.create(bench.order(changes), bench.deadline()));
  const find = () => bench.settled(bench.acquirer.find(bench.order(), bench.deadline()));
  const keys = () => bench.server.requests.map(({ headers }) => headers["idempotence-key"]);
  const doubled = () => {
    if (!(bench.double instanceof YookassaDouble)) throw new Error("no double of YooKassa");
    return bench.double;
  };

  it("repeats create once with the same key, 1.8 s after HTTP 500", async () => {
    bench.server.faults = ["error-after"];
    const startMs = bench.clock.monotonicMs();
    expect(await create()).toMatchObject({ kind: "created" });
    expect(bench.clock.monotonicMs() - startMs).toBeGreaterThanOrEqual(1_800);
    expect(keys()).toEqual([`${PAYMENT_ID}create`, `${PAYMENT_ID}create`]);
    expect(doubled().payments).toHaveLength(1);
  });

  it("repeats create after HTTP 202", async () => {
    bench.server.faults = [() => ({ status: 202, body: { type: "processing" } })];
    expect(await create()).toMatchObject({ kind: "created" });
  });

  it("does not repeat where no time is left for it", async () => {
    bench.server.faults = ["error-after"];
    const made = await bench.settled(bench.acquirer.create(bench.order(), bench.deadline(2_000)));
    expect(made).toMatchObject({ kind: "unknown" });
    expect(keys()).toHaveLength(1);
  });

  it("does not take wrong credentials at the repeat for a refusal of the first try", async () => {
    const denied = (): BankReply => ({ status: 401, body: { type: "error", code: "invalid_credentials" } });
    bench.server.faults = ["lost-after", denied];
    expect(await create()).toMatchObject({ kind: "unknown" });
    bench.server.faults = ["lost-before", () => ({ status: 400, body: { type: "error", code: "invalid_request" } })];
    expect(await create()).toMatchObject({ kind: "refused", reason: { code: "refused" } });
  });

  it("gives the code of a payment that is known by its id", async () => {
    const bankId = await bench.created();
    expect(await create({ bankId })).toMatchObject({ kind: "created", bankId });
    bench.server.faults = ["error-after"];
    expect(await create({ bankId })).toMatchObject({ kind: "begun", bankId });
    bench.double?.happen(bankId, "expired");
    expect(await create({ bankId })).toMatchObject({ kind: "begun", bankId, problem: expect.stringContaining("canceled") });
    expect(doubled().payments).toHaveLength(1);
  });

  it("is asked to repeat create while the key is kept, and searches by time and our id afterwards", async () => {
    const bankId = await bench.created();
    expect(await find()).toEqual({ kind: "repeat-create" });
    await bench.clock.advance(24 * HOUR_MS);
    expect(await find()).toMatchObject({ kind: "payment", payment: { bankId } });
    const { query } = bench.server.requests.at(-1) ?? {};
    expect(query?.get("created_at.gte")).toBe("2026-11-13T05:05:00.000Z");
    doubled().payments.length = 0;
    expect(await find()).toEqual({ kind: "none" });
  });

  it("searches all pages, and knows nothing when one cannot be read", async () => {
    const bankId = await bench.created();
    await bench.clock.advance(24 * HOUR_MS);
    const firstPage = (): BankReply => ({ status: 200, body: { type: "list", items: [], next_cursor: "37a5" } });
    bench.server.faults = [firstPage];
    expect(await find()).toMatchObject({ kind: "payment", payment: { bankId } });
    expect(bench.server.requests.at(-1)?.query.get("cursor")).toBe("37a5");
    bench.server.faults = [firstPage, "half-after"];
    expect(await find()).toMatchObject({ kind: "unknown" });
    bench.server.faults = [firstPage, () => ({ status: 404, body: { type: "error" } })];
    expect(await find()).toMatchObject({ kind: "unknown" });
  });

  it("has a key of its own for each refund", async () => {
    const bankId = await bench.createdAnd("paid");
    bench.server.requests.length = 0;
    for (const number of [1, 1, 2]) {
      await bench.settled(bench.acquirer.refund(bench.refundOrder(bankId, { number, amountKopecks: 100 }), bench.deadline(8_000)));
    }
    expect(keys()).toEqual([`${PAYMENT_ID}refund1`, `${PAYMENT_ID}refund1`, `${PAYMENT_ID}refund2`]);
    expect(doubled().refunds).toHaveLength(2);
  });

  it("does not take another refund for the one asked for", async () => {
    const bankId = await bench.createdAnd("paid");
    bench.server.faults = [
      () => ({ status: 200, body: { id: "r", payment_id: bankId, status: "succeeded", amount: { value: "1.00", currency: "RUB" } } }),
    ];
    const made = await bench.settled(bench.acquirer.refund(bench.refundOrder(bankId), bench.deadline(8_000)));
    expect(made).toMatchObject({ kind: "unknown" });
  });

  it("cancels nothing and asks nothing", async () => {
    expect(await bench.acquirer.cancel({ bankId: "2c5d", amountKopecks: 100 }, bench.deadline())).toEqual({ kind: "not-supported" });
    expect(bench.server.requests).toEqual([]);
  });
});
