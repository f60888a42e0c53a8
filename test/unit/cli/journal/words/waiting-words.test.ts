import { describe, expect, it } from "vitest";
import { ageText, nextStep } from "../../../../../src/cli/journal/words/waiting-words.ts";

describe("what is told of an entry that has not ended", () => {
  it.each([
    ["queued", "see that the server runs"],
    ["sending", "see that the server runs"],
    ["in-doubt", "journal explain 5"],
  ] as const)("is the server's next step, then a person's: %s", (state, next) => {
    const waiting = { state, ageMs: 0, untilMs: 0 };
    expect(nextStep(5, { ...waiting, owner: "server" })).toMatch(/^the server /);
    expect(nextStep(5, { ...waiting, owner: "person" })).toContain(next);
  });

  it.each([
    [-5_000, "0 s"],
    [59_999, "59 s"],
    [60_000, "1 min"],
    [3_599_999, "59 min"],
    [5 * 3_600_000, "5 h"],
    [3 * 86_400_000 + 1, "3 d"],
  ])("is its age as a person reads it: %i ms", (ageMs, text) => {
    expect(ageText(ageMs)).toBe(text);
  });
});
