import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ACCESS_TOKEN, FIRST, installBody, openVendor, type VendorServer } from "../support/vendor.ts";

const CHANGED = {
  appUid: FIRST.appUid,
  accountName: "bakery-north",
  cause: "PermissionsChanged",
  access: [
    {
      resource: "https://api.platform.example/api/remap/1.2",
      scope: ["custom"],
      permissions: { viewDashboard: true, supply: { view: "ALL" } },
    },
  ],
};

let vendor: VendorServer;
let key: { appId: string; accountId: string };
beforeEach(async () => {
  vendor = await openVendor({ complete: true });
  key = { appId: FIRST.appId, accountId: randomUUID() };
});
afterEach(() => vendor.close());

const install = () => vendor.send({ accountId: key.accountId, body: installBody() });
const event = (body: object | string) => vendor.send({ accountId: key.accountId, under: "/event", body });

describe("PUT event", () => {
  it("stores the new permissions and leaves state, token and subscription alone", async () => {
    await install();
    expect(await event(CHANGED)).toMatchObject({ status: 200, text: "" });
    expect(await vendor.installations.get(key)).toMatchObject({
      state: "active",
      access: CHANGED.access,
      subscription: { tariffName: "Start" },
    });
    expect((await vendor.installations.accessToken(key))?.reveal()).toBe(ACCESS_TOKEN);
  });

  it("is also served without the platform's segment", async () => {
    await install();
    const path = `/vendor/api/vendor/1.0/apps/${key.appId}/${key.accountId}/event`;
    expect((await vendor.send({ path, body: CHANGED })).status).toBe(200);
    expect(await vendor.installations.get(key)).toMatchObject({ access: CHANGED.access });
  });

  it("ignores a token that comes along", async () => {
    await install();
    await event({ ...CHANGED, access: [{ ...CHANGED.access[0], access_token: "another" }] });
    expect((await vendor.installations.accessToken(key))?.reveal()).toBe(ACCESS_TOKEN);
    expect(JSON.stringify(await vendor.installations.get(key))).not.toContain("another");
  });

  it("with an unknown cause is answered 200, changes nothing and is logged", async () => {
    await install();
    expect((await event({ ...CHANGED, cause: "MoonPhaseChanged" })).status).toBe(200);
    expect(await vendor.installations.get(key)).toMatchObject({ access: [{ permissions: { retailStore: { view: "ALL" } } }] });
    expect(vendor.lines).toContainEqual(expect.objectContaining({ values: expect.objectContaining({ cause: "MoonPhaseChanged" }) }));
  });

  it("for an account that never installed is 404", async () => {
    expect(await event(CHANGED)).toMatchObject({ status: 404, body: { errors: [{ code: 404 }] } });
    expect((await event({ ...CHANGED, cause: "MoonPhaseChanged" })).status).toBe(404);
  });

  it("with a wrong body is 400 and names the field", async () => {
    await install();
    expect(await event({ ...CHANGED, cause: undefined })).toMatchObject({ status: 400, body: { errors: [{ parameter: "cause" }] } });
    expect(await event({ ...CHANGED, access: "all" })).toMatchObject({ status: 400, body: { errors: [{ parameter: "access" }] } });
    expect((await event("{ broken")).status).toBe(400);
  });
});

describe.each(["button", "scenario"])("POST %s", (under) => {
  it("answers 400 with words for the user, since the solution declares none", async () => {
    const answer = await vendor.send({
      accountId: key.accountId,
      method: "POST",
      under: `/${under}`,
      body: { buttonName: "b", actionName: "a" },
    });
    expect(answer.status).toBe(400);
    expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(answer.body).toEqual({ error: { code: 400, errorMessage: expect.stringMatching(/^[А-Я]/) } });
  });
});

describe("the paths of the vendor contract", () => {
  it("carry the segment of the active profile only", async () => {
    const production = await openVendor({ profile: "production" });
    const under = (segment: string) => `/vendor/api/${segment}/vendor/1.0/apps/${key.appId}/${key.accountId}`;
    expect((await production.send({ path: under("moysklad"), body: installBody() })).status).toBe(200);
    expect((await production.send({ path: under("platform"), body: installBody() })).status).toBe(404);
    expect((await vendor.send({ path: under("moysklad"), body: installBody() })).status).toBe(404);
    await production.close();
  });

  it("take the request id from the header of the active profile only", async () => {
    const production = await openVendor({ profile: "production" });
    const call = { accountId: key.accountId, body: installBody(), requestId: null };
    await production.send({ ...call, headers: { X_Lognex_RequestId: "one" } });
    expect(production.lines.filter((line) => line.level === "warn")).toEqual([]);
    await production.send({ ...call, headers: { X_Platform_RequestId: "two" } });
    expect(production.lines.filter((line) => line.level === "warn")).toHaveLength(1);
    await production.close();
  });

  it("may have doubled slashes", async () => {
    const path = `/vendor//api/platform/vendor/1.0/apps//${key.appId}/${key.accountId}`;
    expect((await vendor.send({ path, body: installBody() })).status).toBe(200);
  });

  const unknown = [
    "/vendor",
    "/vendor/",
    "/vendor/api/platform/vendor/1.0/apps",
    "/vendor/api/platform/vendor/2.0/apps/a/b",
    "/vendor/api/vendor/1.0/apps/a/b",
  ];
  it.each(unknown)("are 404 in the contract's shape at %s", async (path) => {
    expect(await vendor.send({ path, body: {} })).toMatchObject({
      status: 404,
      body: { errors: [{ error: expect.any(String), code: 404 }] },
    });
  });

  it("are 405 with Allow for a method that they do not take", async () => {
    const answer = await vendor.send({ accountId: key.accountId, method: "POST", body: {} });
    expect(answer).toMatchObject({ status: 405, body: { errors: [{ code: 405 }] } });
    expect(answer.headers.allow).toBe("PUT, DELETE, GET");
    expect((await vendor.send({ accountId: key.accountId, under: "/event", method: "GET" })).status).toBe(405);
  });

  it("that cannot be decoded are 404", async () => {
    expect(await vendor.send({ accountId: "%E0%A4%A", body: {} })).toMatchObject({ status: 404, body: { errors: [{ code: 404 }] } });
  });
});
