import { describe, expect, it } from "vitest";
import {
  activeFromMs,
  endOfDayAfterMs,
  expiresAtMs,
  lotsInForce,
  startOfDayMonthsAwayMs,
} from "../../../../src/loyalty/points/lot-dates.ts";
import type { Expiry } from "../../../../src/loyalty/programme/programme.ts";
import { at, lot, ZONE } from "../builders.ts";

const EARNED_MS = at("2026-01-31 23:30:00");

describe("points earned on 31 January", () => {
  it("are active at once, or at the beginning of a later day", () => {
    expect(activeFromMs({ kind: "at-once" }, EARNED_MS, ZONE)).toBe(EARNED_MS);
    expect(activeFromMs({ kind: "days", days: 14 }, EARNED_MS, ZONE)).toBe(at("2026-02-14 00:00:00"));
  });

  const ends: [string, Expiry, string][] = [
    ["after a day", { kind: "days", days: 1 }, "2026-02-02 00:00:00"],
    ["a day after a visit", { kind: "rolling", days: 1 }, "2026-02-02 00:00:00"],
    ["with the month", { kind: "end-of-month", months: 0 }, "2026-02-01 00:00:00"],
    ["a month later", { kind: "end-of-month", months: 1 }, "2026-03-01 00:00:00"],
    ["with the quarter", { kind: "end-of-quarter", months: 0 }, "2026-04-01 00:00:00"],
    ["a month after the quarter", { kind: "end-of-quarter", months: 1 }, "2026-05-01 00:00:00"],
    ["with the year", { kind: "end-of-year", months: 0 }, "2027-01-01 00:00:00"],
    ["thirteen months after the year", { kind: "end-of-year", months: 13 }, "2028-02-01 00:00:00"],
  ];
  it.each(ends)("end %s, at the end of a day", (_, expiry, wall) => {
    expect(expiresAtMs(expiry, EARNED_MS, ZONE)).toBe(at(wall));
  });

  it("never end where nothing says so", () => {
    expect(expiresAtMs({ kind: "never" }, EARNED_MS, ZONE)).toBeNull();
  });

  it("end by the calendar of the point of sale", () => {
    // In Vladivostok it is already the first of February.
    expect(expiresAtMs({ kind: "end-of-month", months: 0 }, EARNED_MS, "Asia/Vladivostok")).toBe(Date.parse("2026-02-28T14:00:00Z"));
  });

  it("end at midnight though the clocks change in between", () => {
    expect(endOfDayAfterMs(Date.parse("2026-03-28T12:00:00Z"), 1, "Europe/Berlin")).toBe(Date.parse("2026-03-29T22:00:00Z"));
  });
});

describe("rolling expiry", () => {
  const lots = [lot(1, 10, { expiresAtMs: at("2026-02-10 00:00:00") }), lot(2, 10, { expiresAtMs: at("2026-05-01 00:00:00") }), lot(3, 10)];
  const expiry: Expiry = { kind: "rolling", days: 30 };

  it("moves every living lot to so many days after the last visit, and never back", () => {
    const moved = lotsInForce(lots, expiry, at("2026-02-09 12:00:00"), ZONE);
    expect(moved.map((each) => each.expiresAtMs)).toEqual([at("2026-03-12 00:00:00"), at("2026-05-01 00:00:00"), null]);
  });

  it("moves a lot that still holds points although its date was over at the visit, because an earlier visit has moved this date", () => {
    expect(lotsInForce(lots, expiry, at("2026-02-20 12:00:00"), ZONE)[0]?.expiresAtMs).toBe(at("2026-03-23 00:00:00"));
  });

  it("revives no empty lot that was over before the visit, and touches none without a visit or under another expiry", () => {
    const empty = lots.map((each) => ({ ...each, remaining: 0 }));
    expect(lotsInForce(empty, expiry, at("2026-02-10 00:00:00"), ZONE)[0]?.expiresAtMs).toBe(at("2026-02-10 00:00:00"));
    expect(lotsInForce(lots, expiry, undefined, ZONE)).toBe(lots);
    expect(lotsInForce(lots, { kind: "never" }, at("2026-02-09 12:00:00"), ZONE)).toBe(lots);
  });
});

describe("the same day some months away", () => {
  it("is the last day of a shorter month", () => {
    expect(startOfDayMonthsAwayMs(at("2026-03-31 10:00:00"), -1, ZONE)).toBe(at("2026-02-28 00:00:00"));
    expect(startOfDayMonthsAwayMs(at("2024-02-29 10:00:00"), -12, ZONE)).toBe(at("2023-02-28 00:00:00"));
    expect(startOfDayMonthsAwayMs(at("2026-03-15 10:00:00"), 12, ZONE)).toBe(at("2027-03-15 00:00:00"));
  });
});
