import { expect, it } from "vitest";
import { pause } from "../../../src/kernel/clock.ts";
import { GivingWay } from "../../../src/store/giving-way.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

/** The times at which commits begin that directly follow each other, each of this duration. */
async function begins(commitMs: number, count: number): Promise<number[]> {
  const clock = new VirtualClock(0);
  const giving = new GivingWay(clock);
  const begunMs: number[] = [];
  const commit = () => {
    begunMs.push(clock.monotonicMs());
    return pause(clock, commitMs);
  };
  let over = false;
  const all = (async () => {
    for (let nth = 0; nth < count; nth += 1) await giving.commit(commit);
    over = true;
  })();
  while (!over) await clock.advance(10);
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
