import { describe, expect, it } from "vitest";
import { readConfig } from "../../../../src/app/config.ts";
import { messageOf } from "../../../../src/kernel/failure.ts";

const CREDENTIALS = JSON.stringify([{ appId: "a", appUid: "solution.vendor", secretKey: "a secret of the cabinet" }]);
const PRODUCTION = { NODE_ENV: "production", CREDENTIALS, SECRET_KEY: "a key of the shop's own" };

function complaints(environment: Record<string, string>): string[] {
  try {
    readConfig(environment);
    return [];
  } catch (error) {
    return messageOf(error).split("\n");
  }
}

describe("the platform's addresses in production", () => {
  it.each([
    ["PLATFORM_BASE_URL", "http://api.example"],
    ["PLATFORM_APPS_URL", "http://apps.example"],
    ["PLATFORM_UI_URL", "http://online.example"],
    ["QR_JWKS_URL", "http://keys.example/jwks.json"],
    ["PLATFORM_BASE_URL", "http://localhost.example"],
  ])("need https: %s=%s is refused in one line", (name, value) => {
    expect(complaints({ ...PRODUCTION, [name]: value })).toEqual([
      `${name} expects an https address, or one on this machine, when NODE_ENV is production; it is ${JSON.stringify(value)}`,
    ]);
    expect(complaints({ [name]: value })).toEqual([]);
  });

  it("may lack it on this machine, where a proxy may add it", () => {
    const loopback = { PLATFORM_BASE_URL: "http://127.0.0.1:8443", QR_JWKS_URL: "http://localhost:9000/jwks.json" };
    expect(complaints({ ...PRODUCTION, ...loopback })).toEqual([]);
  });
});

describe("a file that a variable names", () => {
  it("is refused when it has no end", () => {
    expect(complaints({ CREDENTIALS: "@/dev/zero" })).toEqual([expect.stringMatching(/^CREDENTIALS expects .*more than 1048576 bytes/)]);
  });
});
