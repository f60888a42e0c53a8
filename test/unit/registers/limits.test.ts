import { describe, expect, it } from "vitest";
import type { CorrectionDocument } from "../../../src/model/document.ts";
import type { RegisterIdentity } from "../../../src/model/facts.ts";
import { parseAddress } from "../../../src/registers/catalogue.ts";
import { IDENTITY } from "../../support/journal-entries.ts";
import { markCode } from "../../support/marked-documents.ts";
import { receiptDocument, receiptLine, tendersOf } from "../../support/register-documents.ts";

function correction(more: Partial<CorrectionDocument> = {}): CorrectionDocument {
  return { ...receiptDocument(), kind: "correction", basis: { kind: "own", settledOn: "2026-11-12" }, ...more };
}

/** A correction with `count` lines of 100.00. */
function long(count: number, more: (at: number) => Parameters<typeof receiptLine>[0]): CorrectionDocument {
  const lines = Array.from({ length: count }, (_, at) => receiptLine(more(at)));
  return correction({ lines, totalKopecks: count * 10_000, tenders: tendersOf({ cashKopecks: count * 10_000 }), vatTotals: [] });
}

const NAMED = () => ({ name: "н".repeat(128) });
const MARKED = (at: number) => ({ mark: markCode(`s${String(at).padStart(12, "0")}`) });

const LONG_BASIS = { kind: "order", settledOn: "2026-11-10", description: "д".repeat(256), orderNumber: "7".repeat(32) } as const;
const LONG_ORDER = { kind: "order", settledOn: "2026-11-10", orderNumber: "7".repeat(33) } as const;
const TOO_LONG = "document-too-large";

describe.each(["emulator:shop", "shtrih-m+tcp://127.0.0.1:7778"])("what %s never makes", (address) => {
  function limitOf(document: CorrectionDocument, more: Partial<RegisterIdentity> = {}): string | undefined {
    const parsed = parseAddress(address);
    if (parsed.kind === "invalid") throw new Error(parsed.problem);
    return parsed.address.limitOf(document, { ...IDENTITY, ffd: "1.2", taxSystems: ["osn"], ...more })?.code;
  }

  it.each<[string, CorrectionDocument, Partial<RegisterIdentity>, string]>([
    ["more positions than a drive holds", long(200, NAMED), {}, "document-too-large"],
    ["more marks than a drive checks", long(129, MARKED), {}, "document-too-large"],
    ["one mark twice", long(2, () => MARKED(1)), {}, "mark-repeated"],
    ["a tax system that it is not registered for", correction({ taxSystem: "patent" }), {}, "device-refused"],
    ["a correction of a return, under format 1.05", correction({ sign: 2 }), { ffd: "1.05" }, "device-refused"],
    ["a basis whose texts fit and are too long together, under format 1.05", correction({ basis: LONG_BASIS }), { ffd: "1.05" }, TOO_LONG],
    ["a basis with a number of an order that is too long", correction({ basis: LONG_ORDER }), {}, TOO_LONG],
    ["a correction without positions, under format 1.2", correction({ lines: [] }), {}, "device-refused"],
  ])("is known without asking it: %s", (_, document, more, code) => {
    expect(limitOf(document, more)).toBe(code);
  });

  it.each<[string, CorrectionDocument, Partial<RegisterIdentity>]>([
    ["as many positions as a drive holds", long(150, NAMED), {}],
    ["as many marks as a drive checks", long(128, MARKED), {}],
    ["a correction of a return, under format 1.2", correction({ sign: 2 }), {}],
    ["a correction of a sale, under format 1.05", correction(), { ffd: "1.05" }],
    [
      "a basis as long as it may be, under format 1.05",
      correction({ basis: { ...LONG_BASIS, orderNumber: "7".repeat(20) } }),
      { ffd: "1.05" },
    ],
    ["a long description, under format 1.2, which has none", correction({ basis: LONG_BASIS }), {}],
  ])("is nothing that it can make: %s", (_, document, more) => {
    expect(limitOf(document, more)).toBeUndefined();
  });

  it("cuts a name that is longer in the drive's code page than it may be, or refuses it, and never fails", () => {
    const isDevice = address.startsWith("shtrih-m");
    expect(limitOf(long(1, () => ({ name: "€".repeat(128) })))).toBe(isDevice ? undefined : "document-too-large");
  });
});
