import { createHash } from "node:crypto";
import { BlockList } from "node:net";
import express from "express";
import supertest from "supertest";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hooksRoutes } from "../../../src/contracts/hooks/routes.ts";
import { requestContext } from "../../../src/http/request-context.ts";
import { sourceOf } from "../../../src/http/source.ts";
import { systemChance } from "../../../src/kernel/clock.ts";
import { silentLog } from "../../../src/kernel/log.ts";
import { openBank } from "../../../src/tools/bank/bank.ts";
import { ACCOUNT, PaymentBench, START_MS } from "../../support/payment-bench.ts";
import { QrContract } from "../../support/qr-contract.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

/** The time between two rounds that drop old notifications. */
const ROUND_MS = 10 * 60_000;
/** The number of notifications that are handled or wait at the same time. */
const MOST_AT_ONCE = 544;
const KEY = { appId: "00000000-0000-4000-8000-000000000001", accountId: ACCOUNT };

describe("a notification of T-Bank", () => {
  let bench: PaymentBench;
  let contract: QrContract;
  let bank: Awaited<ReturnType<typeof openBank>>;
  let path: string;

  beforeEach(async () => {
    const clock = new VirtualClock(START_MS);
    const options = { port: 0, seed: 1, data: undefined, notifyUrl: undefined, payAfterMs: undefined, faults: [], clockAheadMs: 0 };
    bank = await openBank({ ...options, name: "tbank", clock, log: silentLog });
    bench = await PaymentBench.open({ setting: bank.acquirer, clock, addresses: { tbank: bank.base } });
    contract = new QrContract(bench);
    await contract.call("qr");
    const secret = await bench.services.merchants.hookSecret(KEY, "tbank");
    path = `/hooks/tbank/${secret.reveal()}`;
  });

  afterEach(async () => {
    await bench.close();
    await bank.close();
  });

  const password = () => new URLSearchParams(bank.acquirer.split("?")[1]).get("password") ?? "";
  const terminal = () => new URLSearchParams(bank.acquirer.split("?")[1]).get("terminalKey") ?? "";
  const signed = (fields: Record<string, string | number | boolean>, secret = password()) => {
    const all: Record<string, string | number | boolean> = { TerminalKey: terminal(), ...fields };
    const values = Object.entries({ ...all, Password: secret }).sort(([a], [b]) => (a < b ? -1 : 1));
    const Token = createHash("sha256")
      .update(values.map(([, value]) => String(value)).join(""))
      .digest("hex");
    return JSON.stringify({ ...all, Token });
  };
  const told = async (body: string, at = path) => {
    const request = supertest(contract.app).post(at).set("Content-Type", "application/json").send(body);
    return bench.settled(request.then((response) => response));
  };
  const paid = async () => {
    const { payment } = await bench.stored();
    const response = await fetch(`${bank.control}/payments/${payment.bankId}/pay`, { method: "POST" });
    expect(response.status).toBe(200);
    return signed({
      OrderId: payment.id,
      PaymentId: Number(payment.bankId),
      Amount: 25_920,
      Status: "CONFIRMED",
      Success: true,
      ErrorCode: "0",
    });
  };

  it("is answered OK and hurries the reading, so that the next state is DONE", async () => {
    const answer = await told(await paid());
    expect([answer.status, answer.text]).toEqual([200, "OK"]);
    await bench.settled(bench.turns.idle());
    expect((await contract.call("state")).body).toMatchObject({ status: "DONE" });
  });

  it("is believed at once after a new password, and no more with the one before", async () => {
    const before = await paid();
    expect((await told(signed({ OrderId: "x", PaymentId: 1, Status: "NEW", Success: true }, "next-password"))).status).toBe(403);
    bench.settings = { ...bench.settings, acquirer: `tbank?terminalKey=${terminal()}&password=next-password` };
    await contract.call("qr", contract.body({ operationId: "another" }));
    expect((await told(signed({ OrderId: "x", PaymentId: 1, Status: "NEW", Success: true }, "next-password"))).status).toBe(200);
    await bench.clock.advance(6_000);
    expect((await told(before)).status).toBe(403);
  });

  it("changes nothing when it comes again", async () => {
    const body = await paid();
    await told(body);
    await bench.settled(bench.turns.idle());
    const before = await bench.stored();
    expect((await told(body)).text).toBe("OK");
    await bench.settled(bench.turns.idle());
    expect(await bench.stored()).toEqual(before);
  });

  it.each<[string, (body: string) => string, number]>([
    ["with a wrong token", (body) => body.replace(/"Token":"..../, '"Token":"0000'), 403],
    ["without a token", (body) => body.replace(/,"Token":"[^"]*"/, ""), 403],
    ["with another amount than was signed", (body) => body.replace("25920", "25921"), 403],
    ["that is no JSON", () => "<html>", 403],
    ["that is nothing", () => "", 403],
  ])("is refused %s, and nothing changes", async (_what, spoil, status) => {
    const body = spoil(await paid());
    expect((await told(body)).status).toBe(status);
    await bench.settled(bench.turns.idle());
    expect((await bench.stored()).payment.state).toBe("waiting");
  });

  it("is nobody's at another address", async () => {
    const body = await paid();
    for (const at of [
      "/hooks/tbank/short",
      `/hooks/tbank/${"x".repeat(32)}`,
      path.replace("tbank", "yookassa"),
      path.replace("tbank", "nobank"),
      "/hooks",
    ]) {
      expect((await told(body, at)).status, at).toBe(404);
    }
    expect(
      (
        await bench.settled(
          supertest(contract.app)
            .get(path)
            .then((response) => response),
        )
      ).status,
    ).toBe(405);
  });

  it("is refused above 64 KiB", async () => {
    expect((await told(`{"x":"${"x".repeat(65 * 1024)}"}`)).status).toBe(413);
  });

  it("that comes before its payment is known is kept, and dropped after a day", async () => {
    const body = signed({ OrderId: "order-of-nobody", PaymentId: 99, Amount: 100, Status: "CONFIRMED", Success: true, ErrorCode: "0" });
    expect((await told(body)).text).toBe("OK");
    bench.notifications.start();
    const kept = async () => (await bench.store.read((db) => db.selectFrom("bank_notifications").selectAll().execute())).length;
    await bench.clock.advance(23 * 3_600_000);
    expect(await kept()).toBe(1);
    // A round that looks through the notifications takes turns of the event loop in which the time of the test goes on.
    const later = async () => (await bench.clock.advance(ROUND_MS)) ?? kept();
    await expect.poll(later, { interval: 1 }).toBe(0);
    await bench.settled(bench.notifications.close());
    expect(bench.lines.map(({ text }) => text)).toContain("notifications of unknown payments were dropped after a day");
  });

  it("is not stored while too many wait, and is stored when the bank repeats it", async () => {
    const body = await paid();
    const [, , acquirer = "", secret = ""] = path.split("/");
    const call = { acquirer, secret, headers: {}, body: Buffer.from("{}"), source: "127.0.0.1" };
    const waiting = Array.from({ length: MOST_AT_ONCE }, () => bench.notifications.take(call));
    expect(await bench.notifications.take(call)).toEqual({ kind: "busy" });
    expect((await bench.settled(Promise.all(waiting))).map(({ kind }) => kind)).toEqual(Array(MOST_AT_ONCE).fill("answer"));
    expect((await told(body)).status).toBe(200);
  });

  it("of another kind is answered OK and dropped", async () => {
    const body = signed({ NotificationType: "LINKACCOUNT", Success: true });
    expect((await told(body)).text).toBe("OK");
    expect(await bench.store.read((db) => db.selectFrom("bank_notifications").selectAll().execute())).toEqual([]);
  });
});

it("a notification that could not wait to be stored is answered 503, so that the bank repeats it", async () => {
  const app = express();
  app.use(requestContext({ requestIdHeader: "X-Request", chance: systemChance, log: silentLog }));
  const notifications = { take: async () => ({ kind: "busy" }) as const };
  app.use("/hooks", hooksRoutes({ notifications, trustedProxies: new BlockList(), clock: new VirtualClock(START_MS) }));
  const answer = await supertest(app)
    .post(`/hooks/tbank/${"x".repeat(32)}`)
    .send("{}");
  expect([answer.status, answer.text]).toEqual([503, "The notification could not be stored now; repeat it"]);
});

describe("the source of a notification", () => {
  const trusted = new BlockList();
  trusted.addSubnet("10.0.0.0", 8, "ipv4");
  trusted.addSubnet("fd00::", 8, "ipv6");

  it.each([
    ["203.0.113.7", undefined, "203.0.113.7"],
    ["203.0.113.7", "198.51.100.1", "203.0.113.7"],
    ["10.0.0.1", "198.51.100.1", "198.51.100.1"],
    ["10.0.0.1", "198.51.100.1, 203.0.113.9", "203.0.113.9"],
    ["10.0.0.1", "203.0.113.9, 10.1.1.1", "203.0.113.9"],
    ["10.0.0.1", "203.0.113.9,10.1.1.1 , 10.2.2.2", "203.0.113.9"],
    ["10.0.0.1", undefined, "10.0.0.1"],
    ["10.0.0.1", "unknown", undefined],
    ["::ffff:10.0.0.1", "203.0.113.9:4711", "203.0.113.9"],
    ["fd00::1", "[2a02:5180::7]:443", "2a02:5180::7"],
    [undefined, "203.0.113.9", undefined],
    ["10.0.0.1", `${"1.1.1.1,".repeat(5_000)}203.0.113.9`, "203.0.113.9"],
  ])("of peer %s with X-Forwarded-For %s is %s", (peer, forwarded, source) => {
    expect(sourceOf(peer, forwarded, trusted)).toBe(source);
  });
});
