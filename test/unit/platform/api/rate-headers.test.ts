import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pause } from "../../../../src/kernel/clock.ts";
import { silentLog } from "../../../../src/kernel/log.ts";
import { PLATFORM_PROFILES } from "../../../../src/kernel/platform-profile.ts";
import { PlatformApi } from "../../../../src/platform/api/api.ts";
import type { Exchanged } from "../../../../src/platform/api/exchange.ts";
import { VirtualClock } from "../../../support/virtual-clock.ts";

/** The longest window that is believed, and a little for clocks that differ in speed. */
const MOST_MS = 60_000 + 10;

interface Said {
  limit: string | undefined;
  remaining: string | undefined;
  windowMs: string | undefined;
  after: string | undefined;
  status: 200 | 429;
  takesMs: number;
}
const HONEST: Said = { limit: "45", remaining: "44", windowMs: "3000", after: undefined, status: 200, takesMs: 10 };

function exchangedOf({ limit, remaining, windowMs, after, status }: Said): Exchanged {
  const names = { "x-ratelimit-limit": limit, "x-ratelimit-remaining": remaining, "x-platform-retry-timeinterval": windowMs };
  const said = Object.entries({ ...names, "x-platform-retry-after": after });
  const headers = Object.fromEntries(said.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
  const body = status === 429 ? '{"errors":[{"error":"later","code":1049}]}' : "{}";
  return { status, headers, body: Buffer.from(body) };
}

/**
 * Plays callers that ask again as soon as they are answered. Returns the longest time without a request on its way, and the
 * number of requests.
 */
async function play(said: readonly Said[], callers = 1): Promise<{ longestMs: number; left: number }> {
  const clock = new VirtualClock(0);
  let left = 0;
  let lastMs = 0;
  let longestMs = 0;
  const note = () => {
    longestMs = Math.max(longestMs, clock.monotonicMs() - lastMs);
    lastMs = clock.monotonicMs();
  };
  const api = new PlatformApi({
    url: "https://api.example/api/remap/1.2",
    authorization: () => "Bearer x",
    headers: PLATFORM_PROFILES.canonical.headers,
    clock,
    log: silentLog,
    wire: {
      async exchange() {
        note();
        const next = said[left] ?? HONEST;
        left += 1;
        await pause(clock, next.takesMs);
        note();
        return exchangedOf(next);
      },
      close: async () => {},
      abandon: async () => {},
    },
  });
  const ask = async (caller: number) => {
    while (left < said.length + 3)
      await Promise.allSettled([api.call({ method: "GET", path: "entity/uom", weightClass: caller % 2 === 0 ? "plain" : "report" })]);
  };
  const asking = Promise.all(Array.from({ length: callers }, (_, caller) => ask(caller)));
  await clock.advance((said.length + 5) * 65_000);
  expect(left).toBeGreaterThanOrEqual(said.length + 3);
  await asking;
  return { longestMs, left };
}

const number = fc.constantFrom(
  "0",
  "1",
  "45",
  "44",
  "3000",
  "60000",
  "60001",
  "0.5",
  "44.5",
  "-1",
  "-3000",
  "1e18",
  "1e300",
  "9".repeat(400),
);
const value = fc.option(fc.oneof(number, number, fc.constantFrom("", " ", "NaN", "Infinity", "-Infinity", "45,45", "0x10", "soon")), {
  nil: undefined,
});
const saids: fc.Arbitrary<Said[]> = fc.array(
  fc.record({
    limit: fc.oneof(fc.constant("45"), value),
    remaining: fc.oneof(fc.constant("0"), value),
    windowMs: value,
    after: value,
    status: fc.constantFrom(200, 200, 200, 429),
    takesMs: fc.constantFrom(0, 10, 2_000),
  }),
  { minLength: 1, maxLength: 8 },
);

describe("what headers say of the rate", () => {
  it.each(["1e18", "2592000000", "60001", "0", "-3000", "NaN", "0.5"])(
    "is not believed of a window of %s ms: the known one counts",
    async (windowMs) => {
      const { longestMs } = await play([{ ...HONEST, remaining: "0", windowMs }]);
      expect(longestMs).toBeGreaterThanOrEqual(3_000 - 10);
      expect(longestMs).toBeLessThan(3_100);
    },
  );

  it.each([
    ["0", "0"],
    ["-45", "0"],
    ["45.5", "0"],
    ["1e300", "0"],
    ["45", "-1"],
    ["45", "0.5"],
    ["45", "46"],
    ["", "0"],
    ["45", " "],
  ])("is not believed of a limit of '%s' with '%s' left", async (limit, remaining) => {
    expect((await play([{ ...HONEST, limit, remaining }])).longestMs).toBeLessThanOrEqual(10);
  });

  it("keeps nobody for longer than a minute, whatever it is", async () => {
    await fc.assert(
      fc.asyncProperty(saids, fc.integer({ min: 1, max: 3 }), async (said, callers) => {
        expect((await play(said, callers)).longestMs).toBeLessThanOrEqual(MOST_MS);
      }),
      { numRuns: 150 },
    );
  });
});
