import { describe, expect, it } from "vitest";
import { notificationAddress, START_MS, tbankCaller, testBank, tokenHolds } from "../../support/bank.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

async function terminal(notifyUrl?: string) {
  const bank = await testBank("tbank");
  const call = tbankCaller(bank);
  let orders = 0;
  const init = async (fields: Record<string, unknown> = {}) => {
    orders += 1;
    const address = notifyUrl === undefined ? {} : { NotificationURL: notifyUrl };
    return call("Init", { Amount: 25_920, OrderId: `order ${orders}`, ...address, ...fields });
  };
  const create = async () => {
    const { PaymentId } = (await init()).body;
    await call("GetQr", { PaymentId });
    return String(PaymentId);
  };
  const paid = async () => {
    const PaymentId = await create();
    await bank.order("POST", `/payments/${PaymentId}/pay`);
    return PaymentId;
  };
  const status = async (PaymentId: string) => (await call("GetState", { PaymentId })).body.Status;
  return { bank, call, init, create, paid, status };
}

describe("a payment at the fake T-Bank", () => {
  it("is NEW after Init and FORM_SHOWED after GetQr, which gives the same text each time", async () => {
    const { call, init, status } = await terminal();
    const { status: http, body } = await init({ OrderId: "o-1", Description: "x".repeat(140), PayType: "O" });
    expect({ http, ...body }).toMatchObject({ http: 200, Success: true, ErrorCode: "0", Status: "NEW", OrderId: "o-1", Amount: 25_920 });
    const id = String(body.PaymentId);
    const first = await call("GetQr", { PaymentId: id, DataType: "PAYLOAD" });
    expect(first.body).toMatchObject({ Success: true, OrderId: "o-1", Data: expect.stringContaining("&sum=25920&cur=RUB") });
    expect(await call("GetQr", { PaymentId: Number(id) })).toEqual(first);
    expect(await status(id)).toBe("FORM_SHOWED");
  });

  it("is found by its order, with success as text and the cause as number", async () => {
    const { bank, call, init } = await terminal();
    const { body } = await init({ OrderId: "o-1" });
    const found = () => call("CheckOrder", { OrderId: "o-1" });
    const line = { PaymentId: body.PaymentId, Amount: 25_920 };
    expect((await found()).body.Payments).toEqual([expect.objectContaining({ ...line, Status: "NEW", Success: "true", ErrorCode: 0 })]);
    await bank.order("POST", `/payments/${body.PaymentId}/decline`, { reason: "limit" });
    expect((await found()).body.Payments).toEqual([expect.objectContaining({ ...line, Status: "REJECTED", ErrorCode: 5061 })]);
    expect((await call("CheckOrder", { OrderId: "o-2" })).body).toMatchObject({ Success: true, Payments: [] });
  });

  it.each([
    ["3016", { Amount: 999 }],
    ["3016", { Amount: 100_000_001 }],
    ["309", { Amount: 10_000_000_000 }],
    ["309", { Amount: "25920" }],
    ["309", { Amount: 1000.5 }],
    ["309", { Amount: 0 }],
    ["309", { OrderId: "" }],
    ["309", { OrderId: "o".repeat(37) }],
    ["309", { Description: "x".repeat(141) }],
    ["309", { PayType: "T" }],
    ["309", { RedirectDueDate: "tomorrow" }],
    ["3017", { RedirectDueDate: new Date(START_MS + 59_999).toISOString() }],
    ["3017", { RedirectDueDate: new Date(START_MS + 90 * DAY_MS + 1).toISOString() }],
  ])("is refused with %s and HTTP 200 when it is %j", async (code, fields) => {
    const { bank, init } = await terminal();
    const { status, body } = await init(fields);
    expect({ status, ...body }).toMatchObject({
      status: 200,
      Success: false,
      ErrorCode: code,
      Message: expect.any(String),
      Details: expect.any(String),
    });
    expect((await bank.order("GET", "/payments")).body).toEqual([]);
  });

  it.each([{ Amount: 1_000 }, { Amount: 100_000_000 }, { OrderId: "o".repeat(36) }])("is taken when it is %j", async (fields) => {
    const { init } = await terminal();
    expect((await init(fields)).body.Success).toBe(true);
  });

  it.each([
    ["2026-09-07T15:01:00+03:00", 60_000],
    [new Date(START_MS + 90 * DAY_MS).toISOString(), 90 * DAY_MS],
    [undefined, DAY_MS],
  ])("with the due date %j expires after %i ms, and nobody is told", async (RedirectDueDate, lifeMs) => {
    const address = await notificationAddress();
    const { bank, init, call, status } = await terminal(address.url);
    const { body } = await init(RedirectDueDate === undefined ? {} : { RedirectDueDate });
    const id = String(body.PaymentId);
    await bank.order("POST", "/clock", { advanceMs: lifeMs - 1 });
    expect(await status(id)).toBe("NEW");
    await bank.order("POST", "/clock", { advanceMs: 1 });
    expect(await status(id)).toBe("DEADLINE_EXPIRED");
    expect((await bank.order("POST", `/payments/${id}/notify`)).status).toBe(409);
    for (const name of ["GetQr", "Cancel"]) expect((await call(name, { PaymentId: id })).body.Success).toBe(false);
    expect(address.received).toEqual([]);
  });

  it("has an order number of its own: 623 when that one is paid, 8 when not", async () => {
    const { bank, init } = await terminal();
    const { body } = await init({ OrderId: "o" });
    expect((await init({ OrderId: "o" })).body).toMatchObject({ Success: false, ErrorCode: "8" });
    await bank.order("POST", `/payments/${body.PaymentId}/pay`);
    expect((await init({ OrderId: "o" })).body).toMatchObject({ Success: false, ErrorCode: "623" });
  });

  it.each([
    [{}, "CONFIRMED"],
    [{ IsRejected: true }, "REJECTED"],
    [{ IsDeadlineExpired: true }, "DEADLINE_EXPIRED"],
  ])("goes by SbpPayTest %j to %s, once", async (fields, expected) => {
    const { call, create, status } = await terminal();
    const PaymentId = await create();
    expect((await call("SbpPayTest", { PaymentId, ...fields })).body).toMatchObject({ Success: true, ErrorCode: "0" });
    expect(await status(PaymentId)).toBe(expected);
    expect((await call("SbpPayTest", { PaymentId, ...fields })).body.ErrorCode).toBe("8");
  });
});

describe("Cancel at the fake T-Bank", () => {
  it("cancels an unpaid payment whatever Amount says, once", async () => {
    const { call, init, create, status } = await terminal();
    for (const PaymentId of [String((await init()).body.PaymentId), await create()]) {
      const { body } = await call("Cancel", { PaymentId, Amount: 100 });
      expect(body).toMatchObject({ Success: true, Status: "CANCELED", OriginalAmount: 25_920, NewAmount: 0 });
      expect(await status(PaymentId)).toBe("CANCELED");
      expect((await call("Cancel", { PaymentId })).body.ErrorCode).toBe("4");
    }
  });

  it("refunds a paid payment in parts, an hour apart, and again at each repeat while money is left", async () => {
    const { bank, call, paid, status } = await terminal();
    const PaymentId = await paid();
    const cancel = () => call("Cancel", { PaymentId, Amount: 10_000, ExternalRequestId: "same" });
    expect((await cancel()).body).toMatchObject({ Status: "ASYNC_REFUNDING", OriginalAmount: 25_920, NewAmount: 15_920 });
    expect((await call("GetQrState", { PaymentId })).body).toMatchObject({ Status: "ASYNC_REFUNDING", Amount: 0 });
    await bank.clock.advance(HOUR_MS - 1);
    expect(await status(PaymentId)).toBe("PARTIAL_REFUNDED");
    expect((await cancel()).body).toMatchObject({ Success: false, ErrorCode: "3029" });
    await bank.clock.advance(1);
    expect((await cancel()).body).toMatchObject({ Success: true, OriginalAmount: 15_920, NewAmount: 5_920 });
    await bank.clock.advance(HOUR_MS);
    expect((await cancel()).body).toMatchObject({ Success: false, ErrorCode: "309" });
    expect((await call("Cancel", { PaymentId })).body).toMatchObject({ OriginalAmount: 5_920, NewAmount: 0 });
    await bank.clock.advance(HOUR_MS);
    expect((await call("GetState", { PaymentId })).body).toMatchObject({ Status: "REFUNDED", Amount: 25_920 });
    expect((await call("GetQrState", { PaymentId })).body).toMatchObject({ Status: "REFUNDED", Amount: 25_920 });
    expect((await cancel()).body.ErrorCode).toBe("4");
    expect(await bank.row(PaymentId)).toMatchObject({ refunded: 25_920, refundAttempts: 6 });
  });

  it("takes five attempts within 24 hours, refused refunds counted", async () => {
    const { bank, call, paid, status } = await terminal();
    const PaymentId = await paid();
    const cancel = async () => (await call("Cancel", { PaymentId, Amount: 100 })).body.ErrorCode;
    for (let attempt = 0; attempt < 5; attempt += 1) {
      expect(await cancel()).toBe("0");
      expect((await bank.order("POST", `/refunds/${PaymentId}/refuse`)).status).toBe(200);
      expect(await status(PaymentId)).toBe("CONFIRMED");
      await bank.order("POST", "/clock", { advanceMs: HOUR_MS });
    }
    expect(await cancel()).toBe("3030");
    await bank.order("POST", "/clock", { advanceMs: 19 * HOUR_MS });
    expect(await cancel()).toBe("0");
  });

  it("leaves the payment as it was when the refund is refused, with the cause in GetQrState", async () => {
    const { bank, call, paid } = await terminal();
    const PaymentId = await paid();
    await call("Cancel", { PaymentId, Amount: 100 });
    await bank.order("POST", `/refunds/${PaymentId}/refuse`);
    expect((await call("GetQrState", { PaymentId })).body).toMatchObject({
      Status: "CONFIRMED",
      Amount: 0,
      QrCancelCode: "I05043",
      QrCancelMessage: expect.any(String),
    });
  });
});

describe("the token at the fake T-Bank", () => {
  it.each([
    ["204", { Token: "0".repeat(64) }],
    ["204", { Token: undefined }],
    ["501", { TerminalKey: "OtherTerm" }],
    ["205", { TerminalKey: undefined }],
    ["205", { TerminalKey: "T".repeat(21) }],
    ["255", { PaymentId: "1" }],
    ["309", { PaymentId: "x" }],
  ])("is answered with %s and HTTP 200 when the call has %j", async (code, fields) => {
    const { call } = await terminal();
    // A member that is undefined in `fields` is left out of the body.
    const { status, body } = await call("GetState", { PaymentId: "1", ...fields });
    expect({ status, ...body }).toMatchObject({ status: 200, Success: false, ErrorCode: code });
  });

  it("is asked for by every call, which is a POST with a known name", async () => {
    const { bank } = await terminal();
    for (const name of ["Init", "GetQr", "GetState", "CheckOrder", "Cancel", "GetQrState", "SbpPayTest"]) {
      const sent = { method: "POST", headers: { "content-type": "application/json" }, body: '{"TerminalKey":"x","PaymentId":1}' };
      const response = await fetch(`${bank.base}/${name}`, sent);
      expect([response.status, await response.json()]).toEqual([200, expect.objectContaining({ Success: false, ErrorCode: "501" })]);
    }
    expect((await fetch(`${bank.base}/Init`)).status).toBe(405);
    expect((await fetch(`${bank.base}/Charge`, { method: "POST" })).status).toBe(404);
  });
});

describe("a notification of the fake T-Bank", () => {
  it("goes to the address of Init with a token, for each status that the bank announces", async () => {
    const address = await notificationAddress();
    const { bank, call, paid, create } = await terminal(address.url);
    const PaymentId = await paid();
    await call("Cancel", { PaymentId, Amount: 920 });
    await bank.order("POST", `/refunds/${PaymentId}/finish`);
    await bank.order("POST", "/clock", { advanceMs: HOUR_MS });
    await call("Cancel", { PaymentId });
    await bank.order("POST", `/refunds/${PaymentId}/finish`);
    await call("Cancel", { PaymentId: await create() });
    await bank.order("POST", `/payments/${await create()}/decline`);
    const told = [...(await address.until(5))].sort((a, b) => String(a.Status).localeCompare(String(b.Status)));
    expect(told.map(({ Status, Success, ErrorCode }) => [Status, Success, ErrorCode])).toEqual([
      ["CANCELED", true, "0"],
      ["CONFIRMED", true, "0"],
      ["PARTIAL_REFUNDED", true, "0"],
      ["REFUNDED", true, "0"],
      ["REJECTED", false, "5060"],
    ]);
    expect(told.map((each) => tokenHolds(each, bank.acquirer))).toEqual([true, true, true, true, true]);
    expect(told.map(({ Amount }) => Amount)).toEqual([25_920, 25_920, 25_920, 25_920, 25_920]);
    expect(told[1]).toMatchObject({ OrderId: "order 1", PaymentId: Number(PaymentId) });
  });

  it.each([
    [500, "OK"],
    [200, "ok"],
    [200, "<html>"],
  ])("that is answered with %i %j is repeated hourly for a day, then daily, and in the end given up", async (status, text) => {
    const address = await notificationAddress();
    Object.assign(address.answer, { status, text });
    const { bank, paid } = await terminal(address.url);
    await paid();
    await address.until(1);
    for (let hour = 1; hour <= 24; hour += 1) {
      await bank.order("POST", "/clock", { advanceMs: HOUR_MS });
      expect(await address.until(1 + hour)).toHaveLength(1 + hour);
    }
    for (let day = 1; day <= 7; day += 1) {
      await bank.order("POST", "/clock", { advanceMs: DAY_MS });
      expect(await address.until(25 + day)).toHaveLength(25 + day);
    }
    await bank.order("POST", "/clock", { advanceMs: 30 * DAY_MS });
    await bank.order("POST", "/clock", { advanceMs: 30 * DAY_MS });
    await bank.clock.advance(0);
    expect(address.received).toHaveLength(32);
  });

  it("that has arrived is not repeated", async () => {
    const address = await notificationAddress();
    const { bank, paid } = await terminal(address.url);
    await paid();
    await address.until(1);
    // The answer must arrive at the bank before its clock goes on.
    for (let turn = 0; turn < 50; turn += 1) await bank.order("GET", "/payments");
    await bank.order("POST", "/clock", { advanceMs: 10 * DAY_MS });
    for (let turn = 0; turn < 50; turn += 1) await bank.order("GET", "/payments");
    expect(address.received).toHaveLength(1);
  });
});
