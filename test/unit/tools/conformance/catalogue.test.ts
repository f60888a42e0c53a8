import { describe, expect, it } from "vitest";
import { GROUPS, needsOf, ofSources, select, without } from "../../../../src/tools/conformance/catalogue.ts";

const rules = GROUPS.flatMap((group) => group.rules.map((rule) => ({ group, rule })));
const idsOf = (groups: ReturnType<typeof select>) => groups?.flatMap((group) => group.rules.map(({ id }) => id));

describe("the rules of a conformance run", () => {
  it("have names of their own, each below its group's", () => {
    const ids = rules.map(({ rule }) => rule.id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(
      rules.filter(({ group, rule }) => !/^[a-z]+\/[a-z-]+\/[a-z0-9-]+$/.test(rule.id) || !rule.id.startsWith(`${group.id}/`)),
    ).toEqual([]);
  });

  it("need only rules that stand before them", () => {
    const seen: string[] = [];
    for (const { group, rule } of rules) {
      expect(needsOf(group, rule).filter((id) => !seen.includes(id))).toEqual([]);
      seen.push(rule.id);
    }
  });

  it("say what is expected and what to mend without a look into the references", () => {
    const vague = rules.filter(({ rule }) => rule.expected.length < 25 || rule.mend.length < 20 || rule.clause.length < 5);
    expect(vague.map(({ rule }) => rule.id)).toEqual([]);
    expect(
      rules
        .filter(({ rule }) => /interface \d|platform-contracts|fiscal-receipts|\bseed\b/.test(rule.expected + rule.mend))
        .map(({ rule }) => rule.id),
    ).toEqual([]);
    // An expectation of a status alone is only clear together with the title.
    const leaning = rules.filter(({ rule }) => /^\d{3}( or \d{3})?( and( code)? \d+)?( again)?[:;]/.test(rule.expected));
    expect(leaning.map(({ rule }) => rule.id)).toEqual([]);
  });

  it("of the platform's own documents need none that was decided, so that they can be run without those", () => {
    const decided = new Set(rules.filter(({ rule }) => rule.source === "decided").map(({ rule }) => rule.id));
    const dependent = rules.filter(({ group, rule }) => rule.source !== "decided" && needsOf(group, rule).some((id) => decided.has(id)));
    expect(dependent.map(({ rule }) => rule.id)).toEqual([]);
  });

  it("come with a source that their clause speaks of", () => {
    expect(rules.filter(({ rule }) => rule.source === "seed" && !rule.clause.includes("seed")).map(({ rule }) => rule.id)).toEqual([]);
  });
});

describe("a part of the rules", () => {
  it("is one rule with what it needs, in the order of a run", () => {
    expect(idsOf(select("fiscal/repeat/written-differently"))).toEqual([
      "vendor/activation/status",
      "fiscal/signature/accepted",
      "fiscal/answer/retaildemand",
      "fiscal/repeat/same-answer",
      "fiscal/repeat/written-differently",
    ]);
  });

  it("is all rules below a name", () => {
    expect(
      idsOf(select("descriptor/access"))
        ?.slice(1)
        .every((id) => id.startsWith("descriptor/access/")),
    ).toBe(true);
    expect(idsOf(select("vendor/token"))?.length).toBeGreaterThan(8);
  });

  it("does not exist under a name that is only a beginning of one", () => {
    for (const name of ["", "fisc", "fiscal/repeat/same", "nonsense"]) expect(select(name)).toBeUndefined();
  });

  it("is what comes from some sources alone", () => {
    const ids = idsOf(ofSources(["seed", "public"])) ?? [];
    expect(ids).toContain("fiscal/path/served");
    expect(ids).toContain("fiscal/drawer/scale");
    expect(ids).not.toContain("fiscal/repeat/same-answer");
    expect(ids.length).toBe(rules.filter(({ rule }) => rule.source !== "decided").length);
  });

  it("is everything but a contract", () => {
    const ids = idsOf(without("descriptor")) ?? [];
    expect(ids.some((id) => id.startsWith("descriptor/"))).toBe(false);
    expect(ids.length).toBe(rules.filter(({ rule }) => !rule.id.startsWith("descriptor/")).length);
  });
});
