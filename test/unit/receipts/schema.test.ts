import { describe, expect, it } from "vitest";
import { parseStoredReceipt } from "../../../src/receipts/schema.ts";
import { everyExample, saleExample } from "../../support/receipts.ts";

describe("a stored receipt", () => {
  it("of every kind is read back as it was written", () => {
    for (const { document, facts } of Object.values(everyExample())) {
      const stored = { document, facts, paper: "58" };
      expect(parseStoredReceipt(JSON.parse(JSON.stringify(stored)))).toEqual({ kind: "stored", receipt: stored });
    }
  });

  it("of an unknown shape is refused with the first wrong field", () => {
    const { document, facts } = saleExample();
    expect(parseStoredReceipt({ document, facts: { ...facts, identity: { ...facts.identity, inn: 5 } } })).toEqual({
      kind: "wrong",
      problem: expect.stringMatching(/^facts\.identity\.inn: /),
    });
    expect(parseStoredReceipt({ document, facts: { ...facts, time: "2026-02-31 10:00:00" } })).toMatchObject({
      kind: "wrong",
      problem: "facts.time: expected a time like 2026-11-12 18:42:10",
    });
    expect(parseStoredReceipt([])).toMatchObject({ kind: "wrong", problem: expect.stringMatching(/^the file: /) });
  });
});
