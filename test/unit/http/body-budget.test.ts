import { describe, expect, it } from "vitest";
import { BodyBudget, EARNEST_MS, MAX_STRANGERS, SHARED_BODY_BYTES, SMALL_BODY_BYTES } from "../../../src/http/body-budget.ts";
import { MAX_BODY_BYTES } from "../../../src/http/raw-body.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

const HOLDERS = Math.floor(SHARED_BODY_BYTES / (MAX_BODY_BYTES - SMALL_BODY_BYTES));

/** A caller whose connection has had a proved request before. */
const TILL = { address: "198.51.100.1", known: true };

/** A budget that is used up by bodies of the largest kind. */
function crowded() {
  const clock = new VirtualClock(0);
  const budget = new BodyBudget(clock);
  const evicted: number[] = [];
  const rooms = Array.from({ length: HOLDERS }, (_, index) => budget.open(() => void evicted.push(index), TILL));
  for (const room of rooms) expect(room.grow(MAX_BODY_BYTES)).toBe(true);
  const open = () => budget.open(() => void evicted.push(-1), TILL);
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

/** All places for callers without a key are taken: the first by a body from one address, the others by bodies from another. */
function occupied() {
  const budget = new BodyBudget(new VirtualClock(0));
  const evicted: string[] = [];
  const open = (name: string, address: string, known = false) => budget.open(() => void evicted.push(name), { address, known });
  const first = open("shop", "198.51.100.1");
  const flood = Array.from({ length: MAX_STRANGERS - 1 }, (_, index) => open(`flood ${index}`, "203.0.113.9"));
  return { open, first, flood, evicted };
}

describe("the number of bodies that strangers send at once", () => {
  it("takes the place from the oldest body of the address that has the most", () => {
    const { open, first, evicted } = occupied();
    for (let more = 0; more < 3; more += 1) open("late", "203.0.113.9");
    expect(evicted).toEqual(["flood 0", "flood 1", "flood 2"]);
    expect(first.grow(SMALL_BODY_BYTES)).toBe(true);
  });

  it("gives a place to every address while one has more than one", () => {
    const { open, evicted } = occupied();
    for (let more = 0; more < MAX_STRANGERS - 2; more += 1) open("other", `192.0.2.${more}`);
    expect(evicted).toHaveLength(MAX_STRANGERS - 2);
    expect(new Set(evicted.map((name) => name.split(" ")[0]))).toEqual(new Set(["flood"]));
  });

  it("does not count a body that has come completely, is over, or comes from a caller with a proved request", () => {
    const { open, first, flood, evicted } = occupied();
    for (let more = 0; more < MAX_STRANGERS; more += 1) open("till", "198.51.100.2", true);
    flood[0]?.arrive();
    flood[1]?.close();
    first.arrive();
    first.close();
    for (let more = 0; more < 3; more += 1) open("late", "203.0.113.9");
    expect(evicted).toEqual([]);
    open("late", "203.0.113.9");
    expect(evicted).toEqual(["flood 2"]);
  });

  it("leaves a body that has come completely its room until it is proved", () => {
    const { open, flood, evicted } = occupied();
    expect(flood[0]?.grow(SMALL_BODY_BYTES)).toBe(true);
    flood[0]?.arrive();
    for (let more = 0; more < MAX_STRANGERS; more += 1) open("late", "203.0.113.9");
    expect(evicted).not.toContain("flood 0");
    expect(flood[0]?.grow(SMALL_BODY_BYTES)).toBe(true);
  });
});
