import { describe, expect, it } from "vitest";
import { LongBodies } from "../../../src/http/bodies/long-bodies.ts";
import { nextTurn } from "../../../src/kernel/clock.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

const KIB = 1024;

/** Enters all bodies in one turn of the event loop. Returns the callers that were admitted in each turn. */
async function turnsOf(bodies: readonly (readonly [caller: string, bytes: number])[]): Promise<string[][]> {
  const long = new LongBodies(new VirtualClock(0));
  const turns: string[][] = [];
  let turn: string[] = [];
  let left = bodies.length;
  for (const [caller, bytes] of bodies) {
    void long.enter(caller, bytes).then((entered) => {
      if (entered !== undefined) turn.push(caller);
      left -= 1;
    });
  }
  while (left > 0) {
    await nextTurn();
    turns.push(turn);
    turn = [];
  }
  return turns.filter((admitted) => admitted.length > 0);
}

function each(count: number, caller: string, bytes: number): (readonly [string, number])[] {
  return Array.from({ length: count }, () => [caller, bytes] as const);
}

describe("bodies that are proved in the same turn of the event loop", () => {
  it("are read one in a turn when they are as large as a body may be that is read at once", async () => {
    expect(await turnsOf(each(8, "a", 64 * KIB))).toEqual(Array(8).fill(["a"]));
  });

  it("are read together when they are ordinary sales", async () => {
    const turns = await turnsOf(each(64, "a", 2 * KIB));
    expect(turns.map((admitted) => admitted.length)).toEqual([16, 16, 16, 16]);
  });

  it("of one caller let the bodies of another caller go between", async () => {
    const turns = await turnsOf([...each(4, "a", 64 * KIB), ["b", KIB], ["b", 64 * KIB]]);
    expect(turns).toEqual([["a"], ["a"], ["b", "a"], ["b"], ["a"]]);
  });
});
