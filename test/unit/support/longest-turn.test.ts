import { describe, expect, it } from "vitest";
import { longestTurnWithin } from "../../support/hostile/longest-turn.ts";
import { timesSlowerFor } from "../../support/hostile/yardstick.ts";

const BOUND_MS = 5;

describe("the longest turn of the event loop", () => {
  it("is beyond its bound on every machine when it takes more than four times as long", async () => {
    const { cpuMs, allowedMs, result } = await longestTurnWithin(BOUND_MS, 2, async () => keepBusy(4 * BOUND_MS));
    expect(allowedMs).toBeLessThanOrEqual(4 * BOUND_MS);
    expect(cpuMs).toBeGreaterThan(allowedMs);
    expect(result).toBe("kept busy");
  });

  it("has the bound of the reference machine when it is within that", async () => {
    const { allowedMs, result } = await longestTurnWithin(60_000, 1, async () => keepBusy(BOUND_MS));
    expect([allowedMs, result]).toEqual([60_000, "kept busy"]);
  });
});

describe("the bound of a turn", () => {
  it("stays as it is written where the yardstick takes no longer than on the reference machine", () => {
    expect([0.1, 1, 8].map(timesSlowerFor)).toEqual([1, 1, 1]);
  });

  it("grows as the yardstick does, and to four times at most", () => {
    expect([12, 16, 32, 33, 10_000].map(timesSlowerFor)).toEqual([1.5, 2, 4, 4, 4]);
  });
});

/** Works for so much of this thread's processor time, on every machine. */
function keepBusy(cpuMs: number): string {
  const before = process.threadCpuUsage();
  for (;;) {
    const { user, system } = process.threadCpuUsage(before);
    if ((user + system) / 1_000 > cpuMs) return "kept busy";
  }
}
