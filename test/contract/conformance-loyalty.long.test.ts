import { describe, expect, it } from "vitest";
import { systemChance, systemClock } from "../../src/kernel/clock.ts";
import { PLATFORM_PROFILES } from "../../src/kernel/platform-profile.ts";
import { select } from "../../src/tools/conformance/catalogue.ts";
import { type ConformanceOptions, examine } from "../../src/tools/conformance/conformance.ts";
import { LOYALTY_ACCOUNT } from "../../src/tools/conformance/play/account-ids.ts";
import { basesOf } from "../../src/tools/conformance/play/target.ts";
import { freePort } from "../../src/tools/demo/processes/free-port.ts";
import { setForAll } from "../../src/tools/demo/settings-command.ts";
import { activation, deactivation, sendVendorCall } from "../../src/tools/sandbox/caller/installation.ts";
import { PLATFORM_NAMES } from "../../src/tools/sandbox/caller/names.ts";
import { makeSigningKey } from "../../src/tools/sandbox/caller/signing-key.ts";
import { DOUBLE_APP } from "../support/double-vendor.ts";
import { serverProcess, temporaryFolder } from "../support/server-process.ts";

const solution = { ...DOUBLE_APP, names: PLATFORM_NAMES.canonical };

describe("our server", () => {
  it("holds every rule of loyalty, on an account of the run whose programme was switched on before", async () => {
    const port = await freePort();
    const server = serverProcess(temporaryFolder(), { PLATFORM_BASE_URL: `http://127.0.0.1:${port}` });
    await server.start();
    // Settings are kept after a removal, and may be set only for accounts that were installed once.
    const installation = {
      accountId: LOYALTY_ACCOUNT,
      accountName: "conformance-run",
      registrationId: systemChance.uuid(),
      key: makeSigningKey(),
    };
    const from = { clock: systemClock, chance: systemChance };
    const resource = `http://127.0.0.1:${port}/api/remap/1.2`;
    await sendVendorCall(server.base, activation(solution, installation, "Install", { ...from, resource }), systemClock);
    await setForAll(server, LOYALTY_ACCOUNT, "loyalty=on");
    await sendVendorCall(server.base, deactivation(solution, installation, "Uninstall", from), systemClock);
    const options: ConformanceOptions = {
      target: {
        solution,
        ownCredentials: false,
        profile: PLATFORM_PROFILES.canonical,
        descriptor: undefined,
        ...basesOf(server.base, undefined),
      },
      groups: select("loyalty") ?? [],
      permission: "development-set",
      port,
      clock: systemClock,
      signal: new AbortController().signal,
    };
    const examined = await examine(options);
    if (examined.kind === "unreachable") throw new Error(examined.why);
    const { judged, left } = examined.result;
    const others = judged.filter(({ verdict }) => verdict.kind !== "held");
    // The default programme leaves the search to the platform.
    expect(others.map(({ rule, verdict }) => [rule.id, verdict.kind])).toEqual([["loyalty/required/search", "not-applicable"]]);
    expect(left).toEqual([]);
    expect(judged.length).toBeGreaterThan(80);
  });
});
