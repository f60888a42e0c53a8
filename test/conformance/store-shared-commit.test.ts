import { describe, expect, it } from "vitest";
import { insertShiftLink } from "../../src/journal/queries.ts";
import { type Clock, nextTurn, systemClock } from "../../src/kernel/clock.ts";
import { openMemoryStore } from "../support/memory-store.ts";

/** A clock for durations that only the test moves. */
class StillClock implements Clock {
  elapsedMs = 0;
  nowMs = systemClock.nowMs;
  after = systemClock.after;

  monotonicMs(): number {
    return this.elapsedMs;
  }
}

function storeInMemory(clock: Clock = new StillClock()) {
  return openMemoryStore({ clock });
}

function link(number: number) {
  return { register: "emulator:a", drive_number: "9999", shift_number: number, id_type: "native", shift_id: `shift-${number}` };
}

describe("commits of one moment", () => {
  it("keep their outcomes apart: what fails is rolled back alone, the rest is committed", async () => {
    const store = await storeInMemory();
    const failing = store.commit(async (tx) => {
      await insertShiftLink(tx, link(2));
      throw new RangeError("changed its mind");
    });
    const all = [store.commit((tx) => insertShiftLink(tx, link(1))), failing, store.commit((tx) => insertShiftLink(tx, link(3)))];
    const ends = await Promise.allSettled(all);
    expect(ends.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    await expect(failing).rejects.toMatchObject({ code: "database-failed", message: "The database failed: changed its mind" });
    const rows = await store.read((db) => db.selectFrom("shift_links").select("shift_number").orderBy("shift_number").execute());
    expect(rows.map((row) => row.shift_number)).toEqual([1, 3]);
    await store.close();
  });

  it("see what the earlier of them wrote, so that of two with one key one wins", async () => {
    const store = await storeInMemory();
    const insert = () => store.commit((tx) => tx.insertInto("shift_links").values(link(1)).execute());
    const ends = await Promise.allSettled([insert(), insert(), insert()]);
    expect(ends.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected"]);
    await store.close();
  });

  it("are all told of a transaction that could not be committed", async () => {
    const store = await storeInMemory();
    await store.close();
    const ends = await Promise.allSettled([1, 2, 3].map((number) => store.commit((tx) => insertShiftLink(tx, link(number)))));
    expect(ends.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  });

  it("let work behind give way, and take some of it with each commit", async () => {
    const store = await storeInMemory();
    const order: string[] = [];
    const piece = (name: string, number: number, what: "change" | "behind") =>
      store.commit(async (tx) => {
        order.push(name);
        await insertShiftLink(tx, link(number));
      }, what);
    const behind = Array.from({ length: 20 }, (_, number) => piece(`behind ${number}`, number, "behind"));
    const first = Array.from({ length: 40 }, (_, number) => piece(`first ${number}`, 100 + number, "change"));
    await Promise.all([...behind, ...first]);
    const named = (name: string, from: number, to: number) => Array.from({ length: to - from }, (_, at) => `${name} ${from + at}`);
    expect(order).toEqual([...named("first", 0, 32), ...named("behind", 0, 8), ...named("first", 32, 40), ...named("behind", 8, 20)]);
    await store.close();
  });

  it("leave the event loop to others when their pieces take long, and still take some work behind each time", async () => {
    const clock = new StillClock();
    const store = await storeInMemory(clock);
    const order: string[] = [];
    const piece = (name: string, number: number, what: "change" | "behind" = "change") =>
      store.commit(async (tx) => {
        order.push(name);
        clock.elapsedMs += 6;
        await insertShiftLink(tx, link(number));
      }, what);
    const behind = [piece("behind", 101, "behind"), piece("behind", 102, "behind")];
    const all = Promise.all([...behind, ...Array.from({ length: 5 }, (_, number) => piece("long", number))]).then(() => "done");
    while ((await Promise.race([all, nextTurn()])) === undefined) if (order.at(-1) !== "other") order.push("other");
    const other = order.indexOf("long");
    expect(order.slice(other).filter((name, at, names) => name !== "other" || at < names.length - 1)).toEqual([
      "long",
      "long",
      "behind",
      "other",
      "long",
      "long",
      "behind",
      "other",
      "long",
    ]);
    await store.close();
  });

  it("are taken in any number", async () => {
    const store = await storeInMemory();
    await Promise.all(Array.from({ length: 200 }, (_, number) => store.commit((tx) => insertShiftLink(tx, link(number)))));
    const rows = await store.read((db) => db.selectFrom("shift_links").select("shift_number").execute());
    expect(rows).toHaveLength(200);
    await store.close();
  });
});
