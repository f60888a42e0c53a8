import { describe, expect, it } from "vitest";
import type { Entry } from "../../../../src/journal/entry.ts";
import { planCorrections, type StepsRequest } from "../../../../src/operator/corrections/correction-steps.ts";
import { entryContent, IDENTITY, saleDocument, saleFacts } from "../../../support/journal-entries.ts";

const TODAY = "2026-03-02";

function entry(changed: Partial<Entry> = {}): Entry {
  return { ...entryContent(), id: 5, state: "done", attempt: 1, acceptedAtMs: 0, movedAtMs: 0, facts: saleFacts(), ...changed };
}

function refusal(request: Partial<StepsRequest>, changed: Partial<Entry> = {}): unknown {
  const planned = planCorrections(entry(changed), { today: TODAY, ...request });
  return planned.kind === "refused" ? planned.because : planned;
}

describe("the steps that repair an entry", () => {
  it("are the undoing, and the right data behind it", () => {
    const right = { ...saleDocument(), buyerContact: "+79990000000" };
    const planned = planCorrections(entry(), { today: TODAY, right });
    const steps = planned.kind === "plan" ? planned.corrections.map(({ operation: { step, settlement } }) => [step, settlement.sign]) : [];
    expect(steps).toEqual([
      ["undo", 2],
      ["redo", 1],
    ]);
  });

  it("are one where it was never registered, and none where there is a receipt to undo beside", () => {
    const { facts: _, ...unmade } = entry({ state: "refused" });
    const planned = planCorrections(unmade, { today: TODAY });
    expect(planned.kind === "plan" && planned.corrections.map(({ operation }) => operation.step)).toEqual(["missed"]);
    const other = planCorrections(unmade, { today: TODAY, fiscalSign: "0000000001" });
    expect(other).toEqual({ kind: "refused", because: { code: "nothing-to-undo" } });
  });

  it.each<[string, unknown, Partial<StepsRequest>, Partial<Entry>?]>([
    ["a report", { code: "no-receipt" }, {}, { document: { kind: "close-shift", reference: "r" } }],
    [
      "a day that has not come",
      { code: "day-impossible", settledOn: "2026-03-03", today: TODAY, problem: "not-come" },
      { settledOn: "2026-03-03" },
    ],
    ["an entry in doubt", { code: "not-ended" }, {}, { state: "in-doubt" }],
    [
      "a receipt under a format without corrections of returns",
      { code: "returns-uncorrectable" },
      {},
      { facts: { ...saleFacts(), identity: { ...IDENTITY, ffd: "1.05" } } },
    ],
    ["right data of another document", { code: "right-of-other-document" }, { right: { ...saleDocument(), reference: "another" } }],
    ["another cashier", { code: "field-fixed", field: "cashierName" }, { right: { ...saleDocument(), cashierName: "Другая" } }],
    ["another sign", { code: "sign-differs", right: 2, wrong: 1 }, { right: { ...saleDocument(), sign: 2 } }],
    ["another sign than was said", { code: "sign-not-as-said", right: 1, said: 2 }, { right: saleDocument(), settles: 2 }],
    ["what was registered", { code: "nothing-new" }, { right: saleDocument() }],
  ])("are refused by a code for %s", (_, because, request, changed) => {
    expect(refusal(request, changed)).toEqual(because);
  });
});
