import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { RegisterDocument } from "../../../src/model/document.ts";
import type { DocumentFacts } from "../../../src/model/facts.ts";
import { linesOf } from "../../../src/receipts/lines.ts";
import { receiptOf } from "../../../src/receipts/receipt.ts";
import { cashExample, closeExample, openExample, returnExample, saleExample } from "../../support/receipts.ts";

// The golden lines come from fiscal-receipts 9 with the decisions of interface 6: the test line first,
// `СНО:` everywhere, head and foot on every report, no ФД and ФП on cash slips.
describe("worked examples of the reference", () => {
  it("prints the sale of 9.1 line by line on 48 columns", () => {
    expect(printed(saleExample(), 48)).toEqual(golden("9.1-sale-80.txt"));
  });

  it("prints the return of 9.2 line by line on 32 columns", () => {
    expect(printed(returnExample(), 32)).toEqual(golden("9.2-return-58.txt"));
  });

  it("prints the open-shift report of 9.3 with head and foot", () => {
    expect(printed(openExample(), 48)).toEqual(golden("9.3-open-shift-80.txt"));
  });

  it("prints the cash slip of 9.3 with head and foot but neither number nor sign", () => {
    expect(printed(cashExample("cash-in"), 48)).toEqual(golden("9.3-cash-in-80.txt"));
  });

  it("prints the close-shift report of 9.3 with the drive's totals in the same form", () => {
    expect(printed(closeExample(), 48)).toEqual(golden("9.3-close-shift-80.txt"));
  });
});

function printed({ document, facts }: { document: RegisterDocument; facts: DocumentFacts }, columns: number): string[] {
  const receipt = receiptOf(document, facts);
  const lines = linesOf(receipt, columns, (text) => text).flatMap((group) => group.lines.map(({ text }) => text));
  return receipt.qr === undefined ? lines : [...lines, `[QR: ${receipt.qr}]`];
}

function golden(name: string): string[] {
  return readFileSync(new URL(`../../golden/receipts/${name}`, import.meta.url), "utf8")
    .trimEnd()
    .split("\n");
}
