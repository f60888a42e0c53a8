import { describe, expect, it } from "vitest";
import { deadlineIn } from "../../../../../src/kernel/deadline.ts";
import type { Outcome } from "../../../../../src/registers/register.ts";
import { shiftDocument } from "../../../../support/register-documents.ts";
import { MORNING_MS } from "../../../../support/registers.ts";
import { AT_REST, type Script, scripted } from "../../../../support/shtrih-m-script.ts";
import { VirtualClock } from "../../../../support/virtual-clock.ts";

/** Shift 57 with twelve receipts, opened by document 330 (shtrih-protocol 14.1); its report becomes document 343. */
const CLOSING: Script = {
  FF42: "FF4200",
  FF0C: "FF0C00",
  "41": "41001E",
  "1A1E000000F2": "1A001E A08601000000",
  "1A1E000000F3": "1A001E 000000000000",
  // The shift is open and the last document is 342. Then the shift is closed and the last document is 343.
  FF01: [
    "FF010003000001001A030E0A053939393930373839303030303132333456010000",
    "FF010003000000001A030E0A073939393930373839303030303132333457010000",
  ],
  // Document 343 is the closing report of shift 57.
  FF0A1E00000057010000: "FF0A0005001A030E0A0757010000785634123900",
};

async function closed(script: Script): Promise<Outcome> {
  const clock = new VirtualClock(MORNING_MS);
  const { register } = scripted(clock, { ...AT_REST, ...CLOSING, ...script });
  let outcome: Outcome | undefined;
  void register.perform(shiftDocument("close-shift"), deadlineIn(clock, 180_000)).then((made) => {
    outcome = made;
  });
  for (let turns = 0; outcome === undefined; turns += 1) await clock.advance(turns < 50 ? 0 : 100);
  return outcome;
}

describe("the numbers of a closed shift", () => {
  it("are the register's own where its report has no tags 1118 and 1111", async () => {
    // One tag, 1038, and the end of the document.
    const outcome = await closed({ FF3A: "FF3A000500 0800", FF3B: ["FF3B00 0E040400 39000000", "FF3B08"] });
    expect(outcome).toMatchObject({
      kind: "done",
      facts: {
        documentNumber: 343,
        shiftNumber: 57,
        shiftReport: { receipts: 12, documents: 14, drawer: { inKopecks: 100_000, outKopecks: 0, balanceKopecks: 123_456 } },
      },
    });
  });

  it("are those of the report where it has them", async () => {
    const tags = "0E040400 39000000 5E040400 0D000000 57040400 0F000000";
    const outcome = await closed({ FF3A: "FF3A000500 1800", FF3B: [`FF3B00 ${tags}`, "FF3B08"] });
    expect(outcome).toMatchObject({ kind: "done", facts: { shiftReport: { receipts: 13, documents: 15 } } });
  });

  it("are told without the report where the register does not give it for want of paper", async () => {
    const outcome = await closed({ FF3A: "FF3A73" });
    expect(outcome).toMatchObject({ kind: "done", facts: { documentNumber: 343, shiftCounts: { receipts: 12, documents: 14 } } });
    expect(outcome).not.toHaveProperty("facts.shiftReport");
  });
});
