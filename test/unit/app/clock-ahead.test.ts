import { describe, expect, it } from "vitest";
import { readClockAhead } from "../../../src/app/config.ts";

describe("CLOCK_AHEAD_MS", () => {
  it.each([
    [undefined, 0],
    ["", 0],
    [" ", 0],
    ["0", 0],
    [" 86400000 ", 86_400_000],
  ])("as %j is read as %i", (text, aheadMs) => {
    expect(readClockAhead({ CLOCK_AHEAD_MS: text })).toBe(aheadMs);
  });

  it.each(["-1", "1.5", "1e3", "an hour", "9999999999999999"])("as %j is refused in a line that names it", (text) => {
    expect(() => readClockAhead({ CLOCK_AHEAD_MS: text })).toThrow(/^CLOCK_AHEAD_MS expects whole milliseconds/);
  });
});
