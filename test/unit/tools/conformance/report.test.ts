import { describe, expect, it } from "vitest";
import { PLATFORM_PROFILES } from "../../../../src/kernel/platform-profile.ts";
import { GROUPS } from "../../../../src/tools/conformance/catalogue.ts";
import { exitCodeOf, jsonReport, linesOf, quietLines, tailLines } from "../../../../src/tools/conformance/report.ts";
import type { Rule } from "../../../../src/tools/conformance/rules/rule.ts";
import type { Judged, Verdict } from "../../../../src/tools/conformance/run.ts";
import { PLATFORM_NAMES } from "../../../../src/tools/sandbox/caller/names.ts";
import { DOUBLE_APP } from "../../../support/double-vendor.ts";

const [firstRule, secondRule] = GROUPS.flatMap(({ rules }) => rules).filter(({ id }) => id.startsWith("vendor/token/")) as [Rule, Rule];
const judge = (verdict: Verdict, rule: Rule = firstRule): Judged => ({ group: "vendor/activation", rule, verdict });

const HELD = judge({ kind: "held" });
const REQUEST = { method: "PUT", url: "http://127.0.0.1:8080/vendor", headers: {}, body: '{"cause":"Install"}' };
const BROKEN = judge({ kind: "broken", sent: "PUT http://…", seen: "the status is not 200: 500", request: REQUEST }, secondRule);
const UNKNOWN = judge({ kind: "not-run", why: "it says nothing" });
const IDLE = judge({ kind: "not-applicable", why: "the descriptor has no popups" });

describe("the exit code of a conformance run", () => {
  it("is 0 when every rule that applies is held", () => {
    expect(exitCodeOf({ judged: [HELD, IDLE], left: [] })).toBe(0);
  });

  it("is 1 when a rule is broken, whatever else could not be found out", () => {
    expect(exitCodeOf({ judged: [HELD, BROKEN, UNKNOWN], left: ["an account"] })).toBe(1);
  });

  it("is 2 when something could not be found out, was left behind, or nothing was looked at", () => {
    expect(exitCodeOf({ judged: [HELD, UNKNOWN], left: [] })).toBe(2);
    expect(exitCodeOf({ judged: [HELD], left: ["an account"] })).toBe(2);
    expect(exitCodeOf({ judged: [], left: [] })).toBe(2);
  });
});

describe("the report of a conformance run", () => {
  it("tells of a broken rule what was sent, expected and seen, where it is written and what to mend", () => {
    expect(linesOf(BROKEN, PLATFORM_PROFILES.canonical)).toEqual([
      `BROKEN         ${secondRule.id}: ${secondRule.title}`,
      "    sent      PUT http://…",
      `    expected  ${secondRule.expected}`,
      "    seen      the status is not 200: 500",
      `    source    ${secondRule.source} (${secondRule.clause})`,
      `    to mend   ${secondRule.mend}`,
    ]);
  });

  it("tells what to mend of what was seen, where that says more than the rule", () => {
    const told = judge({ kind: "broken", sent: "", seen: "401", mend: "Give X-Platform-Fiscal-Signature." });
    expect(linesOf(told, PLATFORM_PROFILES.production).at(-1)).toBe("    to mend   Give X-Lognex-Fiscal-Signature.");
  });

  it("speaks of the names of the profile in force", () => {
    const signed = GROUPS.flatMap(({ rules }) => rules).find(({ id }) => id === "fiscal/signature/accepted") as Rule;
    const lines = linesOf(judge({ kind: "broken", sent: "", seen: "" }, signed), PLATFORM_PROFILES.production).join();
    expect(lines).toContain("X-Lognex-Fiscal-Signature");
    expect(lines).not.toContain("X-Platform-");
  });

  it("gives every other rule one line", () => {
    expect([HELD, UNKNOWN, IDLE].map((judged) => linesOf(judged, PLATFORM_PROFILES.canonical))).toEqual([
      [`held           ${firstRule.id}: ${firstRule.title}`],
      [`could not run  ${firstRule.id}: it says nothing`],
      [`does not apply ${firstRule.id}: the descriptor has no popups`],
    ]);
  });

  it("shows, when it has to be quiet, what is broken and once why other rules could not run", () => {
    const behind = judge({ kind: "not-run", why: "it says nothing while another is not held", behind: secondRule.id });
    const judged = [HELD, BROKEN, UNKNOWN, UNKNOWN, IDLE, behind];
    expect(quietLines({ judged, left: [] }, PLATFORM_PROFILES.canonical)).toEqual([
      `could not run  ${firstRule.id}: it says nothing`,
      "    and 1 more for the same reason",
      ...linesOf(BROKEN, PLATFORM_PROFILES.canonical),
    ]);
  });

  it("tells at its end how many rules could not run behind which one, and has no line for each", () => {
    const behind = (id: string) => judge({ kind: "not-run", why: "it says nothing", behind: id });
    const judged = [BROKEN, behind(secondRule.id), behind("vendor/token/retry"), behind(secondRule.id)];
    expect(judged.slice(1).flatMap((item) => linesOf(item, PLATFORM_PROFILES.canonical))).toEqual([]);
    expect(tailLines({ judged, left: [] }, { drives: [], met: [], hasJson: true }).slice(0, 3)).toEqual([
      `2 rules could not run behind ${secondRule.id}: mend that first`,
      "1 rule could not run behind vendor/token/retry: mend that first",
      `to mend, in this order: ${secondRule.id}`,
    ]);
  });

  it("ends with what to mend, what is left behind, the drives and the counts", () => {
    const drives = ["9999000000000001", "2", "3", "4", "5"];
    expect(tailLines({ judged: [HELD, BROKEN], left: ["account 1"] }, { drives, met: ["account 2"], hasJson: false })).toEqual([
      `to mend, in this order: ${secondRule.id}`,
      "the whole requests and answers are in the report of --json FILE",
      "left behind: account 1",
      "another run: account 2",
      "drives that answered: 9999000000000001, 2, 3 and 2 more",
      "2 rules: 1 held, 1 broken, 0 could not run, 0 does not apply",
    ]);
  });

  it("is there for programs too, without the secret", () => {
    const target = {
      solution: { ...DOUBLE_APP, names: PLATFORM_NAMES.canonical },
      ownCredentials: true,
      profile: PLATFORM_PROFILES.canonical,
      vendor: { origin: "http://127.0.0.1:8080", path: "/vendor" },
      fiscal: undefined,
      qr: undefined,
      loyalty: undefined,
      descriptor: undefined,
    };
    const report = jsonReport(
      { judged: [HELD, BROKEN, UNKNOWN], left: [] },
      { target, permission: "own-set", sources: ["seed"], drives: [], met: [] },
    );
    expect(report).toMatchObject({
      exitCode: 1,
      target: { vendor: "http://127.0.0.1:8080/vendor", profile: "canonical" },
      sources: ["seed"],
      counts: { held: 1, broken: 1, "could-not-run": 1, "does-not-apply": 0 },
      rules: [
        { id: firstRule.id, verdict: "held" },
        { id: secondRule.id, verdict: "broken", sent: "PUT http://…", request: REQUEST, mend: secondRule.mend },
        { verdict: "could-not-run", why: "it says nothing" },
      ],
    });
    expect(JSON.stringify(report)).not.toContain(DOUBLE_APP.secretKey);
  });
});
