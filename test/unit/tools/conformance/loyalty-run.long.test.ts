import { describe, expect, it } from "vitest";
import { select } from "../../../../src/tools/conformance/catalogue.ts";
import { examineDouble } from "../../../support/conformance-run.ts";

describe("a run of the rules of loyalty", () => {
  it("holds a right server to all of them", async () => {
    const { judged, left } = await examineDouble(undefined, { groups: select("loyalty") ?? [] });
    expect(
      judged
        .filter(({ verdict }) => verdict.kind !== "held" && verdict.kind !== "not-applicable")
        .map(({ rule, verdict }) => ({ [rule.id]: verdict })),
    ).toEqual([]);
    expect(judged.filter(({ verdict }) => verdict.kind === "not-applicable").map(({ rule }) => rule.id)).toEqual([
      "loyalty/required/search",
    ]);
    expect(left).toEqual([]);
  });
});
