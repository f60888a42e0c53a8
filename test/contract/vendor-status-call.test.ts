import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../src/kernel/clock.ts";
import { silentLog } from "../../src/kernel/log.ts";
import { PLATFORM_PROFILES } from "../../src/kernel/platform-profile.ts";
import { Secret } from "../../src/kernel/secret.ts";
import { openWire } from "../../src/platform/api/exchange.ts";
import { openVendorClient } from "../../src/platform/vendor/client.ts";
import { makeToken } from "../../src/security/token.ts";
import { PLATFORM_NAMES } from "../../src/tools/sandbox/caller/names.ts";
import { VendorSide } from "../../src/tools/sandbox/caller/vendor-side.ts";
import { FIRST } from "../support/vendor.ts";

const platform = new VendorSide({ ...FIRST, names: PLATFORM_NAMES.canonical }, systemClock);
const wire = openWire({ parallel: 2 });
beforeAll(() => platform.open());
afterAll(async () => {
  await wire.close();
  await platform.close();
});

function client(secretKey = FIRST.secretKey) {
  const token = () => makeToken({ appUid: FIRST.appUid, secret: new Secret(secretKey), id: randomUUID(), nowMs: systemClock.nowMs() });
  const { headers } = PLATFORM_PROFILES.canonical;
  return openVendorClient({ url: platform.base, token, headers, wire, clock: systemClock, log: silentLog });
}

const tell = (accountId: string, as = client()) => as.tellStatus({ appId: FIRST.appId, accountId }, "Activated");

describe("the status call, to the platform's side", () => {
  it("is taken: gzip asked for, token right, status set", async () => {
    const accountId = randomUUID();
    platform.setStatus(accountId, "SettingsRequired");
    expect(await tell(accountId)).toEqual({ kind: "reported" });
    expect(platform.statusOf(accountId)).toBe("Activated");
  });

  it("may be repeated", async () => {
    const accountId = randomUUID();
    platform.setStatus(accountId, "SettingsRequired");
    for (const _time of [1, 2]) expect(await tell(accountId)).toEqual({ kind: "reported" });
  });

  it("for an account that the platform does not know is refused with its words", async () => {
    const reply = { status: 404, words: "the solution is not installed", errors: [{ code: 2004 }] };
    expect(await tell(randomUUID())).toMatchObject({ kind: "not-installed", reply });
  });

  it("signed with another secret is refused", async () => {
    expect(await tell(randomUUID(), client("other"))).toMatchObject({ kind: "unauthorized", reply: { status: 401 } });
  });
});
