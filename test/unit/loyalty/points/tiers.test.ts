import { describe, expect, it } from "vitest";
import {
  decideTier,
  type QualifyingSum,
  qualifyingKopecks,
  type TierStanding,
  windowStartMs,
} from "../../../../src/loyalty/points/tiers.ts";
import type { TierWindow } from "../../../../src/loyalty/programme/programme.ts";
import { at, programme, ZONE } from "../builders.ts";

const NONE: TierStanding = { tier: null, reviewAtMs: null };

function tiers(window: TierWindow) {
  return programme({
    tiers: [
      { name: "silver", fromKopecks: 10_000, window },
      { name: "gold", fromKopecks: 50_000, window },
    ],
  }).tiers;
}

function bought(wall: string, kopecks: number): QualifyingSum {
  return { atMs: at(wall), kopecks };
}

function decided(standing: TierStanding, sums: QualifyingSum[], wall: string, window: TierWindow = "year") {
  return decideTier({ tiers: tiers(window), standing, sums, nowMs: at(wall), zone: ZONE });
}

describe("the sum of a window", () => {
  const sums = [
    bought("2025-03-18 00:00:00", 1),
    bought("2025-12-31 23:59:59", 10),
    bought("2026-01-01 00:00:00", 100),
    bought("2026-03-18 12:00:00", 1_000),
  ];

  it("is what was bought in the calendar year, in twelve months, or ever", () => {
    const sum = (window: TierWindow, wall: string) => qualifyingKopecks(sums, window, at(wall), ZONE);
    expect([
      sum("year", "2026-03-18 12:00:00"),
      sum("rolling", "2026-03-18 12:00:00"),
      sum("rolling", "2026-03-19 12:00:00"),
      sum("lifetime", "2026-03-18 12:00:00"),
    ]).toEqual([1_100, 1_111, 1_110, 1_111]);
    expect(windowStartMs("lifetime", at("2026-03-18 12:00:00"), ZONE)).toBe(Number.NEGATIVE_INFINITY);
  });

  it("leaves out what is still to come", () => {
    expect(qualifyingKopecks(sums, "lifetime", at("2026-02-01 00:00:00"), ZONE)).toBe(111);
  });
});

describe("a tier", () => {
  it("is reached at once, the highest of those that were", () => {
    expect(decided(NONE, [bought("2026-02-01 10:00:00", 9_999)], "2026-02-01 10:00:00")).toMatchObject({ tier: null, change: "none" });
    expect(decided(NONE, [bought("2026-02-01 10:00:00", 50_000)], "2026-02-01 10:00:00")).toEqual({
      tier: "gold",
      change: "up",
      reviewAtMs: at("2028-01-01 00:00:00"),
      qualifyingKopecks: 50_000,
    });
  });

  it("DivanteLtd/open-loyalty#131: is decided by what was bought, so spending points lowers nobody", () => {
    const gold = decided(NONE, [bought("2026-02-01 10:00:00", 50_000)], "2026-02-01 10:00:00");
    expect(decided(gold, [bought("2026-02-01 10:00:00", 50_000)], "2026-06-01 10:00:00")).toMatchObject({ tier: "gold", change: "none" });
  });

  it("is kept after a return or a new year until its review", () => {
    const gold: TierStanding = { tier: "gold", reviewAtMs: at("2028-01-01 00:00:00") };
    const returned = [bought("2026-02-01 10:00:00", 50_000), bought("2026-02-01 10:00:00", -50_000)];
    expect(decided(gold, returned, "2027-12-31 23:59:59")).toMatchObject({ tier: "gold", change: "none", reviewAtMs: gold.reviewAtMs });
    expect(decided(gold, returned, "2028-01-01 00:00:00")).toEqual({ tier: null, change: "down", reviewAtMs: null, qualifyingKopecks: 0 });
  });

  it("is measured at its review by the year that ends then, however late the review is made", () => {
    const gold: TierStanding = { tier: "gold", reviewAtMs: at("2028-01-01 00:00:00") };
    const sums = [bought("2026-02-01 10:00:00", 50_000), bought("2027-05-01 10:00:00", 20_000)];
    expect(decided(gold, sums, "2028-02-10 10:00:00")).toMatchObject({
      tier: "silver",
      change: "down",
      reviewAtMs: at("2030-01-01 00:00:00"),
    });
    const again = [...sums, bought("2028-02-09 10:00:00", 50_000)];
    expect(decided(gold, again, "2028-02-10 10:00:00")).toMatchObject({ tier: "gold", change: "none" });
    const kept = [bought("2027-05-01 10:00:00", 60_000)];
    expect(decided(gold, kept, "2028-01-01 00:00:00")).toMatchObject({
      tier: "gold",
      change: "none",
      reviewAtMs: at("2030-01-01 00:00:00"),
    });
  });

  it("of twelve months is reviewed on the same day a year later", () => {
    const sums = [bought("2026-02-01 10:00:00", 10_000)];
    const silver = decided(NONE, sums, "2026-02-01 10:00:00", "rolling");
    expect(silver).toMatchObject({ tier: "silver", reviewAtMs: at("2027-02-01 00:00:00") });
    expect(decided(silver, sums, "2027-02-02 00:00:00", "rolling")).toMatchObject({ tier: "silver", change: "none" });
    expect(decided({ tier: "silver", reviewAtMs: at("2027-02-03 00:00:00") }, sums, "2027-02-03 00:00:00", "rolling")).toMatchObject({
      tier: null,
      change: "down",
    });
  });

  it("that the programme has no more is left", () => {
    expect(decided({ tier: "bronze", reviewAtMs: null }, [], "2026-02-01 10:00:00")).toMatchObject({ tier: null, change: "down" });
    expect(decided({ tier: "bronze", reviewAtMs: null }, [bought("2026-02-01 09:00:00", 10_000)], "2026-02-01 10:00:00")).toMatchObject({
      tier: "silver",
      change: "up",
    });
  });
});
