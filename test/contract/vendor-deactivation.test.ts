import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FIRST, installBody, openVendor, type VendorServer } from "../support/vendor.ts";

let vendor: VendorServer;
let key: { appId: string; accountId: string };
beforeEach(async () => {
  vendor = await openVendor({ complete: true });
  key = { appId: FIRST.appId, accountId: randomUUID() };
});
afterEach(() => vendor.close());

const send = (method: "PUT" | "DELETE" | "GET", body?: object | string, headers: Record<string, string> = {}) =>
  vendor.send({ accountId: key.accountId, method, headers, ...(body === undefined ? {} : { body }) });
const install = async () => {
  await send("PUT", installBody());
  await vendor.settings.set(key, "store-1", "register", "emulator:one?operatorPassword=30");
  await vendor.settings.set(key, "*", "paper", "58");
};
const state = async () => (await vendor.installations.get(key))?.state;

describe.each([
  ["Suspend", "suspended"],
  ["Uninstall", "uninstalled"],
])("DELETE with %s", (cause, expected) => {
  it(`makes the installation ${expected} and answers 200 with nothing`, async () => {
    await install();
    const answer = await send("DELETE", { appUid: FIRST.appUid, accountName: "bakery-north", cause });
    expect([answer.status, answer.text]).toEqual([200, ""]);
    expect(await state()).toBe(expected);
  });

  it("wipes the access token from the database and keeps every setting", async () => {
    await install();
    await send("DELETE", { cause });
    expect(await vendor.installations.accessToken(key)).toBeUndefined();
    expect(await vendor.store.db.selectFrom("installations").select("access_token_sealed").execute()).toEqual([
      { access_token_sealed: null },
    ]);
    expect(await vendor.settings.of(key.appId, key.accountId, "store-1")).toMatchObject({
      register: "emulator:one?operatorPassword=30",
      paper: "58",
    });
  });

  it("leaves no active installation behind", async () => {
    await install();
    expect(await vendor.installations.keys(["active"])).toHaveLength(1);
    await send("DELETE", { cause });
    expect(await vendor.installations.keys(["active"])).toEqual([]);
  });

  it("is safe to repeat", async () => {
    await install();
    await send("DELETE", { cause });
    expect([200, 204]).toContain((await send("DELETE", { cause })).status);
    expect(await state()).toBe(expected);
  });

  it("answers 204 for an account that never installed, and makes no installation of it", async () => {
    const answer = await send("DELETE", { cause });
    expect([answer.status, answer.text]).toEqual([204, ""]);
    expect(await state()).toBeUndefined();
  });
});

describe("DELETE", () => {
  it.each([{ cause: "Vanish" }, { cause: null }, {}, { cause: 5 }])("with the body %j suspends", async (body) => {
    await install();
    expect((await send("DELETE", body)).status).toBe(200);
    expect(await state()).toBe("suspended");
    expect(vendor.lines).toContainEqual(expect.objectContaining({ level: "warn", text: expect.stringContaining("unknown cause") }));
  });

  it("whose body a proxy has dropped suspends", async () => {
    await install();
    expect((await send("DELETE")).status).toBe(200);
    expect(await state()).toBe("suspended");
  });

  it("with Uninstall ends a suspended installation too", async () => {
    await install();
    await send("DELETE", { cause: "Suspend" });
    expect((await send("DELETE", { cause: "Uninstall" })).status).toBe(200);
    expect(await state()).toBe("uninstalled");
  });

  it("with Suspend does not bring an uninstalled one back: 204", async () => {
    await install();
    await send("DELETE", { cause: "Uninstall" });
    expect((await send("DELETE", { cause: "Suspend" })).status).toBe(204);
    expect(await state()).toBe("uninstalled");
  });

  it("with broken JSON is 400, with another type 415, and both change nothing", async () => {
    await install();
    expect((await send("DELETE", "{ broken")).status).toBe(400);
    expect((await send("DELETE", { cause: "Uninstall" }, { "Content-Type": "text/plain" })).status).toBe(415);
    expect(await state()).toBe("active");
  });

  it("answers 503 when the database has gone, so that the platform repeats it", async () => {
    await vendor.store.close();
    expect((await send("DELETE", { cause: "Suspend" })).status).toBe(503);
  });
});

describe("GET", () => {
  it("answers the status of an installation", async () => {
    await send("PUT", installBody());
    expect(await send("GET")).toMatchObject({ status: 200, body: { status: "Activated" } });
    vendor.set.complete = false;
    await send("PUT", installBody());
    expect(await send("GET")).toMatchObject({ status: 200, body: { status: "SettingsRequired" } });
  });

  it("answers 404 for one that never was, is suspended or is uninstalled", async () => {
    expect(await send("GET")).toMatchObject({ status: 404, body: { errors: [{ error: expect.any(String), code: 404 }] } });
    await install();
    await send("DELETE", { cause: "Suspend" });
    expect((await send("GET")).status).toBe(404);
    await send("DELETE", { cause: "Uninstall" });
    expect((await send("GET")).status).toBe(404);
  });
});
