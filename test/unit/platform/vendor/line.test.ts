import { describe, expect, it } from "vitest";
import { Secret } from "../../../../src/kernel/secret.ts";
import type { Exchange } from "../../../../src/platform/api/exchange.ts";
import type { VendorClient } from "../../../../src/platform/vendor/client.ts";
import { answers, fails, PAGE, play, type Reply, refuses, SILENCE } from "../../../support/vendor-play.ts";

const ID = { appId: "app", accountId: "account" };
const KEY = new Secret("1c14e98cd272239c03bf3d9697f167699743292c");
const TOKEN = new Secret("a1b2c3d4e5f6478901234567890abcdef1234567");
const tell = (client: VendorClient) => client.tellStatus(ID, "Activated");
const byToken = (client: VendorClient) => client.userByToken("app", TOKEN);
const byKey = (client: VendorClient) => client.userByKey("app", KEY);
const tokensOf = (requests: readonly Exchange[]) => requests.map(({ headers }) => headers.authorization);

describe("a call to the platform's vendor side", () => {
  it("is a PUT with the status, gzip and a token", async () => {
    const { result, requests } = await play([answers(200)], tell);
    expect(result).toEqual({ kind: "reported" });
    expect(requests[0]).toMatchObject({
      method: "PUT",
      url: "https://apps.example/api/vendor/1.0/apps/app/account/status",
      body: '{"status":"Activated"}',
      headers: { authorization: "Bearer token-1", "accept-encoding": "gzip", "content-type": "application/json" },
    });
  });

  it("is repeated after 5xx, 429, a page and a lost connection, each time with a token of its own", async () => {
    const { result, requests } = await play([answers(503, PAGE), fails("ECONNRESET"), answers(200)], tell);
    expect(result).toEqual({ kind: "reported" });
    expect(tokensOf(requests)).toEqual(["Bearer token-1", "Bearer token-2", "Bearer token-3"]);
    expect((await play([answers(429), answers(200, PAGE), answers(200, "{}")], tell)).result).toEqual({ kind: "reported" });
  });

  it("gives up after three attempts with what the last one came to", async () => {
    const lost = await play([answers(500), answers(500), fails("ECONNREFUSED")], tell);
    expect(lost.result).toEqual({ kind: "unreachable", reason: "failed with ECONNREFUSED" });
    expect(lost.requests).toHaveLength(3);
    const down = await play([fails("ECONNRESET"), answers(503), refuses(503, 1095)], tell);
    expect(down.result).toMatchObject({ kind: "unavailable", reply: { status: 503, words: "Ошибка 1095", errors: [{ code: 1095 }] } });
    expect(down.tookMs).toBe(2_500);
  });

  it("waits 5 s for each answer and no longer, 17.5 s in all", async () => {
    const { result, tookMs } = await play([SILENCE, SILENCE, SILENCE], tell);
    expect(result).toEqual({ kind: "unreachable", reason: "no answer within 5000 ms" });
    expect(tookMs).toBe(17_500);
    const hurried = (client: VendorClient) => client.status(ID, { timeoutMs: 100 });
    expect((await play([SILENCE, SILENCE, SILENCE], hurried)).tookMs).toBe(2_800);
  });

  it("does not follow a redirection with its token", async () => {
    const { result, requests } = await play([answers(302, "", { location: "https://elsewhere.example/" })], tell);
    expect(result).toEqual({ kind: "refused", reply: { status: 302, words: "", errors: [] } });
    expect(requests).toHaveLength(1);
  });

  it("cuts long words of the platform and keeps the whole array", async () => {
    const body = {
      errors: [
        { error: "a".repeat(5000), code: 1 },
        { error: "b", code: 2, parameter: "status" },
      ],
    };
    const { result } = await play([answers(400, JSON.stringify(body))], tell);
    const reply = { words: "a".repeat(200), errors: [{ code: 1 }, { code: 2, parameter: "status" }] };
    expect(result).toMatchObject({ kind: "refused", reply });
  });

  it("that is not authorized says so with the platform's headers, and is not repeated", async () => {
    const headers = { "x-platform-auth": "401001", "x-platform-auth-message": "jti was used" };
    const { result, requests, log } = await play([refuses(401, 1056, headers)], tell);
    expect(result).toMatchObject({
      kind: "unauthorized",
      reply: { auth: "401001", authMessage: "jti was used", errors: [{ code: 1056 }] },
    });
    expect(requests).toHaveLength(1);
    expect(log).toContain("401001");
    expect(log).toContain("jti was used");
  });

  it("ends when whoever asked gives up: before it, in the middle, and between attempts", async () => {
    const given = new AbortController();
    const signal = given.signal;
    const cancelled = { kind: "cancelled" };
    const meanwhile: Reply = async () => {
      given.abort();
      return { status: 503, headers: {}, body: Buffer.alloc(0) };
    };
    const between = await play([meanwhile], (client) => client.tellStatus(ID, "Activated", { signal }));
    expect([between.result, between.requests.length]).toEqual([cancelled, 1]);
    const before = await play([], (client) => client.status(ID, { signal }));
    expect([before.result, before.requests.length]).toEqual([cancelled, 0]);
    const late = new AbortController();
    const middle = await play([SILENCE], (client) => {
      const called = client.userByToken("app", TOKEN, { signal: late.signal });
      late.abort(new Error("enough"));
      return called;
    });
    expect(middle.result).toEqual(cancelled);
  });

  it("never goes to an id that leads elsewhere", async () => {
    for (const accountId of ["..", "a/b", "", "%2e%2e"])
      await expect(play([], (client) => client.status({ appId: "app", accountId }))).rejects.toMatchObject({ code: "platform-unsayable" });
  });

  it("holds no more than 500 at once, and sends none of those above", async () => {
    const { result, requests } = await play(
      Array.from({ length: 500 * 3 }, () => SILENCE),
      (client) => Promise.all(Array.from({ length: 501 }, () => byToken(client))),
    );
    expect(requests).toHaveLength(500);
    expect(result.at(-1)).toMatchObject({ kind: "unreachable", reason: expect.stringContaining("500") });
  });
});

describe("secrets of vendor calls", () => {
  /** Sends the whole request back, in the body and in a header, like a proxy that explains too much. */
  const echo =
    (status: number): Reply =>
    async ({ url, headers, body }) => {
      const parameter = `${url} ${headers.authorization} ${body}`;
      const text = JSON.stringify({ errors: [{ error: `bad: ${parameter}`, code: 1, parameter }] });
      return { status, headers: { "x-platform-auth-message": parameter }, body: Buffer.from(text) };
    };
  const loyaltyToken = 'loyal"ty-token';
  const calls: [string, string, (client: VendorClient) => Promise<unknown>][] = [
    ["a one-time token", TOKEN.reveal(), byToken],
    ["a contextKey", KEY.reveal(), byKey],
    [
      "a loyalty token",
      loyaltyToken,
      (client) => client.connectLoyalty(ID, { url: "https://us.example", token: new Secret(loyaltyToken), externalSearch: false }),
    ],
  ];
  it.each(calls)("%s is neither in a log nor in a result, even where it is sent back; nor is our own token", async (_, secret, call) => {
    for (const status of [400, 401, 503]) {
      const { result, log } = await play([echo(status), echo(status), echo(status)], call);
      const seen = JSON.stringify(result) + log;
      expect(seen).toContain("***");
      for (const hidden of [secret, "ty-token", "token-1", "token-2", "token-3"]) expect(seen, `${status}`).not.toContain(hidden);
    }
  });
});
