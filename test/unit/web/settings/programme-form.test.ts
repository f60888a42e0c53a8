import { describe, expect, it } from "vitest";
import { readProgramme } from "../../../../src/loyalty/programme/read-programme.ts";
import { wholeFile } from "../../../../src/operator/loyalty/set-programme.ts";
import { RULES, TIERS } from "../../../../src/web/settings/loyalty/programme-fields.ts";
import { controlAt, fileIn, itemsIn, typedOf, withItem, withoutItem } from "../../../../src/web/settings/loyalty/programme-form.ts";

/** Every name of the schema, none at its default. */
const FILE = {
  name: "Друзья",
  pointValueKopecks: 50,
  earnPercent: 7.25,
  earnOnPoints: true,
  earnWhileSpending: false,
  rounding: "half-up",
  spend: { sharePercent: 30.5, leastMoneyKopecks: 1_050, step: 10, excluded: ["a", "b"] },
  activation: { kind: "days", days: 3 },
  expiry: { kind: "end-of-quarter", months: 2 },
  returns: { giveBack: false, expired: "full", graceDays: 5, clawBack: false, debt: "forget" },
  verification: { newCustomer: true, spending: 250 },
  tiers: [
    { name: "Золото", fromKopecks: 3_000_050, window: "rolling", multiplier: 1.5, percent: 0.29 },
    { name: "Все", fromKopecks: 0 },
  ],
  rules: [
    {
      id: "сумма",
      effect: "fixed-price",
      value: 99_90,
      when: {
        stores: ["s1", "s2"],
        days: ["sat", 7],
        hours: ["10:00-12:30", 18],
        products: ["p1"],
        groups: ["g1", "g2"],
        leastQuantity: 0.356,
        leastTotalKopecks: 50_000,
        tier: "Золото",
        firstPurchase: false,
        birthdayWithinDays: 0,
      },
      group: "цены",
      priority: -5,
      from: "2026-01-01",
      to: "2026-12-31",
    },
    { id: "слова", effect: "message", value: "Спасибо, приходите ещё" },
    { id: "вдвое", effect: "multiplier", value: 2 },
    { id: "набор", effect: "bundle", value: 100_00, when: { leastQuantity: 2 } },
    { id: "баллы", effect: "points", value: 5 },
  ],
  externalSearch: true,
  enrolOnSight: true,
  neverBlockSales: false,
};

const read = (text: string) => readProgramme(text, { hasChannel: true });

describe("a programme in a form", () => {
  it.each([FILE, {}, { expiry: { kind: "rolling", days: 9 }, verification: { spending: "always" } }])(
    "is the same programme when nothing was typed: %#",
    (file) => {
      const text = JSON.stringify(file);
      const made = fileIn(typedOf(wholeFile(text)));
      expect(made.kind === "file" ? read(made.text) : made).toEqual(read(text));
    },
  );

  it("names every control that cannot be read, and no other", () => {
    const typed = typedOf(wholeFile(JSON.stringify(FILE)));
    const wrong = {
      earnPercent: "1,234",
      "spend.leastMoneyRoubles": "сто",
      "tiers.0.name": " ",
      "rules.0.when.days": "пн, нд",
      "rules.4.value": "0,5",
    };
    for (const [name, value] of Object.entries(wrong)) typed.set(name, value);
    expect(fileIn(typed)).toEqual({ kind: "wrong", names: Object.keys(wrong) });
  });

  it("finds the control of a place in the file", () => {
    const typed = typedOf(wholeFile(JSON.stringify(FILE)));
    expect(
      [
        "spend.leastMoneyKopecks",
        "rules[0].when.hours[1]",
        "rules[3].when",
        "tiers[1].fromKopecks",
        "expiry",
        "rules[0].when.leastTotalKopecks",
        "",
        "rules",
      ].map((place) => controlAt(typed, place)),
    ).toEqual([
      "spend.leastMoneyRoubles",
      "rules.0.when.hours",
      "rules.3.when.products",
      "tiers.1.fromRoubles",
      "expiry.kind",
      "rules.0.when.leastTotalRoubles",
      undefined,
      undefined,
    ]);
  });

  it("gains an item at the end of a list, and closes the gap of one that goes", () => {
    const typed = typedOf(wholeFile(JSON.stringify(FILE)));
    const more = withItem(typed, TIERS, { tier: "Уровень", rule: "Правило" });
    expect([itemsIn(more, TIERS), more.get("tiers.2.name"), more.get("tiers.2.multiplier")]).toEqual([3, "Уровень 3", "1"]);
    const fewer = withoutItem(more, RULES, 1);
    expect([itemsIn(fewer, RULES), fewer.get("rules.1.id"), fewer.get("rules.0.id"), fewer.has("rules.4.id")]).toEqual([
      4,
      "вдвое",
      "сумма",
      false,
    ]);
    expect(itemsIn(withoutItem(fewer, RULES, 99), RULES)).toBe(4);
  });

  it("counts one item more than a programme may have, and no more", () => {
    const crowded = new Map(Array.from({ length: 5_000 }, (_, at) => [`rules.${at}.id`, ""] as const));
    expect(itemsIn(crowded, RULES)).toBe(201);
  });

  it("reads one part more of a list than a programme may have, and no more", () => {
    const typed = withItem(typedOf(wholeFile(undefined)), RULES, { tier: "Уровень", rule: "Правило" });
    const file = fileIn(new Map([...typed, ["rules.0.value", "1"], ["rules.0.when.products", "a,".repeat(5_000)]]));
    expect(file.kind === "file" && file.text.split('"a"').length - 1).toBe(1_001);
  });

  it("takes 50,000 parts of all lists together, and calls the controls after them wrong", () => {
    const typed = typedOf({ rules: Array.from({ length: 60 }, (_, at) => ({ id: `r${at}`, effect: "points", value: 1 })) });
    for (let at = 0; at < 60; at += 1) typed.set(`rules.${at}.when.products`, "a,".repeat(1_000));
    const read = fileIn(typed);
    const wrong = Array.from({ length: 10 }, (_, at) => `rules.${50 + at}.when.products`);
    expect(read.kind === "wrong" && read.names.filter((name) => name.endsWith("products"))).toEqual(wrong);
  });
});
