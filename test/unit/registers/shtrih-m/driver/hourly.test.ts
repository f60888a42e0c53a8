import { describe, expect, it } from "vitest";
import { receiptDocument, receiptLine, sampleSale } from "../../../../support/register-documents.ts";
import { HOUR_MS, Trial } from "../../../../support/registers.ts";
import { shtrihBench } from "../../../../support/shtrih-m-bench.ts";
import { Host } from "../../../../support/shtrih-m-device.ts";

const FREE_MEMORY = Buffer.from("02 06 FF63 1E000000".replaceAll(" ", ""), "hex");
/** The question for T17F71. */
const VAT20 = Buffer.from("02 09 1F 1E000000 11 0100 47".replaceAll(" ", ""), "hex");

async function begun() {
  const t = await Trial.on((clock) => shtrihBench(clock));
  await t.openShift();
  await t.state();
  const { cable } = t.bench;
  const asked = (frame: Buffer) => cable.sent.includes(frame);
  return { t, cable, asked };
}

describe("what changes slowly", () => {
  it("is told with the state: room in the drive for so many documents", async () => {
    const { t } = await begun();
    // The drive had room for 250,000 documents. It has two now, the registration and the opening of the shift. The opening was subtracted
    // without a new question.
    expect((await t.state()).drive.documentsLeft).toBe(250_000 - 2);
  });

  it("is asked for once an hour, and never within", async () => {
    const { t, cable, asked } = await begun();
    cable.reset();
    for (let minutes = 0; minutes < 55; minutes += 5) {
      await t.state();
      await t.fiscal(sampleSale());
      await t.later(HOUR_MS / 12);
    }
    expect([asked(FREE_MEMORY), asked(VAT20)]).toEqual([false, false]);
    await t.later(HOUR_MS / 12);
    const { drive } = await t.state();
    expect([asked(FREE_MEMORY), asked(VAT20)]).toEqual([true, true]);
    expect(drive.documentsLeft).toBe(250_000 - 2 - 11);
    cable.reset();
    await t.state();
    expect([asked(FREE_MEMORY), asked(VAT20)]).toEqual([false, false]);
  });

  it("shows within the hour that somebody has told the register anew what 20 % is", async () => {
    const { t, cable } = await begun();
    const engineer = new Host(t.clock);
    void t.bench.front.serve(engineer.link);
    expect(await engineer.ask("1E 1E000000 11 0100 47 00")).toBe("1E 00");
    await t.later(HOUR_MS);
    await t.state();
    expect(t.bench.notes.map(({ text }) => text)).toContain("somebody has told the register anew what 20 % is");
    cable.reset();
    await t.fiscal(receiptDocument({ lines: [receiptLine({ vat: 1 })] }));
    // 1Eh writes a table.
    expect(cable.sent.includes(Buffer.from("1E1E00000011", "hex"))).toBe(false);
  });
});
