import { describe, expect, it } from "vitest";
import { systemClock } from "../../src/kernel/clock.ts";
import { PLATFORM_PROFILES } from "../../src/kernel/platform-profile.ts";
import { select } from "../../src/tools/conformance/catalogue.ts";
import { examine } from "../../src/tools/conformance/conformance.ts";
import { basesOf } from "../../src/tools/conformance/play/target.ts";
import { freePort } from "../../src/tools/demo/processes/free-port.ts";
import { PLATFORM_NAMES } from "../../src/tools/sandbox/caller/names.ts";
import { DOUBLE_APP } from "../support/double-vendor.ts";
import { EXTENT } from "../support/extent.ts";
import { serverProcess, temporaryFolder } from "../support/server-process.ts";

/** The run waits half a minute until the server reads the keys again. */
const SLOW_RULE = "qr/key/rotation";

const ISSUER = "https://issuer.example";

describe("our server", () => {
  it("holds every rule of QR payment", async () => {
    const port = await freePort();
    const server = serverProcess(temporaryFolder(), { QR_JWKS_URL: `http://127.0.0.1:${port}/.well-known/jwks.json`, QR_ISSUER: ISSUER });
    await server.start();
    const examined = await examine({
      target: {
        solution: { ...DOUBLE_APP, names: PLATFORM_NAMES.canonical },
        ownCredentials: false,
        profile: PLATFORM_PROFILES.canonical,
        descriptor: undefined,
        ...basesOf(server.base, undefined),
      },
      groups: (select("qr") ?? []).map((group) => ({
        ...group,
        rules: group.rules.filter(({ id }) => EXTENT === "long" || id !== SLOW_RULE),
      })),
      permission: "development-set",
      port: 0,
      clock: systemClock,
      qr: { port, issuer: ISSUER, paying: "amounts" },
      signal: new AbortController().signal,
    });
    if (examined.kind === "unreachable") throw new Error(examined.why);
    const { judged, left } = examined.result;
    expect(judged.filter(({ verdict }) => verdict.kind !== "held").map(({ rule, verdict }) => ({ [rule.id]: verdict }))).toEqual([]);
    expect(left).toEqual([]);
    expect(judged.length).toBeGreaterThan(60);
  });
});
