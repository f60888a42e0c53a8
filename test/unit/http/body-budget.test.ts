import { describe, expect, it } from "vitest";
import { BodyBudget, EARNEST_MS, SHARED_BODY_BYTES, SMALL_BODY_BYTES } from "../../../src/http/body-budget.ts";
import { MAX_BODY_BYTES } from "../../../src/http/raw-body.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

const HOLDERS = Math.floor(SHARED_BODY_BYTES / (MAX_BODY_BYTES - SMALL_BODY_BYTES));

/** A budget that is used up by bodies of the largest kind. */
function crowded() {
  const clock = new VirtualClock(0);
  const budget = new BodyBudget(clock);
  const evicted: number[] = [];
  const rooms = Array.from({ length: HOLDERS }, (_, index) => budget.open(() => void evicted.push(index)));
  for (const room of rooms) expect(room.grow(MAX_BODY_BYTES)).toBe(true);
  const open = () => budget.open(() => void evicted.push(-1));
  return { clock, budget, evicted, rooms, open };
}

describe("the room for bodies that are not proved", () => {
  it("always has a place for a small one", () => {
    const { open, evicted } = crowded();
    for (let body = 0; body < 1_024; body += 1) expect(open().grow(SMALL_BODY_BYTES)).toBe(true);
    expect(evicted).toEqual([]);
  });

  it("refuses one more large one while all the others may be in earnest", async () => {
    const { clock, open, evicted } = crowded();
    await clock.advance(EARNEST_MS - 1);
    expect(open().grow(MAX_BODY_BYTES)).toBe(false);
    expect(evicted).toEqual([]);
  });

  it("takes it from whoever has held it for the longest, and from as few as are needed", async () => {
    const { clock, open, evicted } = crowded();
    await clock.advance(EARNEST_MS);
    const large = open();
    expect(large.grow(SMALL_BODY_BYTES + 1)).toBe(true);
    expect(large.grow(MAX_BODY_BYTES)).toBe(true);
    expect(evicted).toEqual([0]);
  });

  it("is not given again to one that had to make way", async () => {
    const { clock, open, rooms } = crowded();
    await clock.advance(EARNEST_MS);
    open().grow(MAX_BODY_BYTES);
    expect(rooms[0]?.grow(1)).toBe(false);
  });

  it("is given back once, when a body is proved or answered", () => {
    const { budget, open, rooms } = crowded();
    rooms[0]?.close();
    rooms[0]?.close();
    expect(budget.heldBytes).toBe((HOLDERS - 1) * MAX_BODY_BYTES);
    expect(open().grow(MAX_BODY_BYTES)).toBe(true);
    expect(open().grow(MAX_BODY_BYTES)).toBe(false);
  });

  it("does not make a body give up its own place for itself", async () => {
    const { clock, rooms, evicted } = crowded();
    await clock.advance(EARNEST_MS);
    expect(rooms[0]?.grow(MAX_BODY_BYTES * 2)).toBe(false);
    expect(evicted).toEqual([]);
  });
});
