import { describe, expect, it } from "vitest";
import { GROUPS, select } from "../../../../src/tools/conformance/catalogue.ts";
import type { Judged } from "../../../../src/tools/conformance/run.ts";
import { BROKEN_DESCRIPTORS, WHOLE_DESCRIPTOR } from "../../../support/broken-descriptor.ts";
import { BROKEN_FISCAL } from "../../../support/broken-fiscal.ts";
import { BROKEN_LOYALTY } from "../../../support/broken-loyalty.ts";
import { BROKEN_QR } from "../../../support/broken-qr.ts";
import { BROKEN_VENDOR, type BrokenServers } from "../../../support/broken-vendor.ts";
import { dependantsOf, examineDouble, groupWith } from "../../../support/conformance-run.ts";
import { sample } from "../../../support/extent.ts";

const BROKEN: BrokenServers = { ...BROKEN_VENDOR, ...BROKEN_FISCAL, ...BROKEN_QR, ...BROKEN_LOYALTY };
const RULES = GROUPS.flatMap(({ rules }) => rules.map(({ id }) => id));

/** The number of rules that `npm test` breaks, of more than three hundred. */
const SHORT_COUNT = 7;

/** Expects that only this rule is broken, and that only rules that need it could not run. */
function expectOnly(id: string, judged: readonly Judged[]) {
  const broken = judged.filter(({ verdict }) => verdict.kind === "broken");
  expect(broken.map(({ rule, verdict }) => (rule.id === id ? rule.id : { [rule.id]: verdict }))).toEqual([id]);
  const dependants = dependantsOf(id);
  const unknown = judged.filter(({ rule, verdict }) => verdict.kind === "not-run" && !dependants.has(rule.id));
  expect(unknown.map(({ rule, verdict }) => ({ [rule.id]: verdict }))).toEqual([]);
}

describe("a server that breaks one rule is found out, by that rule alone", () => {
  it("and there is such a server for every rule", () => {
    expect([...Object.keys(BROKEN), ...Object.keys(BROKEN_DESCRIPTORS)].toSorted()).toEqual(RULES.toSorted());
  });

  it.each(sample(Object.keys(BROKEN), SHORT_COUNT))("%s", async (id) => {
    const { broken, limits } = BROKEN[id]?.() ?? {};
    // The evidence of the drive has tests of its own.
    const permission = "for-real";
    const { judged } = await examineDouble(broken, { groups: groupWith(id), permission, ...(limits === undefined ? {} : { limits }) });
    expectOnly(id, judged);
  });

  const descriptorGroups = select("descriptor") ?? [];

  it("and the descriptor with every block breaks none", async () => {
    const { judged } = await examineDouble(undefined, { groups: descriptorGroups, descriptor: WHOLE_DESCRIPTOR });
    expect(judged.filter(({ verdict }) => verdict.kind !== "held")).toEqual([]);
  });

  it.each(Object.entries(BROKEN_DESCRIPTORS))("%s in a descriptor", async (id, [right, wrong]) => {
    expect(WHOLE_DESCRIPTOR).toContain(right);
    const { judged } = await examineDouble(undefined, { groups: descriptorGroups, descriptor: WHOLE_DESCRIPTOR.replace(right, wrong) });
    expectOnly(id, judged);
  });
});
