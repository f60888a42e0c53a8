import { describe, expect, it } from "vitest";
import { BodyBudget, MAX_STRANGERS, SHARED_BODY_BYTES, SMALL_BODY_BYTES } from "../../../src/http/body-budget.ts";
import { MAX_BODY_BYTES } from "../../../src/http/raw-body.ts";

const HOLDERS = Math.floor(SHARED_BODY_BYTES / (MAX_BODY_BYTES - SMALL_BODY_BYTES));

/** A caller whose connection has had a proved request before, one without, and the address of a flood. */
const TILL = { network: "198.51.100.1", networkProved: true, known: true };
const NEWCOMER = { network: "198.51.100.1", networkProved: false, known: false };
const FLOOD = { network: "203.0.113.9", networkProved: false, known: false };
/** A caller of a network that has proved a request, on a new connection. */
const RETURNING = { network: "198.51.100.1", networkProved: true, known: false };
/** More than the small part that every body gets. */
const MIDDLE_BYTES = 4 * SMALL_BODY_BYTES;

/** A budget whose room for strangers is used up by bodies of one size. */
function crowded(bytes = MAX_BODY_BYTES, sender = FLOOD) {
  const budget = new BodyBudget();
  const evicted: string[] = [];
  const open = (name: string, from = sender) => budget.open(() => void evicted.push(name), from);
  const rooms = Array.from({ length: Math.floor(SHARED_BODY_BYTES / (bytes - SMALL_BODY_BYTES)) }, (_, index) => open(`flood ${index}`));
  for (const room of rooms) expect(room.grow(bytes)).toBe(true);
  return { budget, evicted, rooms, open };
}

describe("the room for bodies that are not proved", () => {
  it("always has a place for a small one", () => {
    const { open, evicted } = crowded(MAX_BODY_BYTES, TILL);
    for (let body = 0; body < 1_024; body += 1) expect(open("small").grow(SMALL_BODY_BYTES)).toBe(true);
    expect(evicted).toEqual([]);
  });

  it("has a place at once for a newcomer's larger body while an address fills it, however often that address begins again", () => {
    const { open, evicted } = crowded(MIDDLE_BYTES);
    expect(open("sale", NEWCOMER).grow(MIDDLE_BYTES)).toBe(true);
    for (let again = 0; again < 1_000; again += 1) expect(open("again").grow(MIDDLE_BYTES)).toBe(true);
    expect(evicted).toHaveLength(1_001);
    expect(evicted).not.toContain("sale");
  });

  it("has a place at once for a larger body of another size, also behind a proxy, where all have one address", () => {
    const { open, evicted } = crowded();
    expect(open("sale").grow(MIDDLE_BYTES)).toBe(true);
    for (let again = 0; again < 100; again += 1) expect(open("again").grow(MAX_BODY_BYTES)).toBe(true);
    expect(evicted).not.toContain("sale");
  });

  it("is shared by strangers alone: a kept connection's larger body has a place beside them", () => {
    const { open, evicted } = crowded();
    for (let body = 0; body < HOLDERS; body += 1) expect(open("till", TILL).grow(MAX_BODY_BYTES)).toBe(true);
    expect(evicted).toEqual([]);
    for (let again = 0; again < 100; again += 1) open("again").grow(MAX_BODY_BYTES);
    expect(evicted).not.toContain("till");
  });

  it("is taken from the oldest, and from as few as are needed", () => {
    const { open, evicted } = crowded();
    const large = open("large");
    expect(large.grow(MAX_BODY_BYTES - 1)).toBe(true);
    expect(large.grow(MAX_BODY_BYTES)).toBe(true);
    expect(evicted).toEqual(["flood 0"]);
  });

  it("is not given again to one that had to make way", () => {
    const { open, rooms } = crowded();
    open("late").grow(MAX_BODY_BYTES);
    expect(rooms[0]?.grow(1)).toBe(false);
  });

  it("is given back once, when a body is proved or answered", () => {
    const { budget, open, rooms, evicted } = crowded();
    rooms[0]?.close();
    rooms[0]?.close();
    expect(budget.heldBytes).toBe((HOLDERS - 1) * MAX_BODY_BYTES);
    expect(open("late").grow(MAX_BODY_BYTES)).toBe(true);
    expect(evicted).toEqual([]);
  });

  it("does not make a body give up its own place for itself", () => {
    const { rooms, evicted } = crowded();
    expect(rooms[0]?.grow(MAX_BODY_BYTES * 2)).toBe(false);
    expect(evicted).toEqual([]);
  });
});

/** All places for callers without a key are taken: the first by a body from one address, the others by bodies from another. */
function occupied() {
  const budget = new BodyBudget();
  const evicted: string[] = [];
  const open = (name: string, network: string, known = false) =>
    budget.open(() => void evicted.push(name), { network, networkProved: known, known });
  const first = open("shop", "198.51.100.1");
  const flood = Array.from({ length: MAX_STRANGERS - 1 }, (_, index) => open(`flood ${index}`, "203.0.113.9"));
  return { open, first, flood, evicted };
}

/** Strangers' bodies from one network each. */
function everywhere(budget: BodyBudget, count: number, bytes: number) {
  const evicted: string[] = [];
  const open = (index: number) => {
    const room = budget.open(() => void evicted.push("flood"), { ...FLOOD, network: `2001:db8:${index.toString(16)}:0::/64` });
    room.grow(bytes);
  };
  for (let index = 0; index < count; index += 1) open(index);
  return { evicted, open };
}

describe("strangers with one body from each of many networks", () => {
  it("take no place from several bodies of a network that has proved a request", () => {
    const budget = new BodyBudget();
    const evicted: string[] = [];
    const flood = everywhere(budget, MAX_STRANGERS, SMALL_BODY_BYTES);
    for (let sale = 0; sale < 5; sale += 1) budget.open(() => void evicted.push("sale"), RETURNING);
    for (let more = 0; more < 2 * MAX_STRANGERS; more += 1) flood.open(MAX_STRANGERS + more);
    expect(evicted).toEqual([]);
    expect(flood.evicted).toHaveLength(2 * MAX_STRANGERS + 5);
  });

  it("take no room from several larger bodies of a network that has proved a request", () => {
    const budget = new BodyBudget();
    const evicted: string[] = [];
    const flood = everywhere(budget, HOLDERS, MAX_BODY_BYTES);
    for (let sale = 0; sale < 3; sale += 1) expect(budget.open(() => void evicted.push("sale"), RETURNING).grow(MAX_BODY_BYTES)).toBe(true);
    for (let more = 0; more < 100; more += 1) flood.open(HOLDERS + more);
    expect(evicted).toEqual([]);
  });

  it("leave a first call from a new network its place, when they send from a network that has proved a request", () => {
    const budget = new BodyBudget();
    const evicted: string[] = [];
    budget.open(() => void evicted.push("first call"), NEWCOMER);
    const flood = { ...RETURNING, network: FLOOD.network };
    for (let more = 0; more < 2 * MAX_STRANGERS; more += 1) budget.open(() => void evicted.push("flood"), flood);
    expect(evicted).not.toContain("first call");
  });
});

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
