import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../src/kernel/clock.ts";
import { silentLog } from "../../src/kernel/log.ts";
import { Secret } from "../../src/kernel/secret.ts";
import { type LifecycleServices, tellStatus } from "../../src/platform/lifecycle.ts";
import { PLATFORM_NAMES } from "../../src/sandbox/caller/names.ts";
import { VendorSide } from "../../src/sandbox/caller/vendor-side.ts";
import { makeToken } from "../../src/security/token.ts";
import { FIRST } from "../support/vendor.ts";

const platform = new VendorSide({ ...FIRST, names: PLATFORM_NAMES.canonical }, systemClock);
beforeAll(() => platform.open());
afterAll(() => platform.close());

function services(changes: Partial<LifecycleServices> = {}): LifecycleServices {
  const token = () =>
    makeToken({ appUid: FIRST.appUid, secret: new Secret(FIRST.secretKey), id: randomUUID(), nowMs: systemClock.nowMs() });
  return { appsUrl: platform.base, token, clock: systemClock, log: silentLog, fetch, ...changes };
}

describe("the status call, to the platform's side", () => {
  it("is taken: gzip asked for, token right, status set", async () => {
    const accountId = randomUUID();
    platform.setStatus(accountId, "SettingsRequired");
    expect(await tellStatus(services(), { appId: FIRST.appId, accountId, status: "Activated" })).toEqual({ kind: "told" });
    expect(platform.statusOf(accountId)).toBe("Activated");
  });

  it("may be repeated", async () => {
    const accountId = randomUUID();
    platform.setStatus(accountId, "SettingsRequired");
    for (const _time of [1, 2]) {
      expect(await tellStatus(services(), { appId: FIRST.appId, accountId, status: "Activated" })).toEqual({ kind: "told" });
    }
  });

  it("for an account that the platform does not know is refused with its words", async () => {
    const call = { appId: FIRST.appId, accountId: randomUUID(), status: "Activated" } as const;
    expect(await tellStatus(services(), call)).toEqual({ kind: "refused", status: 404, words: "the solution is not installed" });
  });

  it("signed with another secret is refused", async () => {
    const token = () => makeToken({ appUid: FIRST.appUid, secret: new Secret("other"), id: randomUUID(), nowMs: systemClock.nowMs() });
    const call = { appId: FIRST.appId, accountId: randomUUID(), status: "Activated" } as const;
    expect(await tellStatus(services({ token }), call)).toMatchObject({ kind: "refused", status: 401 });
  });
});
