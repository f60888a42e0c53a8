import { describe, expect, it } from "vitest";
import type { Why } from "../../../../src/loyalty/quote/trace.ts";
import { type Language, traceWords } from "../../../../src/loyalty/quote/trace-words.ts";
import { at, member, NOW_MS, position, programme, quoted } from "../builders.ts";

const TEA = position(10_000, 1, { productId: "tea", groupIds: ["drinks"] });
const CUP = position(30_000, 1, { productId: "cup" });

type Asked = Partial<Parameters<typeof quoted>[0]>;

function asked(rules: object[], over: Asked = {}, file: object = {}) {
  return quoted({ programme: programme({ ...file, rules }), positions: [TEA, CUP], ...over });
}

function prices(rules: object[], over: Asked = {}): number[] {
  return asked(rules, over).positions.map((each) => each.discountedPriceKopecks);
}

/** The result of one rule that gives 10 % under these conditions. */
function whyOf(rule: object, over: Asked = {}, file: object = {}): Why | undefined {
  return asked([{ id: "r", effect: "percent", value: 10, ...rule }], over, file).trace[0]?.why;
}

describe("a discount rule", () => {
  it("lowers the price of its goods by a percent, rounded half up, or to a fixed price", () => {
    expect(prices([{ id: "r", effect: "percent", value: 12.5 }])).toEqual([8_750, 26_250]);
    expect(prices([{ id: "r", effect: "percent", value: 10 }], { positions: [position(5, 1), position(4, 1)] })).toEqual([5, 4]);
    expect(prices([{ id: "r", effect: "percent", value: 30, when: { products: ["tea"] } }])).toEqual([7_000, 30_000]);
    expect(prices([{ id: "r", effect: "fixed-price", value: 9_000, when: { groups: ["drinks"] } }])).toEqual([9_000, 30_000]);
  });

  it("never makes goods dearer, and says so", () => {
    expect(whyOf({ effect: "fixed-price", value: 40_000 })).toEqual({ code: "no-gain" });
    expect(prices([{ id: "r", effect: "fixed-price", value: 20_000 }])).toEqual([10_000, 20_000]);
  });

  it("competes within its group for the buyer on each line, and adds up with other groups", () => {
    const percent = { id: "a", effect: "percent", value: 20 };
    const fixed = { id: "b", effect: "fixed-price", value: 7_000, when: { products: ["tea"] } };
    expect(prices([percent, fixed])).toEqual([7_000, 24_000]);
    expect(prices([percent, { ...fixed, group: "tea" }])).toEqual([5_000, 24_000]);
    const weak = { id: "c", effect: "percent", value: 5 };
    expect(asked([percent, fixed, weak]).trace).toEqual([
      { rule: "a", matched: true, why: { code: "discounted", lines: 1 } },
      { rule: "b", matched: true, why: { code: "discounted", lines: 1 } },
      { rule: "c", matched: false, why: { code: "outdone", by: "b" } },
    ]);
  });

  it("is capped at the price of the line", () => {
    const rules = ["a", "b", "c"].map((group) => ({ id: group, group, effect: "percent", value: 40 }));
    expect(prices(rules)).toEqual([0, 0]);
  });

  it("of equal worth wins by priority and then by id", () => {
    const rule = (id: string, priority: number) => ({ id, priority, effect: "percent", value: 10 });
    const winner = (rules: object[]) => asked(rules).trace.find(({ matched }) => matched)?.rule;
    expect(winner([rule("a", 2), rule("b", 1)])).toBe("b");
    expect(winner([rule("b", 1), rule("a", 1)])).toBe("a");
    expect(asked([rule("b", 1), rule("a", 1)])).toEqual(asked([rule("a", 1), rule("b", 1)]));
  });
});

describe("a set price", () => {
  it("holds for one piece of each product, as many times as the receipt has them, shared out by price", () => {
    const rules = [{ id: "set", effect: "bundle", value: 36_000, when: { products: ["tea", "cup"] } }];
    expect(prices(rules)).toEqual([9_000, 27_000]);
    const two = asked(rules, {
      positions: [
        { ...TEA, quantityMillionths: 3_000_000 },
        { ...CUP, quantityMillionths: 2_000_000 },
      ],
    });
    expect(two.discountKopecks).toBe(8_000);
    expect(asked(rules, { positions: [TEA] }).trace).toEqual([{ rule: "set", matched: false, why: { code: "set-incomplete" } }]);
  });

  it("holds for any so many pieces, the dearest first", () => {
    const rules = [{ id: "set", effect: "bundle", value: 30_000, when: { leastQuantity: 2 } }];
    expect(asked(rules, { positions: [TEA, CUP, { ...TEA, productId: "mug" }] }).discountKopecks).toBe(10_000);
    expect(asked(rules, { positions: [TEA, { ...TEA, productId: "mug" }] }).trace[0]?.why).toEqual({ code: "no-gain" });
  });

  it("does not hold for a line with a fraction of a piece, because such goods are sold by measure", () => {
    const weighed = { ...TEA, quantityMillionths: 1_500_000 };
    const named = [{ id: "set", effect: "bundle", value: 100, when: { products: ["tea", "cup"] } }];
    const counted = [{ id: "set", effect: "bundle", value: 100, when: { leastQuantity: 2 } }];
    for (const rules of [named, counted]) {
      expect(asked(rules, { positions: [weighed, CUP] }).trace[0]?.why).toEqual({ code: "set-incomplete" });
      expect(asked(rules, { positions: [TEA, CUP] }).discountKopecks).toBeGreaterThan(0);
    }
  });

  it("competes as a whole with the other rules of its group", () => {
    const set = { id: "set", effect: "bundle", value: 36_000, when: { products: ["tea", "cup"] } };
    expect(asked([set, { id: "p", effect: "percent", value: 20 }]).trace).toEqual([
      { rule: "p", matched: true, why: { code: "discounted", lines: 2 } },
      { rule: "set", matched: false, why: { code: "outdone", by: "p" } },
    ]);
    expect(asked([set, { id: "p", effect: "percent", value: 5 }]).trace).toEqual([
      { rule: "p", matched: false, why: { code: "outdone", by: "set" } },
      { rule: "set", matched: true, why: { code: "discounted", lines: 2 } },
    ]);
  });
});

describe("the conditions of a rule", () => {
  const gold = { tiers: [{ name: "gold", fromKopecks: 1 }] };
  const holds: [string, object, Asked, object][] = [
    ["the point of sale", { when: { stores: ["other", "store"] } }, {}, {}],
    ["the day", { when: { days: ["wed"] } }, {}, {}],
    ["the hour", { when: { hours: ["11:30-12:01"] } }, {}, {}],
    ["an hour past midnight", { when: { hours: ["22:00-02:00"] } }, { nowMs: at("2026-03-18 01:59:59") }, {}],
    ["the quantity", { when: { leastQuantity: 2 } }, {}, {}],
    ["the total", { when: { leastTotalKopecks: 40_000 } }, {}, {}],
    ["the tier", { when: { tier: "gold" } }, { member: member(0, { tier: "gold" }) }, gold],
    ["the first purchase", { when: { firstPurchase: true } }, { member: member(0, { hasBought: false }) }, {}],
    ["a later purchase", { when: { firstPurchase: false } }, {}, {}],
    ["the birthday", { when: { birthdayWithinDays: 3 } }, { member: member(0, { birthday: "03-21" }) }, {}],
    [
      "a birthday over the year's end",
      { when: { birthdayWithinDays: 2 } },
      { nowMs: at("2026-12-31 23:00:00"), member: member(0, { birthday: "01-02" }) },
      {},
    ],
    ["the first day", { from: "2026-03-18" }, { nowMs: at("2026-03-18 00:00:00") }, {}],
    ["the last day to its end", { to: "2026-03-18" }, { nowMs: at("2026-03-18 23:59:59") }, {}],
  ];
  it.each(holds)("hold for %s", (_, rule, over, file) => {
    expect(whyOf(rule, over, file)).toMatchObject({ code: "discounted" });
  });

  const fails: [string, object, Asked, object, Why][] = [
    ["the point of sale", { when: { stores: ["other"] } }, {}, {}, { code: "store", storeId: "store" }],
    ["the day", { when: { days: [1, 2] } }, {}, {}, { code: "day", day: 3 }],
    [
      "the day of the shop's zone",
      { when: { days: ["wed"] } },
      { zone: "Asia/Vladivostok", nowMs: at("2026-03-18 18:00:00") },
      {},
      { code: "day", day: 4 },
    ],
    ["the hour", { when: { hours: ["11:00-12:00"] } }, {}, {}, { code: "hour", minute: 720 }],
    ["the goods", { when: { products: ["coffee"] } }, {}, {}, { code: "goods" }],
    [
      "the quantity",
      { when: { products: ["tea"], leastQuantity: 1.5 } },
      {},
      {},
      { code: "quantity", leastMillionths: 1_500_000, foundMillionths: 1_000_000 },
    ],
    ["the total", { when: { leastTotalKopecks: 40_001 } }, {}, {}, { code: "total", leastKopecks: 40_001, foundKopecks: 40_000 }],
    ["the tier", { when: { tier: "gold" } }, {}, gold, { code: "tier", wanted: "gold", has: null }],
    ["the first purchase", { when: { firstPurchase: true } }, {}, {}, { code: "first-purchase", wanted: true }],
    ["a birthday that nobody knows", { when: { birthdayWithinDays: 3 } }, {}, {}, { code: "birthday", withinDays: 3, daysAway: null }],
    [
      "a far birthday",
      { when: { birthdayWithinDays: 3 } },
      { member: member(0, { birthday: "03-14" }) },
      {},
      { code: "birthday", withinDays: 3, daysAway: 4 },
    ],
    ["the first day", { from: "2026-03-19" }, {}, {}, { code: "not-yet", from: "2026-03-19" }],
    ["the last day", { to: "2026-03-17" }, {}, {}, { code: "over", to: "2026-03-17" }],
  ];
  it.each(fails)("fail by %s and say why", (_, rule, over, file, why) => {
    expect(whyOf(rule, over, file)).toEqual(why);
  });
});

describe("earning", () => {
  it("is the money part times the percent by the value of a point, rounded once as the programme says", () => {
    const earned = (file: object) => asked([], { positions: [position(33_333, 1), position(33_333, 1)] }, file).earnPoints;
    // 666.66 × 5 % = 33.333
    expect([earned({}), earned({ rounding: "half-up" }), earned({ rounding: "up" })]).toEqual([33, 33, 34]);
    expect(earned({ pointValueKopecks: 10 })).toBe(333);
    expect(earned({ earnPercent: 0 })).toBe(0);
  });

  it("takes the percent of the tier and multiplies the result", () => {
    const tiers = [{ name: "gold", fromKopecks: 1, percent: 10, multiplier: 1.5 }];
    expect(asked([], { member: member(0, { tier: "gold" }) }, { tiers }).earnPoints).toBe(60);
    expect(asked([], {}, { tiers }).earnPoints).toBe(20);
  });

  it("counts multipliers of lines: the highest of a group, and groups add up", () => {
    const twice = { id: "a", effect: "multiplier", value: 2, when: { products: ["tea"] } };
    expect(asked([twice]).earnPoints).toBe(25);
    expect(asked([twice, { id: "b", effect: "multiplier", value: 3 }]).trace).toEqual([
      { rule: "a", matched: false, why: { code: "outdone", by: "b" } },
      { rule: "b", matched: true, why: { code: "multiplied", factorHundredths: 300, lines: 2 } },
    ]);
    expect(asked([twice, { id: "b", group: "other", effect: "multiplier", value: 3 }]).earnPoints).toBe(65);
    expect(asked([{ id: "none", effect: "multiplier", value: 0, when: { products: ["cup"] } }]).earnPoints).toBe(5);
  });

  it("adds the points of rules after the rounding", () => {
    const rules = [10, 30].map((value) => ({ id: `p${value}`, effect: "points", value }));
    expect(asked(rules).earnPoints).toBe(50);
    expect(asked(rules).trace.map(({ matched }) => matched)).toEqual([false, true]);
  });

  it("leaves out what points pay, or counts it, or stops in a sale that spends", () => {
    const over: Asked = { member: member(200), transactionType: "SPENDING" };
    const rules = [{ id: "p", effect: "points", value: 7 }];
    expect(asked(rules, over).earnPoints).toBe(17);
    expect(asked(rules, over, { earnOnPoints: true }).earnPoints).toBe(27);
    const stopped = asked(rules, over, { earnWhileSpending: false });
    expect(stopped).toMatchObject({ earnPoints: 0, trace: [{ rule: "p", matched: false, why: { code: "spending" } }] });
    expect(asked(rules, {}, { earnWhileSpending: false }).earnPoints).toBe(27);
  });

  it("odoo/odoo#177312, #150833: comes from what is paid, so a line that costs nothing earns nothing and qualifies for nothing", () => {
    const gift = position(5_000, 1, { productId: "gift" });
    const answer = asked([{ id: "g", effect: "percent", value: 100, when: { products: ["gift"] } }], { positions: [TEA, gift] });
    expect(answer).toMatchObject({ earnPoints: 5, lines: [{ netKopecks: 10_000 }, { netKopecks: 0, earningKopecks: 0 }] });
  });
});

describe("a message", () => {
  it("is told in the order of the rules, whatever its group", () => {
    const rules = [
      { id: "b", effect: "message", value: "second" },
      { id: "a", effect: "message", value: "first" },
      { id: "c", effect: "message", value: "never", when: { stores: ["other"] } },
    ];
    expect(asked(rules).messages).toEqual(["first", "second"]);
  });
});

describe("the words of a trace", () => {
  const whys: Why[] = [
    { code: "discounted", lines: 2 },
    { code: "multiplied", factorHundredths: 150, lines: 1 },
    { code: "added", points: 5 },
    { code: "said" },
    { code: "outdone", by: "b" },
    { code: "no-gain" },
    { code: "free" },
    { code: "spending" },
    { code: "store", storeId: "s" },
    { code: "not-yet", from: "2026-01-01" },
    { code: "over", to: "2026-01-01" },
    { code: "day", day: 7 },
    { code: "hour", minute: 75 },
    { code: "goods" },
    { code: "quantity", leastMillionths: 1_500_000, foundMillionths: 1_000_000 },
    { code: "set-incomplete" },
    { code: "total", leastKopecks: 100, foundKopecks: 50 },
    { code: "tier", wanted: "gold", has: null },
    { code: "tier", wanted: "gold", has: "silver" },
    { code: "first-purchase", wanted: true },
    { code: "first-purchase", wanted: false },
    { code: "birthday", withinDays: 3, daysAway: 5 },
    { code: "birthday", withinDays: 3, daysAway: null },
  ];

  it("tell every reason apart in both languages", () => {
    for (const language of ["ru", "en"] satisfies Language[]) {
      const words = whys.map((why) => traceWords(why, language));
      expect(new Set(words).size).toBe(whys.length);
      expect(words.every((each) => /[А-я]/.test(each) === (language === "ru"))).toBe(true);
    }
    expect(traceWords({ code: "quantity", leastMillionths: 1_500_000, foundMillionths: 1_000_000 }, "ru")).toBe(
      "нужно количество 1.5, в чеке 1",
    );
  });
});

describe("many rules", () => {
  it("look at the lines of their own goods only, and all are told of", () => {
    const rules = Array.from({ length: 200 }, (_, n) => ({
      id: `r${n}`,
      effect: "percent",
      value: 1 + (n % 50),
      when: { products: [`p${n}`] },
    }));
    const positions = Array.from({ length: 500 }, (_, n) => position(10_000 + n, 1, { productId: `p${n}` }));
    const answer = quoted({ programme: programme({ rules }), positions, nowMs: NOW_MS });
    expect(answer.trace.filter(({ matched }) => matched)).toHaveLength(200);
    expect(answer.positions.filter((each) => each.discountPercentHundredths > 0)).toHaveLength(200);
  });
});
