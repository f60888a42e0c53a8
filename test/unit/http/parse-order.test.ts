import { describe, expect, it } from "vitest";
import { ParseOrder, type Standing, type WaitingCaller } from "../../../src/http/parse-order.ts";
import { nextTurn } from "../../../src/kernel/clock.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

function scene() {
  const clock = new VirtualClock(0);
  const parseOrder = new ParseOrder(clock);
  const passed: string[] = [];
  const caller = (name: string, standing: Standing = "unproved"): WaitingCaller => ({ standing, pass: () => void passed.push(name) });
  const turns = async (count: number) => {
    for (let turn = 0; turn < count; turn += 1) await nextTurn();
  };
  return { clock, parseOrder, passed, caller, turns };
}

describe("the parse order", () => {
  it("lets a piece through at once when nobody else is there", () => {
    const { parseOrder, passed, caller } = scene();
    parseOrder.ask(caller("a"));
    expect(passed).toEqual(["a"]);
  });

  it("lets one piece through in a turn of the event loop, in the order of asking", async () => {
    const { parseOrder, passed, caller, turns } = scene();
    for (const name of ["a", "b", "c"]) parseOrder.ask(caller(name));
    expect(passed).toEqual(["a"]);
    await turns(1);
    expect(passed).toEqual(["a", "b"]);
    await turns(1);
    expect(passed).toEqual(["a", "b", "c"]);
  });

  it("lets a new caller go on with its next piece before other new callers", async () => {
    const { parseOrder, passed, caller, turns } = scene();
    let pieces = 3;
    const sale: WaitingCaller = {
      standing: "new",
      pass: () => {
        passed.push("sale");
        pieces -= 1;
        if (pieces > 0) parseOrder.ask(sale);
      },
    };
    for (const each of [caller("first", "new"), sale, caller("other", "new"), caller("another", "new")]) parseOrder.ask(each);
    await turns(10);
    expect(passed).toEqual(["first", "sale", "sale", "sale", "other", "another"]);
  });

  it("counts whoever asks twice once, and forgets who has gone", async () => {
    const { parseOrder, passed, caller, turns } = scene();
    const [b, c] = [caller("b"), caller("c")];
    for (const each of [caller("a"), b, b, c]) parseOrder.ask(each);
    parseOrder.forget(c);
    await turns(10);
    expect(passed).toEqual(["a", "b"]);
  });

  it("lets a caller wait among others of its standing, also when that changes while it waits", async () => {
    const { parseOrder, passed, caller, turns } = scene();
    parseOrder.ask(caller("first"));
    const sinking = { ...caller("sinking"), standing: "new" as Standing };
    parseOrder.ask(sinking);
    parseOrder.ask(caller("new", "new"));
    sinking.standing = "unproved";
    parseOrder.ask(sinking);
    await turns(4);
    expect(passed).toEqual(["first", "new", "sinking"]);
  });

  it("prefers who was proved to who is new, and who is new to who was not proved", async () => {
    const { parseOrder, passed, caller, turns } = scene();
    parseOrder.ask(caller("first"));
    for (const standing of ["unproved", "new", "proved"] as const) parseOrder.ask(caller(standing, standing));
    await turns(8);
    expect(passed).toEqual(["first", "proved", "new", "unproved"]);
  });

  it("lets everybody through in the end, however many of a better standing come", async () => {
    const { parseOrder, passed, caller, turns } = scene();
    const insistent: WaitingCaller = {
      standing: "proved",
      pass: () => {
        passed.push("proved");
        parseOrder.ask(insistent);
      },
    };
    parseOrder.ask(insistent);
    parseOrder.ask(caller("new", "new"));
    parseOrder.ask(caller("unproved"));
    await turns(20);
    expect(passed.slice(0, 10)).toEqual(expect.arrayContaining(["new", "unproved"]));
    parseOrder.forget(insistent);
  });

  it("looks at four unproved requests at a time, and at those of proved callers besides", async () => {
    const { parseOrder, passed, caller, turns } = scene();
    const looks = [1, 2, 3, 4].map((number) => ({ number }));
    for (const look of looks) parseOrder.beginHandling(look);
    parseOrder.ask(caller("unproved"));
    parseOrder.ask(caller("new", "new"));
    parseOrder.ask(caller("proved", "proved"));
    await turns(6);
    expect(passed).toEqual(["proved"]);
    for (const look of looks.slice(0, 2)) parseOrder.endHandling(look);
    await turns(6);
    expect(passed).toEqual(["proved", "new", "unproved"]);
  });

  it("holds nobody up for looks that hang", async () => {
    const { clock, parseOrder, passed, caller } = scene();
    for (let number = 0; number < 4; number += 1) parseOrder.beginHandling({ number });
    parseOrder.ask(caller("a"));
    await clock.advance(249);
    expect(passed).toEqual([]);
    await clock.advance(1);
    expect(passed).toEqual(["a"]);
  });
});
