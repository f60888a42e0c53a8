import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../src/kernel/clock.ts";
import type { Solution } from "../../src/tools/sandbox/caller/installation.ts";
import { PLATFORM_NAMES } from "../../src/tools/sandbox/caller/names.ts";
import { VendorSide } from "../../src/tools/sandbox/caller/vendor-side.ts";
import { signToken } from "../../src/tools/sandbox/caller/vendor-token.ts";

const SOLUTION: Solution = { appId: "app-1", appUid: "shop.vendor", secretKey: "secret", names: PLATFORM_NAMES.canonical };
const platform = new VendorSide(SOLUTION, systemClock);
let tokens = 0;

beforeAll(() => platform.open());
afterAll(() => platform.close());
beforeEach(() => platform.setStatus("account-1", "SettingsRequired"));

describe("the platform's status calls", () => {
  it("the status of an installation is told and can be changed", async () => {
    expect(await call("GET", {})).toEqual({ status: 200, body: { status: "SettingsRequired" } });
    expect(await call("PUT", { body: { status: "Activated" } })).toEqual({ status: 200, body: { status: "Activated" } });
    expect(platform.statusOf("account-1")).toBe("Activated");
    expect(platform.received.at(-1)).toEqual({ method: "PUT", accountId: "account-1", status: "Activated", answered: 200 });
  });

  it("an installation that is not there is 404 with code 2004", async () => {
    expect(await call("GET", { accountId: "account-2" })).toEqual({
      status: 404,
      body: { errors: [{ error: "the solution is not installed", code: 2004 }] },
    });
  });

  it("a call that does not accept gzip is 415", async () => {
    expect(await call("GET", { headers: { "accept-encoding": "identity" } })).toMatchObject({ status: 415 });
  });

  it("a status that a solution may not report is 400", async () => {
    expect(await call("PUT", { body: { status: "Suspended" } })).toMatchObject({ status: 400 });
    expect(platform.statusOf("account-1")).toBe("SettingsRequired");
  });

  it.each([
    ["of another solution", { sub: "other.vendor" }],
    ["too old", { iat: 1 }],
    ["without an id", { jti: undefined }],
  ])("a token %s is 401", async (_, change) => {
    expect(await call("GET", { claims: change })).toMatchObject({ status: 401 });
  });

  it("a token that was seen before is 401", async () => {
    expect(await call("GET", { claims: { jti: "once" } })).toMatchObject({ status: 200 });
    expect(await call("GET", { claims: { jti: "once" } })).toMatchObject({ status: 401 });
  });
});

interface CallChange {
  accountId?: string;
  body?: object;
  claims?: Record<string, unknown>;
  headers?: Record<string, string>;
}

async function call(method: "GET" | "PUT", { accountId = "account-1", body, claims, headers }: CallChange) {
  tokens += 1;
  const iat = Math.floor(systemClock.nowMs() / 1000);
  const token = signToken({ sub: SOLUTION.appUid, iat, jti: `token-${tokens}`, ...claims }, SOLUTION.secretKey);
  const response = await fetch(`${platform.base}/api/vendor/1.0/apps/${SOLUTION.appId}/${accountId}/status`, {
    method,
    headers: { authorization: `Bearer ${token}`, "accept-encoding": "gzip", "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as unknown };
}
