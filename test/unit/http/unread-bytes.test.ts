import { describe, expect, it } from "vitest";
import { UnreadBytes } from "../../../src/http/connection/unread-bytes.ts";
import type { Use } from "../../../src/http/connection/use.ts";

interface Caller {
  name: string;
  unreadBytes: number;
  use: Use;
  everProved: boolean;
}

const KIB = 1024;
const MOST = 80 * KIB;

function caller(name: string, unreadBytes: number, use: Use = "idle-unproved"): Caller {
  return { name, unreadBytes, use, everProved: use === "proved" || use === "idle-proved" };
}

function counted(callers: readonly Caller[]): UnreadBytes<Caller> {
  const unread = new UnreadBytes<Caller>();
  for (const each of callers) unread.count(each);
  return unread;
}

const many = (count: number, use: Use, bytes = MOST) => Array.from({ length: count }, (_, at) => caller(`${use} ${at}`, bytes, use));

describe("the bytes of strangers", () => {
  it("have room up to 8 MiB", () => {
    expect(counted(many(102, "idle-unproved")).excessStranger()).toBeUndefined();
    expect(counted(many(103, "idle-unproved")).excessStranger()?.name).toBe("idle-unproved 0");
  });

  it("are taken from those who fill the room, not from a caller that has just sent more than each of them", () => {
    const sale = caller("sale", 60 * KIB);
    const unread = counted([...many(2_900, "idle-unproved", 3 * KIB), sale]);
    expect(unread.excessStranger()?.name).toBe("idle-unproved 0");
  });

  it("are taken from the oldest of those who have sent equally much", () => {
    const others = Array.from({ length: 8 * KIB }, (_, at) => caller(`other ${at}`, (1 + (at % 70)) * KIB));
    const unread = counted(others.slice(0, 230));
    const sale = caller("sale", MOST);
    unread.count(sale);
    const taken: string[] = [];
    for (const other of others.slice(230, 1_000)) {
      unread.count(other);
      for (let most = unread.excessStranger(); most !== undefined; most = unread.excessStranger()) {
        taken.push(most.name);
        unread.count(Object.assign(most, { unreadBytes: 0 }));
      }
    }
    expect(taken.length).toBeGreaterThan(500);
    expect(taken).not.toContain("sale");
  });

  it("take no room from a connection that has proved a request, whatever that has", () => {
    const unread = counted([caller("till", MOST, "idle-proved"), ...many(2_900, "idle-unproved", 3 * KIB)]);
    expect(unread.excessStranger()?.name).toBe("idle-unproved 0");
    expect(unread.excessProved()).toBeUndefined();
  });

  it("are a proved caller's as soon as its running request is proved", () => {
    const till = caller("till", 6 * KIB, "unproved");
    const unread = counted([till, ...many(2_900, "idle-unproved", 3 * KIB)]);
    Object.assign(till, { use: "proved", everProved: true });
    expect(unread.excessStranger()?.name).toBe("idle-unproved 0");
  });

  it("are forgotten when they are read", () => {
    const callers = many(200, "idle-unproved");
    const unread = counted(callers);
    for (const each of callers) unread.count(Object.assign(each, { unreadBytes: 0 }));
    expect(unread.bytes).toBe(0);
    expect(unread.excessStranger()).toBeUndefined();
  });
});

describe("the bytes of proved callers", () => {
  it("have room up to 16 MiB", () => {
    expect(counted(many(204, "idle-proved")).excessProved()).toBeUndefined();
    expect(counted(many(205, "idle-proved")).excessProved()?.name).toBe("idle-proved 0");
  });

  it("are never taken from a connection with a running proved request", () => {
    const unread = counted([...many(10, "proved"), ...many(205, "idle-proved", MOST - KIB)]);
    expect(unread.excessProved()?.use).toBe("idle-proved");
    expect(counted(many(300, "proved")).excessProved()).toBeUndefined();
  });

  it("are found behind any number of running requests, not in the first search", () => {
    const unread = counted([...many(300, "proved"), caller("idle", MOST, "idle-proved")]);
    const found = Array.from({ length: 20 }, () => unread.excessProved()?.name);
    expect(found).toContain("idle");
  });
});
