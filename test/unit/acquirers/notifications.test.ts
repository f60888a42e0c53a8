import { describe, expect, it } from "vitest";
import type { AcquirerAccount } from "../../../src/acquirers/acquirer.ts";
import { ACQUIRERS, acquirerNamed, parseAcquirer } from "../../../src/acquirers/catalogue.ts";
import { tbankToken } from "../../support/acquirer-doubles.ts";

const PAYMENT_ID = "9b6f0e52-2c1d-4f7e-8a35-6d0f4f3a1c77";

function kindOf(name: string) {
  const kind = acquirerNamed(name);
  if (kind === undefined) throw new Error(`no acquirer ${name}`);
  return kind;
}

function accountOf(setting: string): AcquirerAccount {
  const parsed = parseAcquirer(setting);
  if (parsed.kind === "invalid") throw new Error(parsed.problem);
  return parsed.account;
}

const notification = (body: unknown, source = "203.0.113.9", loopbackAllowed = false) => ({
  headers: {},
  body: Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
  source,
  loopbackAllowed,
});

describe.each(ACQUIRERS)("a notification of $name", (kind) => {
  it.each([
    ["no JSON", "<html>"],
    ["half of it", '{"type":"notification","event":'],
    ["nothing", ""],
    ["another object", '{"hello":"world"}'],
    ["too deep", `{"a":${"[".repeat(20_000)}`],
    ["too long", `{"a":"${"x".repeat(65 * 1024)}"}`],
  ])("is not genuine: %s", (_title, body) => {
    const reading = kind.readNotification(notification(body, "185.71.76.1"), []);
    expect(reading.kind).toBe("not-genuine");
    expect(kind.answerTo(reading).status).toBe(kind.name === "yookassa" ? 200 : 403);
  });
});

describe("a notification of YooKassa", () => {
  const kind = kindOf("yookassa");
  const succeeded = {
    type: "notification",
    event: "payment.succeeded",
    object: { id: "2c5d", status: "succeeded", amount: { value: "259.20", currency: "RUB" }, metadata: { payment_id: PAYMENT_ID } },
  };
  const read = (body: unknown, source?: string, loopback?: boolean) => kind.readNotification(notification(body, source, loopback), []);
  const payment = { kind: "payment", bankId: "2c5d", paymentId: PAYMENT_ID, status: "succeeded" };

  it.each([
    ["185.71.76.0", true],
    ["185.71.76.31", true],
    ["185.71.76.32", false],
    ["185.71.77.31", true],
    ["77.75.153.127", true],
    ["77.75.153.128", false],
    ["77.75.154.127", false],
    ["77.75.154.128", true],
    ["77.75.156.11", true],
    ["77.75.156.12", false],
    ["77.75.156.35", true],
    ["2a02:5180::1", true],
    ["2a02:5181::1", false],
    ["::ffff:185.71.76.1", true],
    ["::ffff:185.71.78.1", false],
    ["127.0.0.1", false],
    ["not an address", false],
    ["", false],
  ])("from %s is proved: %s", (source, proved) => {
    const reading = read(succeeded, source);
    expect(reading).toEqual({ ...payment, proved });
    expect(kind.answerTo(reading)).toEqual({ status: 200, body: "" });
  });

  it.each(["127.0.0.1", "127.8.0.1", "::1", "::ffff:127.0.0.1"])("from %s is proved where loopback is allowed", (source) => {
    expect(read(succeeded, source, true)).toMatchObject({ proved: true });
    expect(read(succeeded, "203.0.113.9", true)).toMatchObject({ proved: false });
  });

  it.each([
    ["payment.canceled", { id: "2c5d", status: "canceled" }, { kind: "payment", bankId: "2c5d", status: "canceled" }],
    ["payment.waiting_for_capture", { id: "2c5d", status: "waiting_for_capture" }, { kind: "payment", bankId: "2c5d" }],
    ["refund.succeeded", { id: "r1", status: "succeeded", payment_id: "2c5d" }, { kind: "payment", bankId: "2c5d" }],
    ["payout.succeeded", { id: "po", status: "succeeded" }, { kind: "other", what: "payout.succeeded" }],
  ])("about %s", (event, object, reading) => {
    expect(read({ type: "notification", event, object }, "185.71.76.1")).toMatchObject(reading);
  });

  it("may have new members, and no id that leads to another address", () => {
    expect(read({ ...succeeded, new: 1, object: { ...succeeded.object, newer: [{}] } })).toMatchObject(payment);
    expect(read({ ...succeeded, object: { ...succeeded.object, id: "../refunds" } }).kind).toBe("not-genuine");
  });
});

describe("a notification of T-Bank", () => {
  const kind = kindOf("tbank");
  const accounts = [
    accountOf("tbank?terminalKey=Other&password=other-password"),
    accountOf("tbank?terminalKey=DemoTerm01&password=new-password&password2=s3cret-demo"),
    accountOf("yookassa?shopId=DemoTerm01&secretKey=key"),
  ];
  const confirmed = {
    TerminalKey: "DemoTerm01",
    OrderId: PAYMENT_ID,
    Success: true,
    Status: "CONFIRMED",
    PaymentId: 4417000123,
    ErrorCode: "0",
    Amount: 25920,
  };
  const signed = (fields: Record<string, unknown>, password = "new-password") => ({ ...fields, Token: tbankToken(fields, password) });
  const read = (body: unknown) => kind.readNotification(notification(body), accounts);
  const payment = { kind: "payment", proved: true, bankId: "4417000123", paymentId: PAYMENT_ID, status: "CONFIRMED" };

  it.each(["new-password", "s3cret-demo"])("is proved by the password %s of its terminal", (password) => {
    const reading = read(signed(confirmed, password));
    expect(reading).toEqual(payment);
    expect(kind.answerTo(reading)).toEqual({ status: 200, body: "OK" });
  });

  it("verifies with the token that the reference gives for it", () => {
    const token = "8f4d166583d2e0834adf5618fc9ec477f9b9c2c8d0eb96d0d53b7ced714a41f9";
    expect(read({ ...confirmed, Token: token })).toEqual(payment);
  });

  it("still verifies with new root members, with nested ones and with numbers in another form", () => {
    expect(read(signed({ ...confirmed, BrandNew: 7, Rrn: "123" }))).toEqual(payment);
    expect(read({ ...signed(confirmed), Data: { Way: "sbp" } })).toEqual(payment);
    const token = tbankToken({ ...confirmed, Amount: "25920.00" }, "new-password");
    expect(read(JSON.stringify({ ...confirmed, Token: token }).replace("25920", "25920.00"))).toEqual(payment);
  });

  it.each([
    ["the password of another terminal", signed(confirmed, "other-password")],
    ["another amount than was signed", { ...signed(confirmed), Amount: 1 }],
    ["another status than was signed", { ...signed(confirmed), Status: "REFUNDED" }],
    ["a member that was not signed", { ...signed(confirmed), Pan: "430000******0777" }],
    ["no token", confirmed],
    ["an empty token", { ...confirmed, Token: "" }],
    ["a terminal of nobody", signed({ ...confirmed, TerminalKey: "Nobody" })],
    ["a shop of another acquirer", signed(confirmed, "key")],
  ])("is forged with %s", (_title, body) => {
    const reading = read(body);
    expect(reading.kind).toBe("not-genuine");
    expect(kind.answerTo(reading)).toEqual({ status: 403, body: "" });
  });

  it.each([
    ["a receipt", { ...confirmed, Status: "RECEIPT" }],
    ["a bound account", { TerminalKey: "DemoTerm01", NotificationType: "LINKACCOUNT", Status: "ACTIVE", Success: true, PaymentId: 1 }],
    ["a bound card", { TerminalKey: "DemoTerm01", CustomerKey: "c", Status: "COMPLETED", Success: true }],
  ])("is about something else: %s", (_title, fields) => {
    const reading = read(signed(fields));
    expect(reading.kind).toBe("other");
    expect(kind.answerTo(reading)).toEqual({ status: 200, body: "OK" });
  });
});
