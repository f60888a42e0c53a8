import { generateKeyPairSync, randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FIRST, installBody, openVendor, SECOND, tokenOf, type VendorCall, type VendorServer } from "../support/vendor.ts";
import { signToken } from "../support/vendor-token.ts";

let vendor: VendorServer;
let accountId: string;
beforeEach(async () => {
  vendor = await openVendor();
  accountId = randomUUID();
});
afterEach(() => vendor.close());

const NOW_S = () => Math.floor(vendor.clock.nowMs() / 1000);
const claims = (changes: Record<string, unknown> = {}) => ({ iat: NOW_S(), exp: NOW_S() + 300, jti: randomUUID(), ...changes });

async function expectRefused(call: Omit<VendorCall, "accountId">) {
  const answer = await vendor.send({ accountId, body: installBody(), ...call });
  expect(answer.status).toBe(401);
  expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
  expect(answer.headers["www-authenticate"]).toBe("Bearer");
  expect(answer.body).toEqual({ errors: [{ error: expect.any(String), code: 401 }] });
  expect((await vendor.installations.list()).found).toEqual([]);
  return answer;
}

describe("a vendor call is refused with 401", () => {
  it("without an Authorization header", () => expectRefused({ authorization: null }));

  it.each(["", "Bearer", "Basic YTpi", "Bearer not-a-token", "Token a.b.c"])("with the Authorization %j", async (authorization) => {
    await expectRefused({ authorization });
  });

  it("for an appId that is in no set, with the words of a wrong signature", async () => {
    const stranger = { ...FIRST, appId: randomUUID() };
    const unknown = await expectRefused({ entry: stranger });
    const wrong = await expectRefused({ token: signToken(claims(), "wrong secret") });
    expect(unknown.text).toBe(wrong.text);
  });

  it("with the token of the other entry", () => expectRefused({ token: tokenOf(SECOND, vendor.clock) }));

  it("with alg none, HS512 or RS256", async () => {
    const [header, body] = signToken(claims(), FIRST.secretKey, { header: { alg: "none" } }).split(".");
    await expectRefused({ authorization: `Bearer ${header}.${body}.` });
    await expectRefused({ token: signToken(claims(), FIRST.secretKey, { header: { alg: "none" } }) });
    await expectRefused({ token: signToken(claims(), FIRST.secretKey, { header: { alg: "HS512" }, digest: "sha512" }) });
    await expectRefused({ token: signToken(claims(), FIRST.secretKey, { header: { alg: "RS256" } }) });
  });

  it("without exp, iat or jti", async () => {
    for (const name of ["exp", "iat", "jti"]) await expectRefused({ token: signToken(claims({ [name]: undefined }), FIRST.secretKey) });
  });

  it("more than 60 s after exp or before iat", async () => {
    await expectRefused({ token: signToken(claims({ iat: NOW_S() - 400, exp: NOW_S() - 61 }), FIRST.secretKey) });
    await expectRefused({ token: signToken(claims({ iat: NOW_S() + 62 }), FIRST.secretKey) });
  });

  it("before its body is looked at", () => expectRefused({ authorization: null, body: "{ broken" }));

  it("and not by a lost connection when its body is far too large", () =>
    expectRefused({ authorization: null, body: "a".repeat(3_000_000) }));

  it("for every method and path alike", async () => {
    for (const method of ["GET", "DELETE"] as const) {
      expect((await vendor.send({ accountId, method, authorization: null })).status).toBe(401);
    }
    for (const under of ["/button", "/scenario"]) {
      expect((await vendor.send({ accountId, method: "POST", under, authorization: null, body: {} })).status).toBe(401);
    }
    expect((await vendor.send({ accountId, under: "/event", authorization: null, body: {} })).status).toBe(401);
  });
});

describe("a vendor call is taken", () => {
  it("within 60 s after exp and 60 s before iat", async () => {
    const late = signToken(claims({ iat: NOW_S() - 300, exp: NOW_S() - 50 }), FIRST.secretKey);
    const early = signToken(claims({ iat: NOW_S() + 55 }), FIRST.secretKey);
    for (const token of [late, early]) expect((await vendor.send({ accountId, body: installBody(), token })).status).toBe(200);
  });

  it("with the secret of its own entry, however short", async () => {
    const body = installBody({ appUid: SECOND.appUid });
    expect((await vendor.send({ accountId, entry: SECOND, body })).status).toBe(200);
  });

  it("without its request id, with a warning that names the header", async () => {
    expect((await vendor.send({ accountId, body: installBody(), requestId: null })).status).toBe(200);
    expect(vendor.lines).toContainEqual(
      expect.objectContaining({ level: "warn", values: expect.objectContaining({ header: "X_Platform_RequestId" }) }),
    );
  });
});

describe("a token that comes again", () => {
  const again = async (call: VendorCall, change: Partial<VendorCall>) =>
    [await vendor.send(call), await vendor.send({ ...call, ...change })] as const;
  const install = (): VendorCall => ({ accountId, body: installBody(), token: tokenOf(FIRST, vendor.clock), requestId: "request-1" });

  it("with the same request id, method, path and body gets the stored answer byte for byte", async () => {
    const [first, second] = await again(install(), {});
    expect([second.status, second.text]).toEqual([200, first.text]);
    expect(second.headers["content-type"]).toBe(first.headers["content-type"]);
  });

  it("gets the answer that was given then, not one that would be given now", async () => {
    const call = install();
    await vendor.send(call);
    vendor.set.complete = true;
    expect((await vendor.send(call)).body).toEqual({ status: "SettingsRequired" });
  });

  it("does not undo what happened in between", async () => {
    const call = install();
    await vendor.send(call);
    await vendor.send({ accountId, method: "DELETE", body: { cause: "Uninstall" } });
    expect((await vendor.send(call)).status).toBe(200);
    expect((await vendor.installations.get({ appId: FIRST.appId, accountId }))?.state).toBe("uninstalled");
  });

  it("gets a stored refusal of its body again", async () => {
    const [first, second] = await again({ ...install(), body: "{ broken" }, {});
    expect([first.status, second.status, second.text]).toEqual([400, 400, first.text]);
  });

  it("gets the empty answer of a DELETE again, although the installation has gone meanwhile", async () => {
    await vendor.send(install());
    const [first, second] = await again({ ...install(), method: "DELETE", body: { cause: "Uninstall" } }, {});
    expect([first.status, first.text, second.status, second.text]).toEqual([200, "", 200, ""]);
  });

  it("is also a retry when both came without a request id", async () => {
    const [first, second] = await again({ ...install(), requestId: null }, {});
    expect([second.status, second.text]).toEqual([200, first.text]);
  });

  const replays: [string, Partial<VendorCall>][] = [
    ["another request id", { requestId: "request-2" }],
    ["no request id", { requestId: null }],
    ["another body", { body: installBody({ accountName: "bakery-south" }) }],
    ["the same content written differently", { body: `${JSON.stringify(installBody())} ` }],
    ["another method", { method: "DELETE" }],
    ["another path", { under: "/event" }],
    ["another account", { accountId: "another-account" }],
  ];
  it.each(replays)("with %s is a replay: 401, and nothing is done", async (_name, change) => {
    const call = install();
    const [, second] = await again(call, change);
    expect(second).toMatchObject({ status: 401, body: { errors: [{ code: 401 }] } });
    expect((await vendor.installations.list()).found).toEqual([
      expect.objectContaining({ accountId, accountName: "bakery-north", state: "settings_required" }),
    ]);
    expect((await vendor.send(call)).status).toBe(200);
  });

  it("may have the same id under the other entry", async () => {
    const jti = randomUUID();
    await vendor.send({ ...install(), token: tokenOf(FIRST, vendor.clock, { jti }) });
    const other = { entry: SECOND, token: tokenOf(SECOND, vendor.clock, { jti }), body: installBody({ appUid: SECOND.appUid }) };
    expect((await vendor.send({ ...install(), ...other })).status).toBe(200);
  });

  it("is refused by its age when it is no longer answered again", async () => {
    const call = install();
    await vendor.send(call);
    await vendor.clock.advance(300_000 + 59_000);
    expect((await vendor.send({ ...call, requestId: "request-2" })).status).toBe(401);
    expect((await vendor.send(call)).status).toBe(200);
    await vendor.clock.advance(600_000);
    expect((await vendor.send(call)).status).toBe(401);
  });
});

describe("a token that was used before the clock went forth and back", () => {
  it.each([
    ["is answered as before with the same call", {}, 200, '{"status":"SettingsRequired"}'],
    ["is refused with another body", { body: installBody({ accountName: "bakery-south" }) }, 401, '"code":401'],
    ["is refused with another method", { method: "DELETE" }, 401, '"code":401'],
  ] as const)("%s, and nothing is done", async (_name, change, status, text) => {
    const call: VendorCall = { accountId, body: installBody(), token: tokenOf(FIRST, vendor.clock), requestId: "request-1" };
    const startMs = vendor.clock.nowMs();
    expect((await vendor.send(call)).status).toBe(200);
    vendor.clock.jumpTo(startMs + 3_600_000);
    const between = await vendor.send({ accountId, method: "DELETE", body: { cause: "Uninstall" } });
    expect(between.status).toBe(200);
    vendor.clock.jumpTo(startMs);
    expect(await vendor.send({ ...call, ...change })).toMatchObject({ status, text: expect.stringContaining(text) });
    expect((await vendor.installations.get({ appId: FIRST.appId, accountId }))?.state).toBe("uninstalled");
    vendor.clock.jumpTo(startMs + 1_000);
    expect((await vendor.send({ ...call, token: tokenOf(FIRST, vendor.clock) })).status).toBe(200);
  });
});

describe("calls that come at the same time", () => {
  it("as duplicates of one call are worked on once and all get its answer", async () => {
    let asked = 0;
    const whole = vendor.set.isComplete;
    vendor.set.isComplete = async (key) => {
      asked++;
      return whole(key);
    };
    vendor.set.complete = true;
    const call: VendorCall = { accountId, body: installBody(), token: tokenOf(FIRST, vendor.clock), requestId: "request-1" };
    const answers = await Promise.all(Array.from({ length: 8 }, () => vendor.send(call)));
    expect(answers.map((answer) => [answer.status, answer.text])).toEqual(Array.from({ length: 8 }, () => [200, '{"status":"Activated"}']));
    expect(asked).toBe(1);
  });

  it("with one token and different bodies are done once, the rest is refused", async () => {
    const token = tokenOf(FIRST, vendor.clock);
    const names = Array.from({ length: 6 }, (_, index) => `bakery-${index}`);
    const answers = await Promise.all(
      names.map((accountName) => vendor.send({ accountId, body: installBody({ accountName }), token, requestId: "request-1" })),
    );
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 401, 401, 401, 401, 401]);
    const done = names[answers.findIndex((answer) => answer.status === 200)];
    expect((await vendor.installations.list()).found).toEqual([expect.objectContaining({ accountName: done })]);
  });

  it("with tokens of their own leave one installation and one key in force", async () => {
    const keys = Array.from({ length: 4 }, () =>
      generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey.export({ type: "spki", format: "der" }).toString("base64"),
    );
    await Promise.all(
      keys.map((token) => vendor.send({ accountId, body: installBody({ additional: { fiscalApi: { id: "reg-1", token } } }) })),
    );
    const party = await vendor.installations.byRegistration("reg-1");
    expect(party?.keys.filter((key) => key.retiresAtMs === undefined)).toHaveLength(1);
    expect(party?.keys).toHaveLength(4);
  });

  it("to install and to uninstall end in one of the two states, whole", async () => {
    await Promise.all([
      vendor.send({ accountId, body: installBody() }),
      vendor.send({ accountId, method: "DELETE", body: { cause: "Uninstall" } }),
      vendor.send({ accountId, body: installBody() }),
    ]);
    const installation = await vendor.installations.get({ appId: FIRST.appId, accountId });
    expect(installation?.hasAccessToken).toBe(installation?.state !== "uninstalled");
  });
});
