import { describe, expect, it } from "vitest";
import { Secret } from "../../../../src/kernel/secret.ts";
import type { Exchange } from "../../../../src/platform/api/exchange.ts";
import type { VendorClient } from "../../../../src/platform/vendor/client.ts";
import { answers, fails, PAGE, play, type Reply, refuses, SILENCE } from "../../../support/vendor-play.ts";

const KEY = new Secret("1c14e98cd272239c03bf3d9697f167699743292c");
const TOKEN = new Secret("a1b2c3d4e5f6478901234567890abcdef1234567");
const byToken = (client: VendorClient) => client.userByToken("app", TOKEN);
const byKey = (client: VendorClient) => client.userByKey("app", KEY);
const tokensOf = (requests: readonly Exchange[]) => requests.map(({ headers }) => headers.authorization);

describe("who the user is, by contextKey", () => {
  const employee = {
    id: "e",
    accountId: "account",
    uid: "admin@shop",
    meta: {},
    permissions: { admin: { view: "ALL" }, uom: { view: "NO" } },
  };

  it("is the whole employee, an administrator by one permission alone", async () => {
    const { result, requests } = await play([answers(200, JSON.stringify(employee))], byKey);
    expect(result).toEqual({ kind: "user", employee, administrator: true });
    expect(requests[0]).toMatchObject({ method: "POST", body: undefined, url: expect.stringMatching(/\/context\/1c14e98c/) });
    for (const permissions of [undefined, {}, { admin: { view: "OWN" } }, { admin: {} }, { admin: null }, "ALL"]) {
      const body = JSON.stringify({ ...employee, permissions });
      expect((await play([answers(200, body)], byKey)).result, body).toMatchObject({ kind: "user", administrator: false });
    }
  });

  it("is one of the documented outcomes", async () => {
    expect((await play([refuses(403, 1)], byKey)).result).toMatchObject({ kind: "foreign" });
    expect((await play([refuses(404, 1)], byKey)).result).toMatchObject({ kind: "expired", reply: { status: 404 } });
    expect((await play([answers(404, PAGE)], byKey)).result).toMatchObject({ kind: "refused" });
    expect((await play([answers(200, '{"id":"e"}')], byKey)).result).toMatchObject({ kind: "unavailable" });
  });

  it("is asked again when the answer got lost", async () => {
    const { result, requests } = await play([fails("ECONNRESET"), answers(200, JSON.stringify(employee))], byKey);
    expect([result.kind, requests.length]).toEqual(["user", 2]);
  });

  it("is not asked with what is no key, or would lead to another address", async () => {
    for (const key of ["user", "", "..", "a/b", `${KEY.reveal()}/../user`, `${KEY.reveal()}?x`, "a".repeat(257), "\ud800".repeat(20)]) {
      const { result, requests } = await play([], (client) => client.userByKey("app", new Secret(key)));
      expect([result, requests.length], key).toEqual([{ kind: "expired" }, 0]);
    }
  });
});

describe("who the user is, by one-time token", () => {
  const user = { accountId: "account", userId: "e", userUid: "admin@shop", role: "admin" };

  it("is told with the role, and the token is in the body alone", async () => {
    const { result, requests } = await play([answers(200, JSON.stringify({ ...user, more: 1 }))], byToken);
    expect(result).toEqual({ kind: "user", administrator: true, ...user });
    expect(requests[0]?.url).toBe("https://apps.example/api/vendor/1.0/context/user");
    expect(requests[0]?.body).toBe(JSON.stringify({ token: TOKEN.reveal() }));
    expect(JSON.stringify([requests[0]?.url, requests[0]?.headers])).not.toContain(TOKEN.reveal());
    for (const role of ["cashier", "worker", "individual", "owner"]) {
      expect((await play([answers(200, JSON.stringify({ ...user, role }))], byToken)).result).toMatchObject({ role, administrator: false });
    }
  });

  it("is one of the documented outcomes", async () => {
    expect((await play([refuses(404, 3007)], byToken)).result).toMatchObject({ kind: "spent" });
    expect((await play([refuses(400, 3008)], byToken)).result).toMatchObject({ kind: "empty" });
    expect((await play([refuses(404, 1002)], byToken)).result).toMatchObject({ kind: "refused" });
    expect((await play([refuses(401, 1056)], byToken)).result).toMatchObject({ kind: "unauthorized" });
    const empty = await play([], (client) => client.userByToken("app", new Secret("")));
    expect([empty.result, empty.requests.length]).toEqual([{ kind: "empty" }, 0]);
  });

  const arrived: [string, Reply | typeof SILENCE, string][] = [
    ["a connection that was lost", fails("ECONNRESET"), "failed with ECONNRESET"],
    ["a socket that was closed", fails("UND_ERR_SOCKET"), "failed with UND_ERR_SOCKET"],
    ["SILENCE", SILENCE, "no answer within 5000 ms"],
    ["503", answers(503), "answered 503"],
    ["429", answers(429), "answered 429"],
    ["a page", answers(200, PAGE), "answered 200"],
    ["a user without an account", answers(200, '{"userId":"e"}'), "answered 200, and names no user"],
  ];
  it.each(arrived)("is in doubt after %s, and the token is not sent again", async (_, reply, reason) => {
    const { result, requests } = await play([reply], byToken);
    expect(result).toMatchObject({ kind: "in-doubt", reason });
    expect(requests).toHaveLength(1);
  });

  it("is asked again while no connection can be made, and not once one was", async () => {
    const found = await play([fails("ECONNREFUSED"), fails("UND_ERR_CONNECT_TIMEOUT"), answers(200, JSON.stringify(user))], byToken);
    expect([found.result.kind, tokensOf(found.requests)]).toEqual(["user", ["Bearer token-1", "Bearer token-2", "Bearer token-3"]]);
    const never = await play([fails("ENOTFOUND"), fails("EAI_AGAIN"), fails("ECONNREFUSED")], byToken);
    expect(never.result).toEqual({ kind: "unreachable", reason: "failed with ECONNREFUSED" });
    const lost = await play([fails("ECONNREFUSED"), fails("ECONNRESET")], byToken);
    expect([lost.result.kind, lost.requests.length]).toEqual(["in-doubt", 2]);
  });
});
