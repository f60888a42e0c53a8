import { describe, expect, it } from "vitest";
import type { Turn } from "../../../../src/platform/api/turns.ts";
import { Turns } from "../../../../src/platform/api/turns.ts";
import { VirtualClock } from "../../../support/virtual-clock.ts";

const SEEN = { limit: 45, remaining: 40, windowMs: 3_000, refused: false };
const forever = new AbortController().signal;

/** Turns that have learned the weight of a request. */
async function seasoned(parallel: number): Promise<{ clock: VirtualClock; turns: Turns }> {
  const clock = new VirtualClock(0);
  const turns = new Turns(clock, parallel);
  for (const remaining of [44, 43]) (await turns.take("plain", forever)).done({ ...SEEN, remaining });
  return { clock, turns };
}

/** Collects the promised turns that have come. */
function watch(promised: readonly Promise<Turn>[]): Turn[] {
  const come: Turn[] = [];
  for (const each of promised) void each.then((turn) => come.push(turn));
  return come;
}

describe("turns", () => {
  it("are one at a time before the first answer", async () => {
    const clock = new VirtualClock(0);
    const turns = new Turns(clock, 4);
    const come = watch([1, 2, 3].map(() => turns.take("plain", forever)));
    await clock.advance(10_000);
    expect(come).toHaveLength(1);
  });

  it("are as many at once as the platform allows, and the next when one is done", async () => {
    const { clock, turns } = await seasoned(4);
    const come = watch(Array.from({ length: 6 }, () => turns.take("plain", forever)));
    await clock.advance(0);
    expect(come).toHaveLength(4);
    come[0]?.done(undefined);
    await clock.advance(0);
    expect(come).toHaveLength(5);
  });

  it("are fewer at once after 1073, never none, and more again when it has been quiet for a minute", async () => {
    const { clock, turns } = await seasoned(2);
    turns.narrow();
    turns.narrow();
    const come = watch(Array.from({ length: 4 }, () => turns.take("plain", forever)));
    await clock.advance(0);
    expect(come).toHaveLength(1);
    await clock.advance(61_000);
    come[0]?.done(SEEN);
    await clock.advance(0);
    expect(come).toHaveLength(3);
  });

  it("are not given while the platform wants nothing, and first to whoever was told to come later", async () => {
    const { clock, turns } = await seasoned(1);
    const limited = await turns.take("plain", forever);
    const other = watch([turns.take("plain", forever)]);
    limited.done({ ...SEEN, refused: true }, 1_000);
    const again = watch([turns.take("plain", forever, true)]);
    await clock.advance(1_000);
    expect([again.length, other.length]).toEqual([0, 0]);
    await clock.advance(10);
    expect([again.length, other.length]).toEqual([1, 0]);
  });

  it("are held up by one that gets no answer no longer than two windows", async () => {
    const { clock, turns } = await seasoned(4);
    await clock.advance(4_000);
    await turns.take("plain", forever);
    await clock.advance(4_000);
    const come = watch([turns.take("plain", forever), turns.take("plain", forever)]);
    await clock.advance(1_900);
    expect(come).toHaveLength(0);
    await clock.advance(200);
    expect(come).toHaveLength(2);
  });

  it("are not kept for those who have left the queue", async () => {
    const { clock, turns } = await seasoned(1);
    const first = await turns.take("plain", forever);
    const leaving = new AbortController();
    const left = turns.take("plain", leaving.signal);
    const stays = watch([turns.take("plain", forever)]);
    leaving.abort(new Error("enough"));
    await expect(left).rejects.toThrow("enough");
    first.done(SEEN);
    await clock.advance(0);
    expect(stays).toHaveLength(1);
    await expect(turns.take("plain", leaving.signal)).rejects.toThrow("enough");
  });

  it("are refused at once to more than ten thousand in the queue", async () => {
    const turns = new Turns(new VirtualClock(0), 1);
    for (let each = 0; each < 10_001; each += 1) void turns.take("plain", new AbortController().signal);
    await expect(turns.take("plain", forever)).rejects.toThrow("more than 10000 requests wait");
  });
});
