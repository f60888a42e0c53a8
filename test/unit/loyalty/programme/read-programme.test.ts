import { describe, expect, it } from "vitest";
import { MAX_IDS, MAX_PROGRAMME_CHARACTERS, MAX_RULES } from "../../../../src/loyalty/programme/bounds.ts";
import type { Rule } from "../../../../src/loyalty/programme/programme.ts";
import { programmeSchema } from "../../../../src/loyalty/programme/programme-schema.ts";
import { defaultProgramme, type ProgrammeReading, readProgramme } from "../../../../src/loyalty/programme/read-programme.ts";
import { programme } from "../builders.ts";

function read(file: unknown, hasChannel = true): ProgrammeReading {
  return readProgramme(JSON.stringify(file), { hasChannel });
}

function ruleWith(over: object): object {
  return { rules: [{ id: "r", effect: "percent", value: 10, ...over }] };
}

describe("a programme file", () => {
  it("that is empty has the defaults", () => {
    expect(programme({})).toEqual(defaultProgramme());
    expect(defaultProgramme()).toEqual({
      name: "",
      pointValueKopecks: 100,
      earnPercentHundredths: 500,
      earnOnPoints: false,
      earnWhileSpending: true,
      rounding: "down",
      spend: { sharePercentHundredths: 5_000, leastMoneyKopecks: 0, step: 1, excluded: [] },
      activation: { kind: "at-once" },
      expiry: { kind: "never" },
      returns: { giveBack: true, expired: "grace", graceDays: 14, clawBack: true, debt: "remember" },
      verification: { newCustomer: false, spending: "never" },
      tiers: [],
      rules: [],
      externalSearch: false,
      enrolOnSight: false,
      neverBlockSales: true,
    });
  });

  it("may spell out the defaults", () => {
    const spelled =
      '{"name":"","pointValueKopecks":100,"earnPercent":5,"earnOnPoints":false,"earnWhileSpending":true,"rounding":"down",' +
      '"spend":{"sharePercent":50,"leastMoneyKopecks":0,"step":1,"excluded":[]},"activation":{"kind":"at-once"},"expiry":{"kind":"never"},' +
      '"returns":{"giveBack":true,"expired":"grace","graceDays":14,"clawBack":true,"debt":"remember"},' +
      '"verification":{"newCustomer":false,"spending":"never"},"tiers":[],"rules":[],"externalSearch":false,"enrolOnSight":false,"neverBlockSales":true}';
    expect(readProgramme(spelled, { hasChannel: false })).toEqual({ kind: "read", programme: defaultProgramme() });
  });

  it("keeps decimals of percents, factors and quantities exactly", () => {
    const { earnPercentHundredths, tiers, rules } = programme({
      earnPercent: 4.35,
      tiers: [{ name: "gold", fromKopecks: 1, multiplier: 1.1, percent: 0.29 }],
      rules: [{ id: "r", effect: "multiplier", value: 2.55, when: { leastQuantity: 0.356 } }],
    });
    expect(earnPercentHundredths).toBe(435);
    expect(tiers).toEqual([{ name: "gold", fromKopecks: 1, window: "year", multiplierHundredths: 110, percentHundredths: 29 }]);
    const [rule] = rules as Rule[];
    expect(rule).toEqual({
      id: "r",
      effect: { kind: "multiplier", factorHundredths: 255 },
      when: { leastQuantityMillionths: 356_000 },
      group: "",
      priority: 0,
    });
  });

  it("names days by number or name, and hours by number or range", () => {
    const [rule] = programme(ruleWith({ when: { days: [1, "sun"], hours: [9, "22:30-02:00", "10-12"] } })).rules;
    expect(rule?.when.days).toEqual([1, 7]);
    expect(rule?.when.hours).toEqual([
      { fromMinute: 540, toMinute: 600 },
      { fromMinute: 1350, toMinute: 120 },
      { fromMinute: 600, toMinute: 720 },
    ]);
  });

  const refusals: [string, unknown, string, RegExp][] = [
    ["a name that it does not know", { earnPercents: 5 }, "", /earnPercents/],
    ["a name inside that it does not know", { spend: { share: 5 } }, "spend", /share/],
    ["a condition that it does not know", ruleWith({ when: { weather: "rain" } }), "rules[0].when", /weather/],
    ["a percent above 100", { earnPercent: 100.01 }, "earnPercent", /100/],
    ["a percent of a rule above 100", ruleWith({ value: 101 }), "rules[0].value", /100/],
    ["a percent with three decimals", { earnPercent: 1.005 }, "earnPercent", /2 decimals/],
    ["a negative percent", { spend: { sharePercent: -1 } }, "spend.sharePercent", /percent/],
    ["a percent of a tier above 100", { tiers: [{ name: "a", fromKopecks: 0, percent: 200 }] }, "tiers[0].percent", /100/],
    [
      "tiers that begin at one sum",
      {
        tiers: [
          { name: "a", fromKopecks: 5 },
          { name: "b", fromKopecks: 5 },
        ],
      },
      "tiers[1].fromKopecks",
      /tiers\[0\]/,
    ],
    [
      "two tiers of one name",
      {
        tiers: [
          { name: "a", fromKopecks: 5 },
          { name: "a", fromKopecks: 6 },
        ],
      },
      "tiers[1].name",
      /tiers\[0\]/,
    ],
    ["two rules of one id", { rules: [1, 2].map(() => ({ id: "r", effect: "points", value: 1 })) }, "rules[1].id", /rules\[0\]/],
    ["a rule for a tier that is not there", ruleWith({ when: { tier: "gold" } }), "rules[0].when.tier", /no tier/],
    ["a rule that ends before it begins", ruleWith({ from: "2026-02-01", to: "2026-01-31" }), "rules[0].to", /before/],
    ["a date that is none", ruleWith({ from: "2026-02-30" }), "rules[0].from", /date/],
    ["a value of another effect", ruleWith({ effect: "message" }), "rules[0].value", /string/],
    ["an effect that it does not know", ruleWith({ effect: "gift" }), "rules[0].effect", /./],
    ["a set without goods", ruleWith({ effect: "bundle" }), "rules[0].when", /set/],
    ["a set of half a piece", ruleWith({ effect: "bundle", when: { leastQuantity: 0.5 } }), "rules[0].when.leastQuantity", /whole/],
    ["an hour that is none", ruleWith({ when: { hours: ["25-26"] } }), "rules[0].when.hours[0]", /hour/],
    ["a day that is none", ruleWith({ when: { days: [0] } }), "rules[0].when.days[0]", /day/],
    [
      "points that end before they begin",
      { activation: { kind: "days", days: 20 }, expiry: { kind: "days", days: 10 } },
      "expiry.days",
      /before/,
    ],
    ...(
      [
        [90, "end-of-month", 0],
        [31, "end-of-month", 0],
        [62, "end-of-month", 1],
        [92, "end-of-quarter", 0],
        [366, "end-of-year", 0],
      ] as const
    ).map(([days, kind, months]): (typeof refusals)[number] => [
      `points that begin after ${days} days and end by then with ${kind} and ${months} months`,
      { activation: { kind: "days", days }, expiry: { kind, months } },
      "expiry.kind",
      /before/,
    ]),
    ["a fraction of a kopeck", { pointValueKopecks: 0.5 }, "pointValueKopecks", /./],
    ["points that are worth nothing", { pointValueKopecks: 0 }, "pointValueKopecks", /./],
    ["a list", [], "", /./],
    [
      "more rules than allowed",
      { rules: Array.from({ length: MAX_RULES + 1 }, (_, n) => ({ id: `r${n}`, effect: "points", value: 1 })) },
      "rules",
      /200/,
    ],
    [
      "a longer list of goods than allowed",
      ruleWith({ when: { products: Array.from({ length: MAX_IDS + 1 }, String) } }),
      "rules[0].when.products",
      /1000/,
    ],
  ];
  it.each(refusals)("is refused with %s", (_, file, place, reason) => {
    const reading = read(file);
    expect(reading).toMatchObject({ kind: "refused", place, reason: expect.stringMatching(reason) });
  });

  it("may let points wait while those that are earned on the best day become active", () => {
    for (const [days, kind, months] of [
      [30, "end-of-month", 0],
      [61, "end-of-month", 1],
      [91, "end-of-quarter", 0],
      [365, "end-of-year", 0],
    ] as const)
      expect(read({ activation: { kind: "days", days }, expiry: { kind, months } })).toMatchObject({ kind: "read" });
  });

  it("that is stored stays in force when points end before they begin", () => {
    const text = JSON.stringify({ activation: { kind: "days", days: 90 }, expiry: { kind: "end-of-month" } });
    expect(readProgramme(text, { hasChannel: true, isStored: true })).toMatchObject({ kind: "read" });
  });

  it("with codes is refused while no channel carries them, with its place", () => {
    expect(read({ verification: { newCustomer: true } }, false)).toMatchObject({ kind: "refused", place: "verification.newCustomer" });
    for (const spending of ["always", 100]) {
      expect(read({ verification: { spending } }, false)).toMatchObject({ kind: "refused", place: "verification.spending" });
      expect(read({ verification: { spending } }, true)).toMatchObject({ kind: "read" });
    }
  });

  it("that is no JSON, or too long, is refused before anything else", () => {
    expect(readProgramme("{", { hasChannel: true })).toEqual({ kind: "refused", place: "", reason: "must be JSON" });
    const long = `"${" ".repeat(MAX_PROGRAMME_CHARACTERS)}"`;
    expect(readProgramme(long, { hasChannel: true })).toMatchObject({ kind: "refused", reason: expect.stringContaining("characters") });
  });

  it("has at most 60,000 brackets, colons and commas, and 32 levels", () => {
    const names = (count: number) => `{${Array.from({ length: count }, (_, at) => `"n${at}":1`).join(",")}}`;
    expect(readProgramme(names(30_001), { hasChannel: true })).toEqual({
      kind: "refused",
      place: "",
      reason: "has more than 60000 brackets, colons and commas",
    });
    const nested = "[".repeat(33) + "]".repeat(33);
    expect(readProgramme(nested, { hasChannel: true })).toMatchObject({ kind: "refused", reason: "has more than 32 levels" });
  });

  it("with thousands of unknown names is refused in a few words", () => {
    const unknown = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`name${at}`, 1]));
    const reading = readProgramme(JSON.stringify(unknown), { hasChannel: true });
    expect(reading.kind === "refused" && reading.reason.length).toBeLessThanOrEqual(300);
  });

  it("may have 200 rules", () => {
    const rules = Array.from({ length: MAX_RULES }, (_, n) => ({ id: `r${n}`, effect: "points", value: 1 }));
    expect(programmeSchema.parse({ rules }).rules).toHaveLength(MAX_RULES);
  });
});
