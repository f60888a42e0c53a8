import { describe, expect, it } from "vitest";
import { dayWords, rateWords } from "../../../../../src/cli/journal/words/limit-words.ts";

describe("what no correction can have", () => {
  it.each([
    [{ code: "not-begun", year: 2026, settledOn: "2025-12-31" }, 11, "НДС 22% began with 2026, and this was settled on 2025-12-31"],
    [{ code: "ended", year: 2025, settledOn: "2026-01-01" }, 1, "НДС 20% ended with 2025, and this was settled on 2026-01-01"],
    [{ code: "simplified-alone", taxSystem: "osn" }, 7, "НДС 5% goes with a simplified tax system alone, not with ОСН"],
    [{ code: "not-under", taxSystem: "patent" }, 2, "НДС 10% goes with no tax system of Патент"],
  ] as const)("is a rate of another day or seller, named with its line: %o", (wrong, vat, words) => {
    expect(rateWords({ line: 3, vat, ...wrong })).toBe(`lines.3.vat: ${words}`);
  });

  it.each([
    ["not-come", "it is 2026-11-13 there, and what is corrected was settled already"],
    ["before-fiscal-data", "there are no receipts with fiscal data before 2016-07-15"],
    ["no-such-day", "there is no such day"],
  ] as const)("is a day on which nothing was settled: %s", (problem, words) => {
    expect(dayWords(problem, "2026-11-13")).toBe(words);
  });
});
