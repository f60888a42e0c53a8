import { beforeEach, describe, expect, it } from "vitest";
import { parseFault } from "../../../../../src/registers/shtrih-m/device/machine/faults.ts";
import { cashDocument, receiptDocument, sampleSale, shiftDocument } from "../../../../support/register-documents.ts";
import { Trial } from "../../../../support/registers.ts";
import { type ShtrihBench, shtrihBench } from "../../../../support/shtrih-m-bench.ts";
import { loseFirstLine } from "../../../../support/shtrih-m-lost-line.ts";

let t: Trial<ShtrihBench>;

beforeEach(async () => {
  t = await Trial.on((clock) => shtrihBench(clock));
  await t.openShift();
  await t.slip(cashDocument("cash-in", 50_000));
  await t.state();
});

function strike(spec: string): void {
  const parsed = parseFault(spec);
  if (parsed.kind === "invalid") throw new Error(parsed.problem);
  t.bench.front.addFault(parsed.fault);
}

/** The codes of a receipt's commands. */
const COMMANDS = ["8D", "FF0C", "FF46", "FF45"];
/** Faults of a line that nobody needs to know. */
const HARMLESS = ["garble-answer", "nak", "byte-by-byte", "glue", "noise"];

describe("a sale at a device with a fault", () => {
  it.each(HARMLESS.flatMap((fault) => COMMANDS.map((command) => `${fault}@${command}`)))("is done in spite of %s", async (spec) => {
    strike(spec);
    const facts = await t.fiscal(sampleSale());
    expect(facts.documentNumber).toBe(3);
    expect((await t.state()).lastDocumentNumber).toBe(3);
  });

  it.each(HARMLESS)("is done in spite of %s at every command", async (fault) => {
    if (fault === "garble-answer" || fault === "nak") return;
    strike(`${fault}#*`);
    expect((await t.fiscal(sampleSale())).documentNumber).toBe(3);
  });

  it.each([
    ["lose-request@8D", "refused"],
    ["lose-request@FF0C", "refused"],
    ["lose-request@FF46", "refused"],
    ["lose-request@FF45", "in-doubt"],
    ["lose-answer@8D", "refused"],
    ["lose-answer@FF0C", "refused"],
    ["lose-answer@FF46#2", "refused"],
    ["lose-answer@FF45", "in-doubt"],
    ["power-cut-before@FF46=1000", "refused"],
    ["power-cut-after@FF46=1000", "refused"],
    ["power-cut-before@FF45=1000", "in-doubt"],
    ["power-cut-after@FF45=1000", "in-doubt"],
    ["drive-full@FF45", "refused"],
    ["shift-expired@8D", "refused"],
    ["paper-out@8D", "refused"],
    ["nak@FF45#*", "in-doubt"],
    ["nak@FF46#*", "refused"],
  ])("ends %s as %s, leaves nothing open, and the next one goes through", async (spec, kind) => {
    strike(spec);
    const outcome = await t.perform(sampleSale({ reference: "0123456789abcdef" }));
    expect(outcome.kind).toBe(kind);
    t.bench.front.setPaper(true);
    await t.later(1_000);
    const state = await t.state();
    if (state.documentOpen) {
      expect(kind).toBe("in-doubt");
      await t.settled(t.register.abandon(t.deadline));
    }
    const made = (await t.state()).lastDocumentNumber === 3;
    expect(made && kind === "refused").toBe(false);
    if (made) expect(await t.lookUp(3)).toMatchObject({ kind: "found", reference: "0123456789abcdef" });
    if (spec.endsWith("#*") || spec.startsWith("shift-expired")) return;
    expect((await t.fiscal(receiptDocument())).documentNumber).toBe(made ? 4 : 3);
  });

  it.each(["busy@8D=700", "busy@FF46=700", "busy@FF45=700", "silent@FF45=5000", "silent@8D=5000"])(
    "waits out %s and is done",
    async (spec) => {
      strike(spec);
      expect((await t.fiscal(sampleSale())).documentNumber).toBe(3);
    },
  );

  it("is in doubt when an answer that came late tells of another total", async () => {
    loseFirstLine(t.device);
    strike("silent@FF45=5000");
    expect(await t.perform(sampleSale())).toMatchObject({ kind: "in-doubt", doubt: { code: "change-differs" } });
  });

  it("is done when the paper ends after it, the next one is refused, and goes through once there is paper", async () => {
    strike("paper-out@FF45");
    await t.fiscal(sampleSale());
    expect((await t.state()).paper).toBe("out");
    const refused = await t.perform(receiptDocument());
    expect(refused).toMatchObject({ kind: "refused", refusal: { code: "no-paper" } });
    t.bench.front.setPaper(true);
    expect((await t.fiscal(receiptDocument())).documentNumber).toBe(4);
  });

  it.each([
    ["lose-answer@E0", "open-shift"],
    ["lose-answer@41", "close-shift"],
  ] as const)("finds the report after %s", async (spec, kind) => {
    if (kind === "open-shift") await t.fiscal(shiftDocument("close-shift"));
    strike(spec);
    expect((await t.perform(shiftDocument(kind))).kind).toBe("in-doubt");
    const { lastDocumentNumber } = await t.state();
    expect(await t.lookUp(lastDocumentNumber)).toMatchObject({ kind: "found", facts: { document: kind } });
  });

  it.each(["lose-answer@FF42", "lose-answer@FF0C", "lose-request@FF42"])(
    "does not close the shift after %s, and can then",
    async (spec) => {
      strike(spec);
      expect((await t.perform(shiftDocument("close-shift"))).kind).toBe("refused");
      expect(await t.state()).toMatchObject({ lastDocumentNumber: 2, shift: { kind: "open" }, documentOpen: false });
      await t.fiscal(shiftDocument("close-shift"));
    },
  );
});
