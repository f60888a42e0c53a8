import { describe, expect, it } from "vitest";
import { StoredStates } from "../../../src/agents/stored-states.ts";
import { nextTurn } from "../../../src/kernel/clock.ts";

describe("the stored states of agents", () => {
  it("are worked on in order, and a failure is told and ends nothing", async () => {
    const states = new StoredStates();
    const seen: string[] = [];
    const fails = async () => {
      throw new Error("away");
    };
    const works = async () => void seen.push("second");
    void states.store("shop", fails, (reason) => void seen.push(reason));
    void states.store("shop", works, () => {});
    expect(states.has("shop")).toBe(true);
    await states.done();
    expect(seen).toEqual(["away", "second"]);
    expect(states.has("shop")).toBe(false);
  });

  it("are read anew a few at a time, and each once while it waits", async () => {
    const states = new StoredStates();
    const names = Array.from({ length: 100 }, (_, at) => `shop${at}`);
    const read: string[] = [];
    let [running, most] = [0, 0];
    const one = async (name: string) => {
      running += 1;
      most = Math.max(most, running);
      await nextTurn();
      read.push(name);
      running -= 1;
    };
    states.anew(names, one);
    states.anew(names.slice(50), one);
    while (read.length < names.length) await nextTurn();
    for (let turn = 0; turn < 20; turn += 1) await nextTurn();
    expect(read.toSorted()).toEqual(names.toSorted());
    expect(most).toBe(8);
    states.anew(["again"], one);
    while (read.length === names.length) await nextTurn();
    expect(read.at(-1)).toBe("again");
  });
});
