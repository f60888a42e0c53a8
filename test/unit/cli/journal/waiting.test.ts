import { describe, expect, it } from "vitest";
import { ageText, waitingOf } from "../../../../src/cli/journal/waiting.ts";

const MOVED_MS = Date.UTC(2026, 2, 2, 7, 15);

describe("an entry that has not ended", () => {
  it.each([
    ["queued", 10 * 60_000, "see that the server runs"],
    ["sending", 4 * 60_000, "see that the server runs"],
    ["in-doubt", 60_000, "journal explain 5"],
  ] as const)("is the server's for a time and then a person's: %s", (state, limitMs, next) => {
    const entry = { id: 5, state, movedAtMs: MOVED_MS };
    const before = waitingOf(entry, MOVED_MS + limitMs - 1);
    const after = waitingOf(entry, MOVED_MS + limitMs);
    expect(before).toMatchObject({ owner: "server", ageMs: limitMs - 1, untilMs: MOVED_MS + limitMs });
    expect(before?.next).toMatch(/^the server /);
    expect(after).toMatchObject({ owner: "person", ageMs: limitMs, next: expect.stringContaining(next) });
  });

  it.each(["done", "refused"] as const)("is not one that is %s: nobody owes anything", (state) => {
    expect(waitingOf({ id: 5, state, movedAtMs: MOVED_MS }, MOVED_MS + 1e9)).toBeUndefined();
  });

  it.each([
    [-5_000, "0 s"],
    [59_999, "59 s"],
    [60_000, "1 min"],
    [3_599_999, "59 min"],
    [5 * 3_600_000, "5 h"],
    [3 * 86_400_000 + 1, "3 d"],
  ])("is as old as a person reads it: %i ms", (ageMs, text) => {
    expect(ageText(ageMs)).toBe(text);
  });
});
