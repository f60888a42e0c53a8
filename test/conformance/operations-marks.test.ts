import { describe, expect, it } from "vitest";
import type { TradeOperation } from "../../src/model/operation.ts";
import { saleOperation, Till, textOf } from "../support/till.ts";

const GS = "\u001d";
const MARK = `010460000000000821abcdefghijklm${GS}91EE10${GS}92${"x".repeat(44)}`;

/** One marked pair of shoes and one without a mark, for 109.80 together. */
function shoes(id: string, mark: string, kind: TradeOperation["kind"] = "sale"): TradeOperation {
  const plain = saleOperation(id, { kind });
  return { ...plain, positions: plain.positions.map((position) => ({ ...position, marks: [mark] })) };
}

describe("a marked sale", () => {
  it("keeps in its facts what the register found of each mark, beside the code exactly as it came", async () => {
    const till = await Till.open();
    await till.openShift();
    await till.submitAndWait(shoes("sale-1", `]d2${MARK.replaceAll(GS, "<GS>")}`));
    const [entry] = await till.journal.list({ state: "done", limit: 1 });
    expect(entry?.facts?.kind === "fiscal" && entry.facts.markChecks).toEqual([15, null]);
    expect(entry?.document.kind === "receipt" && entry.document.lines.map((line) => [line.mark, line.subject])).toEqual([
      [`]d2${MARK.replaceAll(GS, "<GS>")}`, 33],
      [undefined, 1],
    ]);
  });

  it("of a thing that was sold is refused with the reason, until the thing comes back", async () => {
    const till = await Till.open();
    await till.openShift();
    await till.submitAndWait(shoes("sale-1", MARK));
    const again = await till.submitAndWait(shoes("sale-2", MARK.replaceAll(GS, "")));
    expect(again).toMatchObject({
      kind: "refused",
      refusal: { code: "mark-denied", details: { reason: expect.stringContaining("уже продан") } },
    });
    await till.submitAndWait(shoes("return-1", MARK, "sales-return"));
    expect(textOf(await till.submitAndWait(shoes("sale-2", MARK)))).toMatch(/^receipt /);
  });

  it("is refused by the policy of the point of sale where the check went wrong", async () => {
    const till = await Till.open({ rules: { markPolicy: "checked-correct" } });
    await till.openShift();
    const denied = MARK.replace("04600000000008", "09520000000134");
    expect(textOf(await till.submitAndWait(shoes("sale-1", denied)))).toBe("mark-denied");
    expect(textOf(await till.submitAndWait(shoes("sale-1", MARK)))).toMatch(/^receipt /);
  });
});
