import { expect, it } from "vitest";
import { ClosingDelay } from "../../../src/http/closing-delay.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

it("refused connections are closed at once, many of them at a pace, none later than after ten seconds, and at once again after a rest", async () => {
  const clock = new VirtualClock(0);
  const refusals = new ClosingDelay(clock);
  const delays = Array.from({ length: 2_000 }, () => refusals.nextDelayMs());
  expect(new Set(delays.slice(0, 50))).toEqual(new Set([0]));
  expect(delays.slice(50, 53)).toEqual([10, 20, 30]);
  expect(delays.at(-1)).toBe(10_000);
  await clock.advance(20_000);
  expect(refusals.nextDelayMs()).toBe(0);
});
