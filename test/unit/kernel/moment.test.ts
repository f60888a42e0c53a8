import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { instantOf, isZone, parseWallTime, wallAsUtcMs, wallFromUtc, wallTimeAt } from "../../../src/kernel/moment.ts";

const NOON_UTC_MS = Date.UTC(2026, 10, 12, 12, 0, 0);

describe("a wall time", () => {
  it("is read with a space or a T, with or without a fraction of a second", () => {
    for (const text of ["2026-11-12 18:42:10", "2026-11-12T18:42:10", "2026-11-12 18:42:10.123", "2026-11-12 18:42:10.123456789"]) {
      expect(parseWallTime(text)).toBe("2026-11-12 18:42:10");
    }
    expect(parseWallTime("2024-02-29 00:00:00")).toBe("2024-02-29 00:00:00");
  });

  it("is no date that does not exist, and nothing written otherwise", () => {
    const others = [
      "2026-02-29 10:00:00",
      "2026-02-31 10:00:00",
      "2026-13-01 10:00:00",
      "2026-00-10 10:00:00",
      "2026-11-12 24:00:00",
      "2026-11-12 10:60:00",
      "2026-11-12 10:00:60",
      "2026-11-12",
      "2026-11-12 10:00",
      "12.11.2026 10:00:00",
      "2026-11-12 10:00:00Z",
      "2026-11-12 10:00:00+03:00",
      "",
      "0050-01-01 00:00:00",
    ];
    for (const text of others) expect(parseWallTime(text), text).toBeUndefined();
  });

  it("is what the zone's clock shows", () => {
    expect(wallTimeAt(NOON_UTC_MS, "Europe/Moscow")).toBe("2026-11-12 15:00:00");
    expect(wallTimeAt(NOON_UTC_MS, "Asia/Kamchatka")).toBe("2026-11-13 00:00:00");
    expect(wallTimeAt(NOON_UTC_MS + 999, "Europe/Kaliningrad")).toBe("2026-11-12 14:00:00");
    expect(wallTimeAt(NOON_UTC_MS, "UTC")).toBe("2026-11-12 12:00:00");
  });

  it("follows a clock that is set at the turn of a minute, in whatever order it is asked", () => {
    const setForward = Date.UTC(2026, 2, 29, 1);
    const [before, after] = ["2026-03-29 01:59:59", "2026-03-29 03:00:00"];
    const shown = [-1000, 0, -1000, 0].map((offsetMs) => wallTimeAt(setForward + offsetMs, "Europe/Berlin"));
    expect(shown).toEqual([before, after, before, after]);
  });

  it("leads back to its instant in every zone of the country", () => {
    const zones = ["Europe/Kaliningrad", "Europe/Moscow", "Europe/Samara", "Asia/Yekaterinburg", "Asia/Vladivostok", "Asia/Kamchatka"];
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.integer({ min: Date.UTC(2015, 0) / 1000, max: Date.UTC(2040, 0) / 1000 }),
        (zone, second) => {
          const wall = wallTimeAt(second * 1000, zone);
          expect(wallTimeAt(instantOf(wall, zone), zone)).toBe(wall);
        },
      ),
    );
  });

  it("that came twice, when clocks were set back, is the earlier instant", () => {
    // Moscow, 26 October 2014: 02:00 at +4 became 01:00 at +3.
    expect(instantOf("2014-10-26 01:30:00", "Europe/Moscow")).toBe(Date.UTC(2014, 9, 25, 21, 30));
    expect(instantOf("2014-10-26 03:30:00", "Europe/Moscow")).toBe(Date.UTC(2014, 9, 26, 0, 30));
  });

  it("that never was, when clocks were set forward, is still an instant near it", () => {
    // Berlin, 29 March 2026: 02:00 became 03:00.
    expect(Math.abs(instantOf("2026-03-29 02:30:00", "Europe/Berlin") - Date.UTC(2026, 2, 29, 1, 0))).toBeLessThanOrEqual(3_600_000);
  });

  it("reads as if its wall hung in UTC, and back", () => {
    expect(wallAsUtcMs("2026-11-12 18:42:10")).toBe(Date.UTC(2026, 10, 12, 18, 42, 10));
    expect(wallFromUtc(wallAsUtcMs("2026-11-12 18:42:10"))).toBe("2026-11-12 18:42:10");
    expect(wallFromUtc(Number.NaN)).toBe("");
  });
});

describe("a zone", () => {
  it("is known by its name or not", () => {
    expect(["Europe/Moscow", "UTC", "Asia/Omsk"].every(isZone)).toBe(true);
    expect(["Moscow", "", "MSK+3", "Europe/Nowhere"].some(isZone)).toBe(false);
  });
});
