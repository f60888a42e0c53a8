import { describe, expect, it } from "vitest";
import { pause, systemChance, systemClock } from "../../../src/kernel/clock.ts";
import { deadlineIn, waitUntil } from "../../../src/kernel/deadline.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

describe("the virtual clock", () => {
  it("fires what falls due, in order of time and then of asking, and nothing that was called off", async () => {
    const clock = new VirtualClock(1_000);
    const fired: string[] = [];
    clock.after(20, () => fired.push("b"));
    clock.after(10, () => fired.push("a"));
    clock.after(20, () => fired.push("c"));
    clock.after(15, () => fired.push("never"))();
    await clock.advance(19);
    expect(fired).toEqual(["a"]);
    await clock.advance(1);
    expect(fired).toEqual(["a", "b", "c"]);
    expect([clock.nowMs(), clock.monotonicMs()]).toEqual([1_020, 20]);
  });

  it("shows a timer its own time, also one that was set while time moved on", async () => {
    const clock = new VirtualClock(0);
    const seen: number[] = [];
    clock.after(10, () => clock.after(10, () => seen.push(clock.nowMs())));
    await clock.advance(100);
    expect(seen).toEqual([20]);
  });

  it("may be set back without touching durations", async () => {
    const clock = new VirtualClock(10_000);
    let fired = false;
    clock.after(50, () => {
      fired = true;
    });
    clock.jumpTo(0);
    await clock.advance(50);
    expect([fired, clock.nowMs(), clock.monotonicMs()]).toEqual([true, 50, 50]);
  });
});

describe("a pause", () => {
  it("ends when its time has come", async () => {
    const clock = new VirtualClock(0);
    let over = false;
    const pausing = pause(clock, 100).then(() => {
      over = true;
    });
    await clock.advance(99);
    expect(over).toBe(false);
    await clock.advance(1);
    await pausing;
    expect(over).toBe(true);
  });

  it("ends early when its signal is aborted, or does not begin", async () => {
    const clock = new VirtualClock(0);
    const abort = new AbortController();
    const pausing = pause(clock, 100, abort.signal);
    abort.abort();
    await pausing;
    await pause(clock, 100, abort.signal);
    expect(clock.monotonicMs()).toBe(0);
  });
});

describe("a deadline", () => {
  it("counts down and stops at zero", async () => {
    const clock = new VirtualClock(0);
    const deadline = deadlineIn(clock, 100);
    await clock.advance(40);
    expect([deadline.atMs, deadline.remainingMs()]).toEqual([100, 60]);
    await clock.advance(100);
    expect(deadline.remainingMs()).toBe(0);
  });

  it("does not end the work that it waits for", async () => {
    const clock = new VirtualClock(0);
    const work = pause(clock, 200).then(() => "done");
    const waiting = waitUntil(clock, deadlineIn(clock, 100), work);
    await clock.advance(100);
    expect(await waiting).toEqual({ kind: "late" });
    await clock.advance(100);
    expect(await work).toBe("done");
  });

  it("passes on what the work ends with in time, its error too", async () => {
    const clock = new VirtualClock(0);
    expect(await waitUntil(clock, deadlineIn(clock, 100), Promise.resolve(7))).toEqual({ kind: "finished", value: 7 });
    await expect(waitUntil(clock, deadlineIn(clock, 100), Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  });

  it("keeps quiet about work that fails after it was given up", async () => {
    const clock = new VirtualClock(0);
    const work = pause(clock, 200).then(() => {
      throw new Error("too late");
    });
    const waiting = waitUntil(clock, deadlineIn(clock, 100), work);
    await clock.advance(300);
    expect(await waiting).toEqual({ kind: "late" });
  });
});

describe("the system's clock and chance", () => {
  it("call back once, or never when called off", async () => {
    const order: string[] = [];
    await new Promise<void>((resolve) => {
      systemClock.after(0, () => order.push("never"))();
      systemClock.after(1, resolve);
    });
    expect(order).toEqual([]);
    expect(systemClock.monotonicMs()).toBeLessThanOrEqual(systemClock.monotonicMs());
    expect(systemClock.nowMs()).toBeGreaterThan(Date.UTC(2020, 0));
  });

  it("make bytes and ids that differ", () => {
    expect(systemChance.bytes(16)).toHaveLength(16);
    expect(systemChance.uuid()).not.toBe(systemChance.uuid());
    expect(systemChance.uuid()).toMatch(/^[0-9a-f-]{36}$/);
  });
});
