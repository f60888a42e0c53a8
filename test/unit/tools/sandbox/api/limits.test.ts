import { describe, expect, it } from "vitest";
import { FAILURE_WINDOW_MS, FailedLogins, MAX_FAILURES } from "../../../../../src/tools/sandbox/api/admission/failed-logins.ts";
import { ParallelLimit } from "../../../../../src/tools/sandbox/api/admission/parallel-limit.ts";
import { limitKey, RateLimit, weightOf } from "../../../../../src/tools/sandbox/api/admission/rate-limit.ts";
import { AbuseCounters } from "../../../../../src/tools/sandbox/api/counters/abuse.ts";
import { Faults } from "../../../../../src/tools/sandbox/api/faults.ts";
import type { Caller } from "../../../../../src/tools/sandbox/call/call.ts";
import { defaultSettings } from "../../../../../src/tools/sandbox/settings.ts";
import { VirtualClock } from "../../../../support/virtual-clock.ts";

const EMPLOYEE = { type: "employee", id: "00000000-0000-4000-8000-000000000001" };
const USER: Caller = { kind: "user", employee: EMPLOYEE, login: "admin@shop", administrator: true };
const SOLUTION: Caller = { kind: "solution", employee: EMPLOYEE, appId: "app", administrator: true };

describe("the request rate", () => {
  it("is 45 units in a window of 3000 ms that begins with its first request", async () => {
    const clock = new VirtualClock(0);
    const rate = new RateLimit(clock);
    for (let request = 1; request <= 45; request += 1) expect(rate.take("a", 1)).toMatchObject({ refused: false, remaining: 45 - request });
    await clock.advance(2_999);
    expect(rate.take("a", 1)).toEqual({ refused: true, remaining: 0, windowEndsInMs: 1 });
    await clock.advance(1);
    expect(rate.take("a", 1)).toEqual({ refused: false, remaining: 44, windowEndsInMs: 3_000 });
  });

  it("counts each caller by itself, and a refused request costs nothing", () => {
    const rate = new RateLimit(new VirtualClock(0));
    for (let request = 0; request < 8; request += 1) rate.take("a", 5);
    expect(rate.take("a", 6)).toMatchObject({ refused: true, remaining: 5 });
    expect(rate.take("a", 5)).toMatchObject({ refused: false, remaining: 0 });
    expect(rate.take("b", 1)).toMatchObject({ refused: false, remaining: 44 });
  });

  it("weighs by the kind of caller, and the stock reports cost five, whoever asks", () => {
    const settings = { ...defaultSettings("canonical"), userWeight: 4, solutionWeight: 1 };
    expect(weightOf(USER, "GET", "entity/product", settings)).toBe(4);
    expect(weightOf(SOLUTION, "GET", "entity/product", settings)).toBe(1);
    for (const caller of [USER, SOLUTION]) {
      expect(weightOf(caller, "GET", "report/stock/all", settings)).toBe(5);
      expect(weightOf(caller, "GET", "report/stock/bystore", settings)).toBe(5);
    }
    expect(weightOf(SOLUTION, "GET", "report/stock/all/current", settings)).toBe(1);
  });

  it("is one for all requests of a user, and another for each solution", () => {
    expect(new Set([limitKey(USER), limitKey(SOLUTION), limitKey({ ...SOLUTION, appId: "other" })]).size).toBe(3);
  });
});

describe("requests at the same time", () => {
  it("are five for a caller; one that ends makes room", () => {
    const limit = new ParallelLimit();
    const running = Array.from({ length: 5 }, () => limit.enter("a"));
    expect(running.map(({ tooMany }) => tooMany)).toEqual([false, false, false, false, false]);
    const sixth = limit.enter("a");
    expect(sixth.tooMany).toBe(true);
    sixth.leave();
    running[0]?.leave();
    expect(limit.enter("a").tooMany).toBe(false);
  });

  it("are twenty for the account", () => {
    const limit = new ParallelLimit();
    for (const key of ["a", "b", "c", "d"]) for (let each = 0; each < 5; each += 1) expect(limit.enter(key).tooMany).toBe(false);
    expect(limit.enter("e").tooMany).toBe(true);
  });
});

describe("failed logins", () => {
  it("lock the login for a minute, and no other", async () => {
    const clock = new VirtualClock(0);
    const failures = new FailedLogins(clock);
    for (let attempt = 1; attempt <= MAX_FAILURES; attempt += 1) {
      expect(failures.locked("a")).toBe(false);
      failures.failed("a");
    }
    expect([failures.locked("a"), failures.locked("b")]).toEqual([true, false]);
    await clock.advance(FAILURE_WINDOW_MS);
    expect(failures.locked("a")).toBe(false);
  });

  it("are forgotten after a good one", () => {
    const failures = new FailedLogins(new VirtualClock(0));
    for (let attempt = 1; attempt < MAX_FAILURES; attempt += 1) failures.failed("a");
    failures.succeeded("a");
    failures.failed("a");
    expect(failures.locked("a")).toBe(false);
  });
});

describe("faults", () => {
  const row = (seed: number, share: number, others: number) => {
    const faults = new Faults(
      [
        { name: "slow-answer", share },
        { name: "html-error", share: others },
      ],
      seed,
    );
    return Array.from({ length: 400 }, () => {
      faults.strikes("html-error");
      return faults.strikes("slow-answer");
    });
  };

  it("strike the same requests for the same seed, whatever else is struck", () => {
    expect(row(7, 0.3, 0)).toEqual(row(7, 0.3, 0.9));
    expect(row(7, 0.3, 0)).not.toEqual(row(8, 0.3, 0));
  });

  it("strike their share, and none or all at the ends", () => {
    const struck = row(1, 0.25, 0).filter(Boolean).length;
    expect(struck).toBeGreaterThan(60);
    expect(struck).toBeLessThan(140);
    expect(row(1, 0, 0)).not.toContain(true);
    expect(row(1, 1, 0)).not.toContain(false);
  });

  it("that are not asked for strike nothing", () => {
    expect(new Faults([], 1).strikes("lost-answer")).toBe(false);
  });
});

describe("what the platform switches an account off for", () => {
  it("is told, with the minute, for an hour", async () => {
    const clock = new VirtualClock(Date.UTC(2026, 2, 5, 9));
    const abuse = new AbuseCounters(clock);
    const above = Array.from({ length: 102 }, () => abuse.count("putsOfOneObject", "/a"));
    expect(above.filter(Boolean)).toHaveLength(1);
    expect(abuse.told()).toMatchObject({
      highestPerMinute: { putsOfOneObject: 102 },
      aboveLimitInLastHour: [{ abuse: "putsOfOneObject", what: "/a", minute: "2026-03-05T09:00:00.000Z" }],
    });
    await clock.advance(3_600_001);
    expect(abuse.told()).toMatchObject({ aboveLimitInLastHour: [] });
  });

  it("counts one object and one minute at a time", async () => {
    const clock = new VirtualClock(0);
    const abuse = new AbuseCounters(clock);
    for (const path of ["/a", "/b"]) for (let each = 0; each < 100; each += 1) expect(abuse.count("putsOfOneObject", path)).toBe(false);
    await clock.advance(60_000);
    expect(abuse.count("putsOfOneObject", "/a")).toBe(false);
  });
});
