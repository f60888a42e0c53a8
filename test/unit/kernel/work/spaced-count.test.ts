import { expect, it } from "vitest";
import { SpacedCount } from "../../../../src/kernel/work/spaced-count.ts";

it("events count only at the stated distance from the last counted event", () => {
  let nowMs = 0;
  const clock = { monotonicMs: () => nowMs };
  const events = new SpacedCount();
  const counts = [0, 999, 1_000, 1_999, 2_000, 2_001].map((atMs) => {
    nowMs = atMs;
    events.add(clock, 1_000);
    return events.count;
  });
  expect(counts).toEqual([1, 1, 2, 2, 3, 3]);
});
