import { describe, expect, it } from "vitest";
import { correctionRemedy, refusalWords } from "../../../../../src/cli/journal/words/refusal-words.ts";
import type { Refusal } from "../../../../../src/model/refusal.ts";

describe("why a correction is refused", () => {
  it.each<[string, Refusal, string]>([
    [
      "the device says so",
      { code: "device-refused", device: { code: "4Fh", words: "Нет бумаги" }, details: { reason: "unheard" } },
      "device-refused: Нет бумаги (4Fh)",
    ],
    [
      "the tax system is not the register's",
      { code: "device-refused", details: { problem: "tax-system-unregistered", taxSystem: "usn-income" } },
      "device-refused: the register was not registered for УСН доход",
    ],
    [
      "the drawer is too empty",
      { code: "cash-short", details: { problem: "drawer-too-empty", missingKopecks: "10980" } },
      "cash-short: 109.80 are missing in the drawer by then: put them in first",
    ],
    [
      "the day has not come at the register",
      { code: "not-correctable", details: { problem: "day-impossible", day: "not-come", settledOn: "2026-11-14", today: "2026-11-13" } },
      "not-correctable: tag 1178, 2026-11-14: it is 2026-11-13 there, and what is corrected was settled already",
    ],
    ["no more is known", { code: "lane-full", details: { problem: "not-listed" } }, "lane-full"],
  ])("is told where %s", (_, refusal, words) => {
    expect(refusalWords(refusal)).toBe(words);
  });

  it("comes with what to do, and that nothing is made twice", () => {
    for (const code of ["shift-closed", "no-paper"] as const) {
      expect(correctionRemedy({ code })).toMatch(/say the same again: what is registered already is not registered twice\.$/);
    }
  });
});
