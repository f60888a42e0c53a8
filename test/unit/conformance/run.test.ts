import { describe, expect, it } from "vitest";
import { without } from "../../../src/conformance/catalogue.ts";
import { examineDouble } from "../../support/conformance-run.ts";

describe("a conformance run", () => {
  it("finds nothing wrong with a server that is right", async () => {
    const { judged, left } = await examineDouble(undefined, { groups: without("descriptor") });
    expect(
      judged
        .filter(({ verdict }) => verdict.kind === "broken" || verdict.kind === "not-run")
        .map(({ rule, verdict }) => [rule.id, verdict]),
    ).toEqual([]);
    expect(left).toEqual([]);
  });
});
