import { randomUUID } from "node:crypto";
import { type Clock, systemClock } from "../../src/kernel/clock.ts";
import { type Log, silentLog } from "../../src/kernel/log.ts";
import { PLATFORM_PROFILES } from "../../src/kernel/platform-profile.ts";
import { Secret } from "../../src/kernel/secret.ts";
import type { Wire } from "../../src/platform/api/exchange.ts";
import { openVendorClient, type VendorClient } from "../../src/platform/vendor/client.ts";
import { makeToken } from "../../src/security/token.ts";

/** The entry of the catalogue that development and sandbox share (interface 2). */
export const ENTRY = {
  appId: "00000000-0000-4000-8000-000000000001",
  appUid: "fiscal-solution.dev",
  secretKey: "development-secret-not-for-production",
};

/** A vendor client that signs as the server does. */
export function vendorClient(options: { url: string; wire: Wire; clock?: Clock; log?: Log; secretKey?: string }): VendorClient {
  const { clock = systemClock, log = silentLog, secretKey = ENTRY.secretKey } = options;
  const { headers } = PLATFORM_PROFILES.canonical;
  const token = () => makeToken({ appUid: ENTRY.appUid, secret: new Secret(secretKey), id: randomUUID(), nowMs: systemClock.nowMs() });
  return openVendorClient({ url: options.url, token, headers, wire: options.wire, clock, log });
}
