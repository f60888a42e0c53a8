import { describe, expect, it } from "vitest";
import { Lanes } from "../../../src/operations/lanes.ts";

/** A turn that ends when the test says so. */
function turn(log: string[], name: string) {
  const { promise, resolve } = Promise.withResolvers<void>();
  return {
    end: resolve,
    run: async () => {
      log.push(`${name} begins`);
      await promise;
      log.push(`${name} ends`);
      return name;
    },
  };
}

function taken<T>(place: { kind: "taken"; ahead: number; result: Promise<T> } | { kind: "full" }) {
  if (place.kind === "full") throw new Error("the lane is full");
  return place;
}

describe("lanes", () => {
  it("give turns at one register in the order of arrival, one at a time", async () => {
    const lanes = new Lanes();
    const log: string[] = [];
    const [first, second] = [turn(log, "first"), turn(log, "second")];
    const places = [taken(lanes.enter("a", first.run)), taken(lanes.enter("a", second.run))];
    expect(places.map(({ ahead }) => ahead)).toEqual([0, 1]);
    second.end();
    first.end();
    expect(await Promise.all(places.map(({ result }) => result))).toEqual(["first", "second"]);
    expect(log).toEqual(["first begins", "first ends", "second begins", "second ends"]);
  });

  it("do not wait for one another", async () => {
    const lanes = new Lanes();
    const log: string[] = [];
    const [frozen, quick] = [turn(log, "frozen"), turn(log, "quick")];
    taken(lanes.enter("a", frozen.run));
    quick.end();
    expect(await taken(lanes.enter("b", quick.run)).result).toBe("quick");
    expect(lanes.isBusy("a")).toBe(true);
    frozen.end();
    await lanes.idle();
    expect(lanes.depths()).toEqual([]);
  });

  it("say no beyond 32 waiting turns and take places again afterwards", async () => {
    const lanes = new Lanes();
    const first = turn([], "first");
    taken(lanes.enter("a", first.run));
    for (let i = 0; i < 32; i += 1) taken(lanes.enter("a", async () => i));
    expect(lanes.enter("a", async () => "one too many")).toEqual({ kind: "full" });
    expect(lanes.depths()).toEqual([{ register: "a", waiting: 32 }]);
    first.end();
    await lanes.idle();
    expect(await taken(lanes.enter("a", async () => "again")).result).toBe("again");
  });

  it("keep places for the other accounts at a register when one account has taken all of its own", async () => {
    const lanes = new Lanes();
    const first = turn([], "first");
    taken(lanes.enter("a", first.run, "one"));
    for (let i = 0; i < 32; i += 1) taken(lanes.enter("a", async () => i, "one"));
    expect(lanes.enter("a", async () => "one too many", "one")).toEqual({ kind: "full" });
    for (let account = 0; account < 7; account += 1)
      for (let i = 0; i < 32; i += 1) taken(lanes.enter("a", async () => i, `other ${account}`));
    expect(lanes.enter("a", async () => "one too many", "the last")).toEqual({ kind: "full" });
    first.end();
    await lanes.idle();
  });

  it("let accounts take turns where many operations wait, and few keep the order of their arrival", async () => {
    const order = async (crowd: number): Promise<string[]> => {
      const [lanes, log] = [new Lanes(), [] as string[]];
      const first = turn([], "first");
      taken(lanes.enter("a", first.run, "crowd"));
      const enter = (name: string, account: string) => void taken(lanes.enter("a", async () => log.push(name), account));
      for (let i = 0; i < crowd; i += 1) enter(`crowd ${i}`, "crowd");
      for (const name of ["sale", "closing"]) enter(name, "other");
      enter("question", "");
      first.end();
      await lanes.idle();
      return log;
    };
    const few = ["crowd 0", "crowd 1", "crowd 2", "crowd 3", "sale", "closing", "question"];
    expect(await order(4)).toEqual(few);
    const many = await order(20);
    expect(many.slice(0, 4)).toEqual(["sale", "question", "crowd 0", "closing"]);
    expect(many.slice(4)).toEqual(Array.from({ length: 19 }, (_, i) => `crowd ${i + 1}`));
  });

  it("go on after a turn that fails", async () => {
    const lanes = new Lanes();
    const failing = taken(lanes.enter("a", () => Promise.reject(new Error("broken"))));
    const next = taken(lanes.enter("a", async () => "next"));
    await expect(failing.result).rejects.toThrow("broken");
    expect(await next.result).toBe("next");
  });
});
