import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemChance, systemClock } from "../../../../../src/kernel/clock.ts";
import { PlatformSide } from "../../../../../src/tools/conformance/play/platform-side.ts";
import { PLATFORM_NAMES } from "../../../../../src/tools/sandbox/caller/names.ts";
import { signToken } from "../../../../../src/tools/sandbox/caller/vendor-token.ts";
import { DOUBLE_APP } from "../../../../support/double-vendor.ts";

let laterMs = 0;
const clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + laterMs };
const platform = new PlatformSide({ ...DOUBLE_APP, names: PLATFORM_NAMES.canonical }, clock, systemChance);
const VENDOR = "/api/vendor/1.0";

beforeAll(() => platform.open());
afterAll(() => platform.close());

async function call(method: string, path: string, headers: Record<string, string> = {}, sent: object = {}) {
  const claims = { sub: DOUBLE_APP.appUid, iat: Math.floor(systemClock.nowMs() / 1000), jti: systemChance.uuid() };
  const response = await fetch(platform.base + path, {
    method,
    headers: { authorization: `Bearer ${signToken(claims, DOUBLE_APP.secretKey)}`, "accept-encoding": "gzip", ...headers },
    ...(method === "GET" ? {} : { body: JSON.stringify(sent) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const codeOf = ({ body }: { body: Record<string, unknown> }) => (body.errors as { code: number }[])[0]?.code;

describe("the platform's side of a conformance run", () => {
  it("takes loyalty settings of an account that has the solution, and of no other", async () => {
    platform.setStatus("account-1", "Activated");
    const settings = { url: "https://shop.example/loyalty", token: "of-tills", externalSearch: true };
    expect(await call("PUT", `${VENDOR}/apps/${DOUBLE_APP.appId}/account-1/loyalty`, {}, settings)).toMatchObject({ status: 200 });
    const stranger = await call("PATCH", `${VENDOR}/apps/${DOUBLE_APP.appId}/account-2/loyalty`);
    expect([stranger.status, codeOf(stranger)]).toEqual([404, 2004]);
  });

  it("keeps them until the solution is removed, and refuses them unless the installation may be called", async () => {
    const settings = { url: "https://shop.example/loyalty", token: "of-tills", externalSearch: true };
    const put = (account: string) => call("PUT", `${VENDOR}/apps/${DOUBLE_APP.appId}/${account}/loyalty`, {}, settings);
    platform.setStatus("account-3", "SettingsRequired");
    expect(platform.loyaltyOf("account-3")).toBeUndefined();
    expect((await put("account-3")).status).toBe(200);
    await call("PATCH", `${VENDOR}/apps/${DOUBLE_APP.appId}/account-3/loyalty`, {}, { externalSearch: false });
    expect(platform.loyaltyOf("account-3")).toEqual({ ...settings, externalSearch: false });
    for (const status of ["Activating", "Suspended"]) {
      platform.setStatus("account-3", status);
      const refused = await put("account-3");
      expect([refused.status, codeOf(refused)]).toEqual([400, 2007]);
    }
    platform.setStatus("account-3", undefined);
    expect(platform.loyaltyOf("account-3")).toBeUndefined();
  });

  it("refuses loyalty settings of a solution whose descriptor has no loyaltyApi", async () => {
    const bare = new PlatformSide({ ...DOUBLE_APP, names: PLATFORM_NAMES.canonical }, systemClock, systemChance, false);
    await bare.open();
    try {
      bare.setStatus("account-1", "Activated");
      const claims = { sub: DOUBLE_APP.appUid, iat: Math.floor(systemClock.nowMs() / 1000), jti: systemChance.uuid() };
      const response = await fetch(`${bare.base}${VENDOR}/apps/${DOUBLE_APP.appId}/account-1/loyalty`, {
        method: "PUT",
        headers: { authorization: `Bearer ${signToken(claims, DOUBLE_APP.secretKey)}`, "accept-encoding": "gzip" },
        body: JSON.stringify({ url: "https://shop.example/loyalty", token: "of-tills", externalSearch: true }),
      });
      expect([response.status, codeOf({ body: (await response.json()) as Record<string, unknown> })]).toEqual([400, 2006]);
    } finally {
      await bare.close();
    }
  });

  it("knows no user behind a context key or a token", async () => {
    expect((await call("POST", `${VENDOR}/context/some-key`)).status).toBe(404);
    const user = await call("POST", `${VENDOR}/context/user`);
    expect([user.status, codeOf(user)]).toEqual([404, 3007]);
  });

  it("lets an installation read entities with its own token, until that is taken back", async () => {
    const path = "/api/remap/1.2/entity/retailstore/store-1";
    const token = platform.grantToken();
    const found = await call("GET", path, { authorization: `Bearer ${token}` });
    expect(found).toMatchObject({ status: 200, body: { id: "store-1", meta: { type: "retailstore" } } });
    expect((await call("POST", path, { authorization: `Bearer ${token}` })).status).toBe(403);
    platform.revokeToken(token);
    expect((await call("GET", path, { authorization: `Bearer ${token}` })).status).toBe(401);
  });

  it("excuses a call with a revoked token until a second after the server was told, and one with a token nobody gave never", async () => {
    const token = platform.grantToken();
    const seen = async (used: string) => {
      expect((await call("GET", "/api/remap/1.2/entity/employee", { authorization: `Bearer ${used}` })).status).toBe(401);
      return platform.received.at(-1)?.excused === true;
    };
    platform.revokeToken(token);
    expect(await seen(token)).toBe(true);
    platform.tellOfEnd(token);
    expect(await seen(token)).toBe(true);
    laterMs += 1_000;
    expect(await seen(token)).toBe(false);
    expect(await seen("token-of-nobody")).toBe(false);
  });

  it("keeps why it refused a call", async () => {
    expect((await call("GET", "/api/remap/1.2/entity/employee", { "accept-encoding": "identity" })).status).toBe(415);
    expect(platform.received.at(-1)).toMatchObject({ method: "GET", answered: 415, problem: "Accept-Encoding: gzip is mandatory" });
    expect((await call("POST", `${VENDOR}/context/some-key`, { authorization: "Bearer a.b.c" })).status).toBe(401);
    expect(platform.received.at(-1)).toMatchObject({ answered: 401, problem: "algorithm is not HS256" });
  });
});
