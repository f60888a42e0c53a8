import { describe, expect, it } from "vitest";
import { waitingOf } from "../../../../src/operator/explaining/waiting.ts";

const MOVED_MS = Date.UTC(2026, 2, 2, 7, 15);

describe("an entry that has not ended", () => {
  it.each([
    ["queued", 10 * 60_000],
    ["sending", 4 * 60_000],
    ["in-doubt", 60_000],
  ] as const)("is the server's for a time and then a person's: %s", (state, limitMs) => {
    const entry = { state, movedAtMs: MOVED_MS };
    const untilMs = MOVED_MS + limitMs;
    expect(waitingOf(entry, untilMs - 1)).toEqual({ state, owner: "server", ageMs: limitMs - 1, untilMs });
    expect(waitingOf(entry, untilMs)).toEqual({ state, owner: "person", ageMs: limitMs, untilMs });
  });

  it.each(["done", "refused"] as const)("is not one that is %s: nobody owes anything", (state) => {
    expect(waitingOf({ state, movedAtMs: MOVED_MS }, MOVED_MS + 1e9)).toBeUndefined();
  });
});
