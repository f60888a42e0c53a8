import { expect, it } from "vitest";
import { GivingWay } from "../../../src/store/giving-way.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

/** Begins of commits that follow each other at once, each so long. */
async function begins(commitMs: number, count: number, betweenMs = 0): Promise<number[]> {
  const clock = new VirtualClock(0);
  const giving = new GivingWay(clock);
  const begunMs: number[] = [];
  const all = (async () => {
    for (let nth = 0; nth < count; nth += 1) {
      await giving.commit(async () => {
        begunMs.push(clock.monotonicMs());
        await clock.advance(commitMs);
      });
      if (betweenMs > 0) await clock.advance(betweenMs);
    }
  })();
  for (let waited = 0; waited < 100; waited += 1) await clock.advance(begunMs.length < count ? 10 : 0);
  await all;
  return begunMs;
}

it("a command leaves the lock free after each long commit", async () => {
  const [first = 0, second = 0, third = 0] = await begins(250, 3);
  expect(second - first).toBeGreaterThanOrEqual(350);
  expect(third - second).toBeGreaterThanOrEqual(350);
});

it("a command leaves the lock free once many short commits have held it", async () => {
  const begunMs = await begins(30, 8);
  const gaps = begunMs.slice(1).map((at, nth) => at - (begunMs[nth] ?? 0) - 30);
  expect(gaps.filter((gap) => gap >= 100)).toHaveLength(1);
});
