import { describe, expect, it } from "vitest";
import { otherDriveWarnings, otherPlaceWarnings } from "../../../../../src/cli/journal/words/place-words.ts";

describe("the register at which a command acts", () => {
  it("is worth a warning where the entry was made at another, or there is none now", () => {
    expect(otherPlaceWarnings("emulator:a", "emulator:a", "it was made")).toEqual([]);
    expect(otherPlaceWarnings("emulator:a", undefined, "it was made")).toEqual([]);
    expect(otherPlaceWarnings("emulator:b", "emulator:a", "it was made")[0]).toMatch(
      /^WARNING: it was made at emulator:a, another register/,
    );
    expect(otherPlaceWarnings(undefined, "emulator:a", "it was made")).toHaveLength(2);
  });

  it("is worth a warning where the same address has another drive than the entry was sent to", () => {
    expect(otherDriveWarnings("9999000000000001", "9999000000000001")).toEqual([]);
    expect(otherDriveWarnings("9999000000000001", undefined)).toEqual([]);
    expect(otherDriveWarnings("9999000000000002", "9999000000000001")).toEqual([
      "WARNING: the register has drive 9999000000000002 now; what is corrected was sent to drive 9999000000000001.",
    ]);
  });
});
