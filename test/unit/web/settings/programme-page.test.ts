import { describe, expect, it } from "vitest";
import { sayIn } from "../../../../src/web/language.ts";
import type { PageContext } from "../../../../src/web/settings/context.ts";
import { typedOf } from "../../../../src/web/settings/loyalty/programme-form.ts";
import { programmeSection } from "../../../../src/web/settings/loyalty/programme-page.ts";
import { longestTurnWithin, TRIES } from "../../../support/hostile/longest-turn.ts";

const BOUND_MS = 50;

const CONTEXT = { say: sayIn("ru"), language: "ru", mayChange: true, nowMs: 0 } as PageContext;
const RULES = Array.from({ length: 200 }, (_, index) => ({ id: `rule-${index}`, effect: "percent", value: 5, when: { tier: "gold" } }));
const TIERS = Array.from({ length: 20 }, (_, index) => ({ name: `tier-${index}`, fromKopecks: index }));
const pointsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    id: `0000-${index}`,
    name: `Магазин на улице № ${index}`,
    archived: false,
    hasSettings: false,
  }));

describe("the form of the largest programme", () => {
  it.each([3, 200, 300, 1_000])("is drawn in steps, with %i points of sale to choose from", async (count) => {
    const view = { version: 1, typed: typedOf({ rules: RULES, tiers: TIERS }), problems: new Map(), points: pointsOf(count) };
    const turn = await longestTurnWithin(BOUND_MS, TRIES, async () => String(await programmeSection(CONTEXT, view)));
    expect(turn.result.match(/id="item-rules-\d+"/g)).toHaveLength(200);
    expect(turn.result.length).toBeLessThan(8_000_000);
    expect(turn.cpuMs).toBeLessThan(turn.allowedMs);
  });
});
