import { expect, it } from "vitest";
import { LineBudget } from "../../../src/http/line-budget.ts";
import { keptLog } from "../../support/http-server.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

function scene() {
  const clock = new VirtualClock(0);
  const { log, lines } = keptLog();
  const budget = new LineBudget({ clock, log });
  const taken = (text: string, count: number) => Array.from({ length: count }, () => budget.take(text)).filter(Boolean).length;
  return { clock, lines, taken };
}

it("the first lines of a kind are written, and then five a second", async () => {
  const { clock, taken } = scene();
  expect(taken("refused", 1_000)).toBe(50);
  await clock.advance(2_000);
  expect(taken("refused", 1_000)).toBe(10);
});

it("one kind takes nothing from another", () => {
  const { taken } = scene();
  taken("refused", 1_000);
  expect(taken("not proved", 1_000)).toBe(50);
});

it("what was left out is counted and said", async () => {
  const { clock, lines, taken } = scene();
  taken("refused", 80);
  await clock.advance(10_000);
  expect(lines.map(({ values }) => values)).toEqual([{ lines: "refused", leftOut: 30 }]);
  await clock.advance(60_000);
  expect(lines).toHaveLength(1);
});

it("kinds without number share one budget", () => {
  const { taken } = scene();
  const written = Array.from({ length: 10_000 }, (_, index) => taken(`kind ${index}`, 1));
  expect(written.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(250);
});
