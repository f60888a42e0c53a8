import { describe, expect, it } from "vitest";
import { type AlertStanding, begun, claimed, endOf, failed, isDue, looked, sent } from "../../../src/alerts/decision.ts";

const MINUTE_MS = 60_000;
const START_MS = Date.parse("2026-11-29T09:00:00Z");

/** The result of a look: the condition holds, is over, or is unknown. */
type Found = "on" | "off" | "?";

interface Scenario {
  what: string;
  /** The minute of a look, and its result. */
  looks: readonly [number, Found][];
  /** The minutes in which the channel fails. */
  away?: readonly [from: number, to: number];
  told: readonly string[];
}

/** Plays the looks of one condition and one audience. Returns the sent messages, with their minutes. */
function play({ looks, away = [0, -1] }: Scenario): { told: string[]; row: AlertStanding | undefined } {
  const told: string[] = [];
  let row: AlertStanding | undefined;
  for (const [minute, found] of looks) {
    const nowMs = START_MS + minute * MINUTE_MS;
    if (row === undefined && found === "on") row = begun(nowMs);
    else if (row !== undefined) row = looked(row, found === "?" ? undefined : found === "on", nowMs);
    if (row === undefined) continue;
    if (endOf(row, nowMs) !== undefined) row = undefined;
    else if (isDue(row, nowMs)) {
      row = claimed(row, nowMs);
      const isAway = minute >= away[0] && minute <= away[1];
      if (!isAway) told.push(`${minute} ${row.owed}`);
      row = isAway ? failed(row, "away", nowMs) : sent(row, nowMs);
    }
  }
  return { told, row };
}

const each = (from: number, to: number, found: Found): [number, Found][] =>
  Array.from({ length: to - from + 1 }, (_, index): [number, Found] => [from + index, found]);

const SCENARIOS: readonly Scenario[] = [
  { what: "a condition that never was", looks: each(0, 5, "off"), told: [] },
  { what: "a condition that stays", looks: each(0, 600, "on"), told: ["0 begins"] },
  { what: "a condition that ends", looks: [...each(0, 9, "on"), ...each(10, 200, "off")], told: ["0 begins", "10 ends"] },
  {
    what: "one that flickers within the hour, and stays away",
    looks: [[0, "on"], [1, "off"], [2, "on"], [3, "off"], [4, "on"], ...each(5, 200, "off")],
    told: ["0 begins", "1 ends"],
  },
  {
    what: "one that comes back within the hour, and stays",
    looks: [[0, "on"], [1, "off"], ...each(2, 200, "on")],
    told: ["0 begins", "1 ends", "60 begins"],
  },
  {
    what: "one that ends twice within an hour",
    looks: [...each(0, 58, "on"), [59, "off"], ...each(60, 61, "on"), ...each(62, 200, "off")],
    told: ["0 begins", "59 ends", "60 begins", "119 ends"],
  },
  {
    what: "one that ends, and holds again before the second end may be told",
    looks: [...each(0, 58, "on"), [59, "off"], ...each(60, 61, "on"), [62, "off"], ...each(63, 300, "on")],
    told: ["0 begins", "59 ends", "60 begins"],
  },
  {
    what: "one that flickers for hours",
    looks: Array.from({ length: 180 }, (_, minute) => [minute, minute % 2 === 0 ? "on" : "off"]),
    told: ["0 begins", "1 ends", "60 begins", "61 ends", "120 begins", "121 ends"],
  },
  { what: "one of which nobody can tell any more", looks: [[0, "on"], ...each(1, 300, "?")], told: ["0 begins"] },
  {
    what: "one that is seen to be over after nobody could tell",
    looks: [[0, "on"], ...each(1, 30, "?"), [31, "off"]],
    told: ["0 begins", "31 ends"],
  },
  { what: "a channel that is away when it begins", looks: each(0, 30, "on"), away: [0, 9], told: ["16 begins"] },
  {
    what: "one that is over before the channel comes back",
    looks: [...each(0, 4, "on"), ...each(5, 90, "off")],
    away: [0, 29],
    told: ["31 begins", "32 ends"],
  },
  {
    what: "an end that could not be told, and holds again",
    looks: [[0, "on"], ...each(1, 3, "off"), ...each(4, 50, "on")],
    away: [1, 3],
    told: ["0 begins"],
  },
];

describe("what a person is told of a condition", () => {
  it.each(SCENARIOS)("$what", (scenario) => {
    expect(play(scenario).told).toEqual(scenario.told);
  });

  it("is forgotten an hour after everything was told", () => {
    const looks: [number, Found][] = [...each(0, 9, "on"), ...each(10, 68, "off")];
    expect(play({ what: "", looks, told: [] }).row).toBeDefined();
    expect(play({ what: "", looks: [...looks, [69, "off"], [70, "off"]], told: [] }).row).toBeUndefined();
  });

  it("is forgotten a month after anything was known of it", () => {
    const day = 24 * 60;
    const row = play({ what: "", looks: [[0, "on"]], told: [] }).row ?? begun(0);
    expect(endOf(row, START_MS + 29 * day * MINUTE_MS)).toBeUndefined();
    expect(endOf(row, START_MS + 30 * day * MINUTE_MS)).toBe("forgotten");
    // A condition that is looked at daily is never forgotten.
    const daily = play({ what: "", looks: Array.from({ length: 90 }, (_, index): [number, Found] => [index * day, "on"]), told: [] });
    expect([daily.told, daily.row?.stands]).toEqual([["0 begins"], true]);
  });
});

describe("attempts to send", () => {
  it("come after 30 s, a minute, two, and so on, at most a quarter of an hour apart, and never end while the condition holds", () => {
    let row = begun(START_MS);
    const pauses: number[] = [];
    for (let nowMs = START_MS, attempt = 0; attempt < 100; attempt += 1) {
      row = failed(claimed(row, nowMs), "away", nowMs);
      const nextMs = row.nextTryAtMs ?? 0;
      expect([isDue(row, nextMs - 1), isDue(row, nextMs)]).toEqual([false, true]);
      pauses.push((nextMs - nowMs) / 1_000);
      nowMs = nextMs;
    }
    expect(pauses.slice(0, 7)).toEqual([30, 60, 120, 240, 480, 900, 900]);
    expect(Math.max(...pauses)).toBe(900);
    expect(row).toMatchObject({ attempts: 100, owed: "begins", problem: "away" });
  });

  it("about what is over are given up after a week", () => {
    const over = looked(failed(begun(START_MS), "away", START_MS), false, START_MS + MINUTE_MS);
    expect(over.owed).toBe("begins");
    expect(endOf(over, START_MS + 6 * 86_400_000)).toBeUndefined();
    expect(endOf(over, START_MS + MINUTE_MS + 7 * 86_400_000)).toBe("given-up");
  });

  it("begin anew with another message, and leave no problem behind", () => {
    const told = sent(failed(begun(START_MS), "away", START_MS), START_MS + MINUTE_MS);
    expect(told).toMatchObject({ attempts: 0, told: "begins", beginsToldAtMs: START_MS + MINUTE_MS });
    expect(Object.keys(told)).not.toEqual(expect.arrayContaining(["problem"]));
    expect(looked(told, false, START_MS + 5 * MINUTE_MS)).toMatchObject({
      owed: "ends",
      owedSinceMs: START_MS + 5 * MINUTE_MS,
      attempts: 0,
    });
  });

  it("are left to the process that has taken the message, for a minute", () => {
    const row = claimed(begun(START_MS), START_MS);
    expect([0, 59_999, 60_000].map((afterMs) => isDue(row, START_MS + afterMs))).toEqual([false, false, true]);
  });
});

describe("a wall clock that was set back", () => {
  const EARLIER_MS = START_MS - 400 * 86_400_000;

  it("holds back neither a message nor an attempt", () => {
    const away = failed(begun(START_MS), "away", START_MS);
    expect(isDue(away, EARLIER_MS)).toBe(true);
    const told = sent(begun(START_MS), START_MS);
    const ended = sent(looked(told, false, EARLIER_MS), EARLIER_MS);
    expect(ended.told).toBe("ends");
    expect(looked(ended, true, EARLIER_MS + MINUTE_MS).owed).toBe("begins");
  });
});
