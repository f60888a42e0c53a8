import { describe, expect, it } from "vitest";
import { HeldBack } from "../../../src/operations/held-back.ts";

const TURN_MS = 60_000;
const LIMITS = { forgottenAfterMs: 180_000, documents: 3, names: 2, turnMs: TURN_MS };

/** The order of held back documents, at a time that the test sets. In the first minute fresh documents go first. */
function order() {
  let nowMs = 0;
  const heldBack = new HeldBack({ monotonicMs: () => nowMs }, LIMITS);
  const asked = (document: string, attempts: number, { name = "cash-out", refused = false } = {}) =>
    heldBack.mayGo(name, document, { attempts, refused });
  /** Holds each document back twice, so that it waits. */
  const waits = (documents: string, of: { name?: string; refused?: boolean } = {}) => {
    for (const document of documents + documents) expect(asked(document, 0, of)).toBe(false);
  };
  const later = (byMs: number) => {
    nowMs += byMs;
  };
  return { heldBack, asked, waits, later };
}

describe("held back documents", () => {
  it("are sent in the order of their first wait, as many as there are attempts", () => {
    const { heldBack, asked, waits } = order();
    waits("ab");
    expect([asked("c", 1), asked("b", 1), asked("a", 1)]).toEqual([false, false, true]);
    expect(asked("b", 2)).toBe(true);
    heldBack.ended("cash-out", "a");
    expect([asked("c", 1), asked("b", 1)]).toEqual([false, true]);
  });

  it("keep nobody waiting before their first repeat, or when nobody has repeated them for three minutes", () => {
    const { asked, waits, later } = order();
    expect([asked("a", 0), asked("b", 1)]).toEqual([false, true]);
    waits("a");
    later(2 * TURN_MS);
    expect(asked("b", 1)).toBe(false);
    later(2 * TURN_MS);
    expect(asked("c", 1)).toBe(true);
  });

  it("go first in every second minute if they were refused before, and after the others in between", () => {
    const { asked, waits, later } = order();
    waits("a", { refused: true });
    waits("b");
    expect([asked("a", 1, { refused: true }), asked("b", 1)]).toEqual([false, true]);
    later(TURN_MS);
    expect([asked("b", 1), asked("a", 1, { refused: true })]).toEqual([false, true]);
  });

  it("have as many places as the bound says, and get one when another becomes free", () => {
    const { heldBack, asked, waits, later } = order();
    waits("abcd");
    for (const document of "abc") heldBack.ended("cash-out", document);
    expect(asked("e", 1)).toBe(true);
    waits("abc");
    later(3 * TURN_MS);
    waits("d");
    expect(asked("e", 1)).toBe(false);
  });

  it("of the name that waited longest ago lose their places when there are too many names", () => {
    const { asked, waits } = order();
    for (const name of ["one", "two", "three"]) waits("a", { name });
    expect(["one", "two", "three"].map((name) => asked("b", 1, { name }))).toEqual([true, false, false]);
  });
});
