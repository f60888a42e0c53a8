import { describe, expect, it } from "vitest";
import { Secret } from "../../../../src/kernel/secret.ts";
import type { VendorClient } from "../../../../src/platform/vendor/client.ts";
import { answers, fails, PAGE, play, refuses } from "../../../support/vendor-play.ts";

const ID = { appId: "app", accountId: "account" };
const TOKEN = new Secret("a1b2c3d4e5f6478901234567890abcdef1234567");
const tell = (client: VendorClient) => client.tellStatus(ID, "Activated");
const complete = (client: VendorClient) => client.completeButton("app", { asyncProcessId: "process", notification: { text: "Готово" } });
const connect = (client: VendorClient) =>
  client.connectLoyalty(ID, { url: "https://us.example/loyalty", token: TOKEN, externalSearch: true });

describe("what the platform's vendor side says", () => {
  it("of a status is one of its documented outcomes", async () => {
    expect((await play([refuses(404, 2004)], tell)).result).toMatchObject({ kind: "not-installed", reply: { status: 404 } });
    expect((await play([answers(404, PAGE)], tell)).result).toMatchObject({ kind: "refused", reply: { status: 404, words: "" } });
    expect((await play([answers(409)], tell)).result).toMatchObject({ kind: "no-such-step", reply: { status: 409 } });
    const read = (client: VendorClient) => client.status(ID);
    expect((await play([refuses(404, 2004)], read)).result).toMatchObject({ kind: "not-installed" });
    expect((await play([refuses(404, 1002)], read)).result).toMatchObject({ kind: "refused", reply: { status: 404 } });
    expect((await play([answers(200, "[]")], read)).result).toMatchObject({ kind: "unavailable", reply: { status: 200 } });
  });

  it("of an installation is read with what it knows, new statuses and odd fields included, and tokens left out", async () => {
    const body = {
      status: "Frozen",
      cause: null,
      subscription: { tariffId: "t", trial: "odd", expiryMoment: "2024-01-19T18:50:12+03:00", notForResale: false },
      access: [{ resource: "https://api.example/", scope: "admin", access_token: "9f0c" }],
    };
    const { result } = await play([answers(200, JSON.stringify(body))], (client) => client.status(ID));
    expect(result).toEqual({
      kind: "installed",
      status: "Frozen",
      subscription: { tariffId: "t", expiryMoment: "2024-01-19T18:50:12+03:00", notForResale: false },
      access: [{ resource: "https://api.example/", scope: ["admin"] }],
    });
  });

  it("of loyalty settings is one of its documented outcomes", async () => {
    const { result, requests } = await play([answers(200)], connect);
    expect(result).toEqual({ kind: "connected" });
    expect(requests[0]).toMatchObject({ method: "PUT", url: expect.stringMatching(/apps\/app\/account\/loyalty$/) });
    expect(JSON.parse(requests[0]?.body ?? "")).toEqual({ url: "https://us.example/loyalty", token: TOKEN.reveal(), externalSearch: true });
    expect((await play([refuses(404, 2004)], connect)).result).toMatchObject({ kind: "not-installed" });
    expect((await play([refuses(400, 2006)], connect)).result).toMatchObject({ kind: "not-in-descriptor" });
    expect((await play([refuses(400, 2007)], connect)).result).toMatchObject({ kind: "not-settled" });
    expect((await play([refuses(400, 2001)], connect)).result).toMatchObject({ kind: "refused" });
  });

  it("of a change of loyalty settings is the same, and only what is named is sent", async () => {
    const { result, requests } = await play([fails("ECONNRESET"), answers(200)], (client) =>
      client.changeLoyalty(ID, { url: "https://us.example" }),
    );
    expect(result).toEqual({ kind: "connected" });
    expect(requests.map(({ method, body }) => [method, body])).toEqual(Array(2).fill(["PATCH", '{"url":"https://us.example"}']));
    const nothing = play([], async (client) => client.changeLoyalty(ID, {}));
    await expect(nothing).rejects.toMatchObject({ code: "platform-unsayable" });
  });

  it("of a button's end is one of its documented outcomes", async () => {
    const { result, requests } = await play([answers(200)], complete);
    expect(result).toEqual({ kind: "completed" });
    expect(requests[0]).toMatchObject({ method: "POST", url: "https://apps.example/api/vendor/1.0/apps/app/button/complete" });
    expect(JSON.parse(requests[0]?.body ?? "")).toEqual({ asyncProcessId: "process", notification: { text: "Готово" } });
    expect((await play([refuses(400, 3000)], complete)).result).toMatchObject({ kind: "wrong-notification" });
    expect((await play([refuses(404, 1005)], complete)).result).toMatchObject({ kind: "unknown-process" });
    expect((await play([answers(404, PAGE)], complete)).result).toMatchObject({ kind: "refused" });
    expect((await play([refuses(409, 1)], complete)).result).toMatchObject({ kind: "completed-before" });
    expect((await play([refuses(410, 1)], complete)).result).toMatchObject({ kind: "too-late" });
  });

  it("of a button's end after a lost answer is that the lost attempt has done it", async () => {
    expect((await play([fails("ECONNRESET"), refuses(409, 1)], complete)).result).toEqual({ kind: "completed" });
    expect((await play([answers(502, PAGE), refuses(409, 1)], complete)).result).toEqual({ kind: "completed" });
    expect((await play([fails("ECONNREFUSED"), refuses(409, 1)], complete)).result).toMatchObject({ kind: "completed-before" });
  });

  it("of a notification that it would refuse is not waited for", async () => {
    const wrong = [
      { text: "" },
      { text: "я".repeat(256) },
      { text: "x", url: "http://a.example" },
      { text: "x", url: "//a.example" },
      { text: "x", url: "javascript:alert(1)" },
      { text: "x", url: `https://a.example/${"a".repeat(255)}` },
      { text: "x", urlText: "Открыть" },
      { text: "x", url: "#reports", urlText: "я".repeat(31) },
    ];
    for (const notification of wrong) {
      const sent = play([], (client) => client.completeButton("app", { asyncProcessId: "p", notification }));
      await expect(sent, JSON.stringify(notification)).rejects.toMatchObject({ code: "platform-unsayable" });
    }
    const longest = { text: "я".repeat(255), url: "#customerorder/edit?id=1", urlText: "я".repeat(30) };
    const taken = play([answers(200)], (client) => client.completeButton("app", { asyncProcessId: "p", notification: longest }));
    expect((await taken).result).toEqual({ kind: "completed" });
  });
});
