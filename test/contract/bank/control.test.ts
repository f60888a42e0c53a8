import { describe, expect, it } from "vitest";
import { merchantOf, notificationAddress, testBank } from "../../support/bank.ts";

const NAMES = ["yookassa", "tbank"] as const;

describe.each(NAMES)("the control line of %s", (name) => {
  it("shows payments in kopecks and every call with its key and status", async () => {
    const bank = await testBank(name);
    const { id } = await merchantOf(name, bank).create("one");
    const words = { yookassa: "pending", tbank: "FORM_SHOWED" };
    expect(await bank.order("GET", "/payments")).toEqual({
      status: 200,
      body: [{ id, orderId: "one", status: words[name], amount: 25_920, refunded: 0, refundAttempts: 0 }],
    });
    const at = "2026-09-07T12:00:00.000Z";
    const calls = {
      yookassa: [{ at, method: "POST", path: "/v3/payments", key: "one", status: 200 }],
      tbank: [
        { at, method: "POST", path: "/v2/Init", key: "one", status: 200 },
        { at, method: "POST", path: "/v2/GetQr", key: id, status: 200 },
      ],
    };
    expect(await bank.order("GET", "/requests")).toEqual({ status: 200, body: calls[name] });
  });

  it("pays what is cancelled or expired when it is told that this is late, and nothing else", async () => {
    const bank = await testBank(name);
    const { id } = await merchantOf(name, bank).create("one");
    await bank.order("POST", `/payments/${id}/expire`);
    const { status, body } = await bank.order("POST", `/payments/${id}/pay`);
    expect([status, body]).toEqual([409, { error: expect.stringContaining("is expired and is not paid") }]);
    expect((await bank.order("POST", `/payments/${id}/pay`, { late: true })).status).toBe(200);
    expect((await bank.order("POST", `/payments/${id}/pay`, { late: true })).status).toBe(409);
    const { id: declined } = await merchantOf(name, bank).create("two");
    await bank.order("POST", `/payments/${declined}/decline`);
    expect((await bank.order("POST", `/payments/${declined}/pay`, { late: true })).status).toBe(409);
  });

  it("answers 409 in words to what is impossible in the state", async () => {
    const bank = await testBank(name);
    const { id } = await merchantOf(name, bank).create("one");
    for (const path of [`/payments/${id}/notify`, `/refunds/${id}/finish`, `/refunds/${id}/refuse`]) {
      expect(await bank.order("POST", path)).toEqual({ status: 409, body: { error: expect.stringContaining(id) } });
    }
    await bank.order("POST", `/payments/${id}/pay`);
    for (const act of ["pay", "decline", "expire"]) {
      expect(await bank.order("POST", `/payments/${id}/${act}`)).toMatchObject({ status: 409, body: { error: expect.any(String) } });
    }
    expect((await bank.order("POST", `/payments/${id}/notify`)).status).toBe(409);
  });

  it.each(["finish", "refuse"])("ends a refund by %s before its time, once", async (act) => {
    const bank = await testBank(name);
    const merchant = merchantOf(name, bank);
    const { id } = await merchant.create("one");
    await bank.order("POST", `/payments/${id}/pay`);
    await merchant.refund(id, 5_000);
    expect(await bank.order("POST", `/refunds/${id}/${act}`)).toMatchObject({
      status: 200,
      body: { id, refunded: act === "finish" ? 5_000 : 0, refundAttempts: 1 },
    });
    expect((await bank.order("POST", `/refunds/${id}/${act}`)).status).toBe(409);
    await bank.clock.advance(10_000);
    expect(await bank.row(id)).toMatchObject({ refunded: act === "finish" ? 5_000 : 0 });
  });

  it("advances the clock over all that falls due, in its order", async () => {
    const address = await notificationAddress();
    const bank = await testBank(name, { notifyUrl: address.url, payAfterMs: 10_000 });
    const merchant = merchantOf(name, bank);
    const { id } = await merchant.create("one");
    expect(await bank.order("POST", "/clock", { advanceMs: 172_800_000 })).toEqual({
      status: 200,
      body: { now: "2026-09-09T12:00:00.000Z" },
    });
    // The buyer has paid long before the payment would have expired.
    expect((await merchant.read(id)).status).toBe(merchant.words.paid);
    expect(await address.until(1)).toHaveLength(1);
  });

  it("replaces all faults at once", async () => {
    const bank = await testBank(name, { faults: [{ name: "down", share: 1 }] });
    const merchant = merchantOf(name, bank);
    expect(await bank.order("PUT", "/faults", { busy: 1, "new-field": 0.5 })).toEqual({ status: 200, body: { busy: 1, "new-field": 0.5 } });
    expect((await merchant.read("1")).answer.status).toBe(429);
    expect(await bank.order("PUT", "/faults", {})).toEqual({ status: 200, body: {} });
    expect((await merchant.create("one")).answers[0]?.status).toBe(200);
  });

  it.each([
    ["POST", "/payments/1/pay", undefined, 404],
    ["POST", "/payments/1/notify", undefined, 404],
    ["POST", "/refunds/1/finish", undefined, 404],
    ["POST", "/payments/1/refund", undefined, 404],
    ["GET", "/constructor", undefined, 404],
    ["GET", "/payments/1/pay", undefined, 405],
    ["POST", "/faults", {}, 405],
    ["POST", "/payments/1/pay", "{", 400],
    ["POST", "/payments/1/pay", { later: true }, 400],
    ["POST", "/payments/1/decline", { reason: "mood" }, 400],
    ["POST", "/payments/1/expire", [], 400],
    ["PUT", "/faults", { explode: 1 }, 400],
    ["PUT", "/faults", { busy: 2 }, 400],
    ["PUT", "/faults", { busy: "1" }, 400],
    ["POST", "/clock", {}, 400],
    ["POST", "/clock", { advanceMs: -1 }, 400],
    ["POST", "/clock", { advanceMs: 0.5 }, 400],
    ["POST", "/clock", JSON.stringify({ advanceMs: 1, x: "x".repeat(65_536) }), 413],
  ])("answers %s %s with %j by %i and words", async (method, path, body, status) => {
    const bank = await testBank(name);
    expect(await bank.order(method, path, body)).toEqual({ status, body: { error: expect.any(String) } });
  });
});
