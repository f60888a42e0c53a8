import { describe, expect, it } from "vitest";
import { notificationAddress, START_MS, testBank, yookassaCaller, yookassaPayment } from "../../support/bank.ts";

const HOUR_MS = 3_600_000;

async function shop(notifyUrl?: string) {
  const bank = await testBank("yookassa", { notifyUrl });
  const call = yookassaCaller(bank);
  /** Makes a payment of this many roubles and returns its id. */
  const create = async (value = "259.20") => {
    const { body } = await call("POST", "/payments", { body: yookassaPayment({ amount: { value, currency: "RUB" } }) });
    return String(body.id);
  };
  const paid = async (value?: string) => {
    const id = await create(value);
    await bank.order("POST", `/payments/${id}/pay`);
    return id;
  };
  const refund = (payment_id: string, value: string, key?: string) =>
    call("POST", "/refunds", { body: { payment_id, amount: { value, currency: "RUB" } }, ...(key === undefined ? {} : { key }) });
  return { bank, call, create, paid, refund };
}

describe("a payment at the fake YooKassa", () => {
  it("is created pending, with the text of its code, and read back", async () => {
    const { bank, call } = await shop();
    const sent = yookassaPayment({ description: "Чек 31", metadata: { order_id: "op-1", store: "s" } });
    const { status, body } = await call("POST", "/payments", { body: sent });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: "pending",
      amount: { value: "259.20", currency: "RUB" },
      description: "Чек 31",
      metadata: { order_id: "op-1", store: "s" },
      confirmation: { type: "qr", confirmation_data: expect.stringContaining("sum=25920") },
      paid: false,
      created_at: "2026-09-07T12:00:00.000Z",
    });
    expect(await call("GET", `/payments/${body.id}`)).toEqual({ status: 200, body });
    expect(await bank.row(String(body.id))).toMatchObject({ orderId: "op-1" });
  });

  it("has an address instead of a code when it was to redirect", async () => {
    const { call } = await shop();
    const confirmation = { type: "redirect", return_url: "https://shop.example/back" };
    const { body } = await call("POST", "/payments", { body: yookassaPayment({ confirmation }) });
    expect(body.confirmation).toEqual({ type: "redirect", confirmation_url: expect.stringMatching(/^https:\/\//) });
  });

  it("expires after an hour, with the reason, and is announced", async () => {
    const address = await notificationAddress();
    const { bank, call, create } = await shop(address.url);
    const id = await create();
    await bank.clock.advance(HOUR_MS - 1);
    expect((await call("GET", `/payments/${id}`)).body.status).toBe("pending");
    await bank.clock.advance(1);
    const { body } = await call("GET", `/payments/${id}`);
    expect(body).toMatchObject({ status: "canceled", cancellation_details: { party: "yoo_money", reason: "expired_on_confirmation" } });
    expect(body).not.toHaveProperty("confirmation");
    expect(await address.until(1)).toEqual([{ type: "notification", event: "payment.canceled", object: body }]);
  });

  it("cannot be cancelled by the merchant, in whatever state it is", async () => {
    const { call, create, paid } = await shop();
    for (const id of [await create(), await paid()]) {
      const { status, body } = await call("POST", `/payments/${id}/cancel`, { body: {} });
      expect(status).toBe(400);
      expect(body).toMatchObject({ type: "error", code: "invalid_request" });
    }
  });

  it.each([
    ["insufficient-funds", "insufficient_funds"],
    ["limit", "payment_method_limit_exceeded"],
    ["refused", "general_decline"],
  ])("that is declined for %s names %s", async (reason, told) => {
    const { bank, call, create } = await shop();
    const id = await create();
    await bank.order("POST", `/payments/${id}/decline`, { reason });
    const { body } = await call("GET", `/payments/${id}`);
    expect(body).toMatchObject({ status: "canceled", cancellation_details: { party: "payment_network", reason: told } });
  });

  it.each([
    ["amount.value", { amount: { value: "259.2", currency: "RUB" } }],
    ["amount.value", { amount: { value: 259.2, currency: "RUB" } }],
    ["amount.currency", { amount: { value: "259.20", currency: "USD" } }],
    ["amount", { amount: { value: "0.99", currency: "RUB" } }],
    ["amount", { amount: { value: "700000.01", currency: "RUB" } }],
    ["capture", { capture: false }],
    ["payment_method_data.type", { payment_method_data: { type: "bank_card" } }],
    ["confirmation.type", { confirmation: { type: "external" } }],
    ["confirmation.return_url", { confirmation: { type: "redirect" } }],
    ["description", { description: "x".repeat(129) }],
    ["metadata.a", { metadata: { a: "x".repeat(513) } }],
    ["metadata.a", { metadata: { a: 5 } }],
    ["metadata", { metadata: Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`k${index}`, "v"])) }],
    [`metadata.${"n".repeat(33)}`, { metadata: { ["n".repeat(33)]: "v" } }],
  ])("is refused with the parameter %s when it is %j", async (parameter, more) => {
    const { bank, call } = await shop();
    const { status, body } = await call("POST", "/payments", { body: yookassaPayment(more) });
    expect({ status, ...body }).toEqual({
      status: 400,
      type: "error",
      id: expect.any(String),
      code: "invalid_request",
      description: expect.any(String),
      parameter,
    });
    expect((await bank.order("GET", "/payments")).body).toEqual([]);
  });

  it.each(["1.00", "700000.00"])("of %s roubles is within the limits", async (value) => {
    const { call } = await shop();
    const description = "x".repeat(128);
    const sent = yookassaPayment({ amount: { value, currency: "RUB" }, description, metadata: { ["n".repeat(32)]: "v".repeat(512) } });
    expect((await call("POST", "/payments", { body: sent })).status).toBe(200);
  });

  it("is found in the list by its time, page by page, the newest first", async () => {
    const { bank, call, create } = await shop();
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      ids.unshift(await create());
      await bank.clock.advance(1_000);
    }
    const from = new Date(START_MS + 1_000).toISOString();
    const pages: unknown[][] = [];
    let cursor = "";
    do {
      const query = new URLSearchParams({ "created_at.gte": from, limit: "3", ...(cursor === "" ? {} : { cursor }) });
      const { body } = await call("GET", `/payments?${query}`);
      pages.push((body.items as { id: string }[]).map(({ id }) => id));
      cursor = String(body.next_cursor ?? "");
    } while (cursor !== "");
    expect(pages).toEqual([ids.slice(0, 3), ids.slice(3, 4)]);
    const before = await call("GET", `/payments?created_at.lt=${encodeURIComponent(from)}&status=pending`);
    expect(before.body).toMatchObject({ type: "list", items: [{ id: ids[4] }] });
  });

  it.each(["limit=0", "limit=101", "created_at.gte=yesterday", "cursor=x", "status=open"])("is not listed by %s", async (query) => {
    const { call } = await shop();
    expect((await call("GET", `/payments?${query}`)).status).toBe(400);
  });
});

describe("an idempotency key of the fake YooKassa", () => {
  it("brings the first answer back for 24 hours, whatever has become of the payment, and then counts as new", async () => {
    const { bank, call } = await shop();
    const create = () => call("POST", "/payments", { key: "k", body: yookassaPayment() });
    const first = await create();
    await bank.order("POST", `/payments/${first.body.id}/pay`);
    await bank.clock.advance(24 * HOUR_MS - 1);
    expect(await create()).toEqual(first);
    await bank.clock.advance(1);
    expect((await create()).body.id).not.toBe(first.body.id);
    expect((await bank.order("GET", "/payments")).body).toHaveLength(2);
  });

  it("is refused with another body or at another address, also after a refusal", async () => {
    const { call, paid } = await shop();
    const id = await paid();
    await call("POST", "/payments", { key: "k", body: yookassaPayment() });
    await call("POST", "/payments", { key: "wrong", body: yookassaPayment({ capture: false }) });
    for (const [path, key, body] of [
      ["/payments", "k", yookassaPayment({ description: "other" })],
      ["/refunds", "k", { payment_id: id, amount: { value: "1.00", currency: "RUB" } }],
      ["/payments", "wrong", yookassaPayment()],
    ] as const) {
      const answer = await call("POST", path, { key, body });
      expect(answer).toMatchObject({ status: 400, body: { code: "invalid_request", parameter: "Idempotence-Key" } });
    }
  });

  it.each([null, "", "k".repeat(65)])("is refused when it is %j", async (key) => {
    const { call } = await shop();
    const answer = await call("POST", "/payments", { key, body: yookassaPayment() });
    expect(answer).toMatchObject({ status: 400, body: { parameter: "Idempotence-Key" } });
  });

  it("of 64 characters is taken", async () => {
    const { call } = await shop();
    expect((await call("POST", "/payments", { key: "k".repeat(64), body: yookassaPayment() })).status).toBe(200);
  });
});

describe("a refund at the fake YooKassa", () => {
  it("is pending, succeeds after its time, is read and announced, and shows on the payment", async () => {
    const address = await notificationAddress();
    const { bank, call, paid, refund } = await shop(address.url);
    const id = await paid();
    const { body } = await refund(id, "59.20");
    expect(body).toMatchObject({ payment_id: id, status: "pending", amount: { value: "59.20", currency: "RUB" } });
    await bank.clock.advance(2_000);
    const { body: done } = await call("GET", `/refunds/${body.id}`);
    expect(done).toEqual({ ...body, status: "succeeded" });
    expect((await address.until(2))[1]).toEqual({ type: "notification", event: "refund.succeeded", object: done });
    const { body: payment } = await call("GET", `/payments/${id}`);
    expect(payment).toMatchObject({ status: "succeeded", refunded_amount: { value: "59.20" }, refundable: true });
  });

  it("repeats nothing for the same key", async () => {
    const { bank, paid, refund } = await shop();
    const id = await paid();
    const first = await refund(id, "100.00", "r1");
    await bank.clock.advance(5_000);
    expect(await refund(id, "100.00", "r1")).toEqual(first);
    expect(await bank.row(id)).toMatchObject({ refunded: 10_000, refundAttempts: 1 });
  });

  it("never takes more than what is left, with refunds on their way and without refused ones", async () => {
    const { bank, paid, refund } = await shop();
    const id = await paid();
    await refund(id, "200.00");
    expect(await refund(id, "59.21")).toMatchObject({ status: 400, body: { parameter: "amount" } });
    expect((await bank.order("POST", `/refunds/${id}/refuse`)).status).toBe(200);
    expect((await refund(id, "259.21")).status).toBe(400);
    expect((await refund(id, "259.20")).status).toBe(200);
    await bank.clock.advance(2_000);
    expect(await bank.row(id)).toMatchObject({ refunded: 25_920, refundAttempts: 4 });
    expect((await refund(id, "1.00")).status).toBe(400);
  });

  it("that is refused names party and reason, and is not announced", async () => {
    const address = await notificationAddress();
    const { bank, call, paid, refund } = await shop(address.url);
    const { body } = await refund(await paid(), "100.00");
    expect((await bank.order("POST", `/refunds/${body.id}/refuse`)).status).toBe(200);
    expect((await call("GET", `/refunds/${body.id}`)).body).toMatchObject({
      status: "canceled",
      cancellation_details: { party: "payment_network", reason: "general_decline" },
    });
    await bank.clock.advance(HOUR_MS);
    expect((await address.until(1)).map(({ event }) => event)).toEqual(["payment.succeeded"]);
  });

  it("is refused below a rouble, for an unpaid payment, an unknown one, and after three years", async () => {
    const { bank, create, paid, refund } = await shop();
    const id = await paid();
    expect((await refund(id, "0.99")).status).toBe(400);
    expect((await refund(await create(), "1.00")).status).toBe(400);
    expect((await refund("no-such", "1.00")).status).toBe(404);
    await bank.order("POST", "/clock", { advanceMs: 1_100 * 86_400_000 });
    expect((await refund(id, "1.00")).status).toBe(400);
  });
});

describe("the door of the fake YooKassa", () => {
  it.each([
    ["GET", "/payments/no-such", {}, 404, "not_found"],
    ["GET", "/refunds/no-such", {}, 404, "not_found"],
    ["GET", "/payouts", {}, 404, "not_found"],
    ["GET", "/payments/constructor/toString", {}, 404, "not_found"],
    ["DELETE", "/payments", {}, 405, "method_not_allowed"],
    ["GET", "/payments", { headers: { authorization: "Basic eDp5" } }, 401, "invalid_credentials"],
    ["POST", "/payments", { body: "{", headers: {} }, 400, "invalid_request"],
    ["POST", "/payments", { body: "{}", headers: { "content-type": "text/plain" } }, 415, "invalid_request"],
    ["POST", "/payments", { body: JSON.stringify({ x: "x".repeat(65_536) }) }, 413, "invalid_request"],
  ])("answers %s %s with %j by %i and %s", async (method, path, sent, status, code) => {
    const { call } = await shop();
    expect(await call(method, path, sent)).toMatchObject({ status, body: { type: "error", code, id: expect.any(String) } });
  });
});
