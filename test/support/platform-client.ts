import { type Clock, systemClock } from "../../src/kernel/clock.ts";
import { silentLog } from "../../src/kernel/log.ts";
import { PLATFORM_PROFILES } from "../../src/kernel/platform-profile.ts";
import { openWire } from "../../src/platform/api/exchange.ts";
import { openClient, type PlatformClient } from "../../src/platform/client.ts";
import { type TestSandbox, testSandbox } from "./sandbox.ts";

/** Waits from this length on are limits for an answer, which comes over a real connection. Shorter ones are pauses of the client. */
const LIMITS_FROM_MS = 60_000;

/** A clock for clients that makes pauses a hundred times shorter. A sandbox uses the real clock. */
export const hastyClock: Clock = {
  ...systemClock,
  monotonicMs: () => systemClock.monotonicMs() * 100,
  after: (delayMs, callback) => systemClock.after(delayMs < LIMITS_FROM_MS ? delayMs / 100 : delayMs, callback),
};

/** A client with a sandbox of its own, without limits unless `options` says otherwise. Close it in `afterAll`. */
export async function testClient(
  options: Parameters<typeof testSandbox>[0] = {},
  clock = systemClock,
): Promise<{
  sandbox: TestSandbox;
  client: PlatformClient;
  close: () => Promise<void>;
}> {
  const sandbox = await testSandbox(options);
  const wire = openWire({ parallel: 4 });
  const client = openClient({
    url: sandbox.api,
    authorization: () => `Bearer ${sandbox.token}`,
    headers: PLATFORM_PROFILES.canonical.headers,
    wire,
    clock,
    log: silentLog,
    rateHeeded: options.limited === true,
  });
  return {
    sandbox,
    client,
    async close() {
      await wire.close();
      await sandbox.close();
    },
  };
}
