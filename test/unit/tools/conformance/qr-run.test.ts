import { describe, expect, it } from "vitest";
import { select } from "../../../../src/tools/conformance/catalogue.ts";
import { PLATFORM_NAMES } from "../../../../src/tools/sandbox/caller/names.ts";
import { examineDouble } from "../../../support/conformance-run.ts";
import { EXTENT } from "../../../support/extent.ts";

const { qrIssuer: issuer } = PLATFORM_NAMES.canonical;

describe("a run of the rules of QR payment", () => {
  // `npm test` does without this run. It breaks a sample of all rules, one at a time, in broken-servers.test.ts.
  it.runIf(EXTENT === "long")("holds a right server to all of them", async () => {
    const { judged, left } = await examineDouble(undefined, { groups: select("qr") ?? [] });
    expect(judged.filter(({ verdict }) => verdict.kind !== "held").map(({ rule, verdict }) => ({ [rule.id]: verdict }))).toEqual([]);
    expect(left).toEqual([]);
  });

  it("applies no rule that needs a paid payment where nobody pays", async () => {
    const { judged } = await examineDouble(undefined, { groups: select("qr/paid") ?? [], qr: { port: 0, issuer, paying: "none" } });
    const verdicts = judged.filter(({ rule }) => rule.id.startsWith("qr/paid/")).map(({ verdict }) => verdict.kind);
    expect(new Set(verdicts)).toEqual(new Set(["not-applicable"]));
  });

  it("cannot say anything where the server expects another issuer, and names what to mend", async () => {
    const limits = { vendorMs: 10_000, fiscalMs: 9_000, activationMs: 5_000, keysMs: 50, paidMs: 300 };
    const { judged } = await examineDouble(undefined, {
      groups: select("qr/cancel") ?? [],
      qr: { port: 0, issuer: "https://other.example", paying: "amounts" },
      limits,
    });
    const broken = judged.filter(({ verdict }) => verdict.kind === "broken");
    expect(broken.map(({ rule }) => rule.id)).toEqual(["qr/token/accepted"]);
    expect(broken[0]?.rule.mend).toContain("--issuer");
    expect(judged.filter(({ verdict }) => verdict.kind === "not-run").every(({ verdict }) => "behind" in verdict)).toBe(true);
  });
});
