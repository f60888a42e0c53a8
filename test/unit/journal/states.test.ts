import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type EntryState, inOrderOfLife, mayMove, mayTakeBack, UNFINISHED } from "../../../src/journal/states.ts";

const STATES: EntryState[] = ["queued", "sending", "done", "refused", "in-doubt"];

describe("the states of an operation", () => {
  it("lets nothing leave done: what was registered stays registered", () => {
    expect(STATES.filter((to) => mayMove("done", to))).toEqual([]);
  });

  it("never sends again from sending or from doubt without a refusal in between", () => {
    expect(mayMove("sending", "sending")).toBe(false);
    expect(mayMove("sending", "queued")).toBe(false);
    expect(mayMove("in-doubt", "sending")).toBe(false);
    expect(mayMove("in-doubt", "queued")).toBe(false);
  });

  it("calls an operation done only after it was sent", () => {
    expect(STATES.filter((from) => mayMove(from, "done"))).toEqual(["sending", "in-doubt"]);
  });

  it("lets every unfinished operation still be refused", () => {
    for (const state of UNFINISHED) expect(mayMove(state, "refused")).toBe(true);
  });

  it("lets only a person's word be taken back, and only of what was sent", () => {
    const sent = { attempt: 1, to: "sending", by: "caller" } as const;
    const doubt = { attempt: 1, from: "sending", to: "in-doubt", by: "register" } as const;
    const ended = (by: string) => [sent, doubt, { attempt: 1, from: "in-doubt", to: "done", by } as const];
    expect(mayTakeBack("done", ended("person"))).toBe(true);
    for (const by of ["register", "look-up", "restart"]) expect(mayTakeBack("done", ended(by))).toBe(false);
    for (const state of UNFINISHED) expect(mayTakeBack(state, ended("person"))).toBe(false);
    const refused = [sent, doubt, { attempt: 1, from: "in-doubt", to: "refused", by: "person" } as const];
    const waited = [...refused, { attempt: 2, from: "refused", to: "queued", by: "caller" } as const];
    const turnedAway = [...waited, { attempt: 2, from: "queued", to: "refused", by: "register" } as const];
    expect(mayTakeBack("refused", turnedAway)).toBe(true);
    const sentAgain = [...refused, { attempt: 2, from: "refused", to: "sending", by: "caller" } as const];
    expect(mayTakeBack("refused", [...sentAgain, { attempt: 2, from: "sending", to: "refused", by: "register" } as const])).toBe(false);
  });

  it("puts moves in the order of life whatever the clock said and however they came", () => {
    const life = [
      { attempt: 1, to: "queued" },
      { attempt: 1, to: "sending" },
      { attempt: 1, to: "in-doubt" },
      { attempt: 1, to: "refused" },
      { attempt: 2, to: "sending" },
      { attempt: 2, to: "done" },
    ] as const;
    fc.assert(
      fc.property(fc.shuffledSubarray([...life], { minLength: life.length }), (moves) => {
        expect(inOrderOfLife(moves)).toEqual(life);
      }),
    );
  });

  it("passes through each state at most once within one attempt, by whatever legal moves", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...STATES), { maxLength: 30 }), (wishes) => {
        let state: EntryState = "queued";
        let seen = new Set<EntryState>([state]);
        for (const wish of wishes) {
          if (!mayMove(state, wish)) continue;
          if (state === "refused") seen = new Set();
          expect(seen.has(wish)).toBe(false);
          seen.add(wish);
          state = wish;
        }
      }),
    );
  });
});
