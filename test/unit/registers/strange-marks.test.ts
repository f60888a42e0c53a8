import { describe, expect, it } from "vitest";
import type { Paper } from "../../../src/model/paper.ts";
import { createReceiptPrinter } from "../../../src/receipts/draw.ts";
import { limitOf as emulatorLimitOf } from "../../../src/registers/emulator/limits.ts";
import { limitOf } from "../../../src/registers/shtrih-m/limits.ts";
import { settlementTags } from "../../../src/registers/tags/settlement.ts";
import { longestTurnWithin, TRIES } from "../../support/hostile/longest-turn.ts";
import { line, receiptDocument, receiptFacts } from "../../support/receipts.ts";

/** The bound of one turn on the reference machine. Reading each of a hundred codes once takes three to seven milliseconds of it. */
const BOUND_MS = 15;
/** About as many positions with a code and the longest name fit into a drive's receipt. */
const COUNT = 100;

/** The longest codes that FF61 takes, with as many places as possible at which a separator may begin or end. */
const CODES: Record<string, (serial: string) => string> = {
  "no code": (serial) => `${`010460043993125621${serial}${"(10a".repeat(80)}`.slice(0, 239)}~`,
  "a readable code": (serial) => `${`010460043993125621${serial}=1d91abcd=1d92${"(10a".repeat(80)}`.slice(0, 239)}~`,
};

function documentOf(kind: string, count = COUNT) {
  const codeOf = CODES[kind] ?? expect.unreachable();
  const marks = Array.from({ length: count }, (_, nth) => codeOf(String(nth).padStart(13, "a")));
  const lines = marks.map((mark) => line({ mark, subject: 33, name: "Щ".repeat(128), quantityMillionths: 1_000_000 }));
  const totalKopecks = lines.reduce((sum, { sumKopecks }) => sum + sumKopecks, 0);
  return receiptDocument({ lines, totalKopecks });
}

describe.each(Object.keys(CODES))("a receipt of a hundred strange marking codes, each %s,", (kind) => {
  const document = documentOf(kind);
  const facts = receiptFacts(document);
  const WORK: Record<string, () => unknown> = {
    "its limits at a Shtrih-M are asked for": () => limitOf(document, facts.identity),
    "its limits at an emulator are asked for": () => emulatorLimitOf(document, facts.identity),
    "its tags of format 1.05 are made": () => settlementTags(document, "1.05"),
    "its tags of format 1.2 are made": () => settlementTags(document, "1.2"),
    "more codes than a drive checks are refused": () => limitOf(documentOf(kind, 1_000), facts.identity),
  };

  it.each(Object.keys(WORK))(`stops nothing for ${BOUND_MS} ms when %s`, async (what) => {
    const { cpuMs, allowedMs } = await longestTurnWithin(BOUND_MS, TRIES, async () => WORK[what]?.());
    expect(cpuMs).toBeLessThan(allowedMs);
  });

  it.each<Paper>(["58", "80", "a4"])(`stops nothing for ${BOUND_MS} ms when it is drawn on %s`, async (paper) => {
    const printer = createReceiptPrinter();
    const { cpuMs, allowedMs } = await longestTurnWithin(BOUND_MS, TRIES, () => printer.drawReceipt({ document, facts, paper }));
    expect(cpuMs).toBeLessThan(allowedMs);
  });
});
