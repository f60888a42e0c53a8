import { beforeEach, describe, expect, it } from "vitest";
import type { InterimFacts } from "../../src/model/facts.ts";
import { parseFault } from "../../src/registers/shtrih-m/device/machine/faults.ts";
import { cashDocument, receiptDocument, reportDocument, sampleSale, shiftDocument, tendersOf } from "../support/register-documents.ts";
import { DAY_MS, once, refusalCode, TRIED_REGISTERS, Trial } from "../support/registers.ts";
import { type ShtrihBench, shtrihBench } from "../support/shtrih-m-bench.ts";

async function interim(t: Trial): Promise<InterimFacts> {
  const outcome = await t.perform(reportDocument("x-report"));
  if (outcome.kind !== "done" || outcome.facts.kind !== "interim") throw new Error(`not made: ${JSON.stringify(outcome)}`);
  return outcome.facts;
}

describe.each(TRIED_REGISTERS)("a report in between, at a register that speaks %s", (scheme) => {
  let t: Trial;

  beforeEach(async () => {
    t = await Trial.begin(scheme);
  });

  describe("that is an X report", () => {
    it("tells what the shift has counted by sign and payment, takes no number and resets nothing", async () => {
      await t.openShift();
      await t.slip(cashDocument("cash-in", 200_000));
      await t.fiscal(sampleSale());
      await t.fiscal(
        receiptDocument({
          tenders: tendersOf({ nonCashKopecks: 4_000, prepaidKopecks: 3_000, creditKopecks: 2_000, otherKopecks: 1_000 }),
        }),
      );
      await t.fiscal(receiptDocument({ sign: 2, tenders: tendersOf({ cashKopecks: 10_000 }) }));
      await t.slip(cashDocument("cash-out", 50_000));
      const first = await interim(t);
      expect(first).toMatchObject({ document: "x-report", shiftNumber: 1, cashierName: "Иванова М.П.", identity: { inn: "9600123459" } });
      expect(first.xReport).toEqual({
        shiftOpen: true,
        receipts: 3,
        signs: [
          {
            sign: 1,
            count: 2,
            totalKopecks: 93_457,
            tenders: { cashKopecks: 83_457, nonCashKopecks: 4_000, prepaidKopecks: 3_000, creditKopecks: 2_000, otherKopecks: 1_000 },
          },
          { sign: 2, count: 1, totalKopecks: 10_000, tenders: tendersOf({ cashKopecks: 10_000 }) },
        ],
        drawer: { inKopecks: 200_000, outKopecks: 50_000, balanceKopecks: 223_457 },
        unsent: 0,
      });
      expect((await interim(t)).xReport).toEqual(first.xReport);
      expect(await t.state()).toMatchObject({ lastDocumentNumber: 5, shift: { kind: "open" }, documentOpen: false });
      expect((await t.fiscal(shiftDocument("close-shift"))).shiftReport).toMatchObject({ receipts: 3, documents: 5 });
    });

    it("goes under the name of the cashier who opened the shift where it brings none", async () => {
      await t.openShift();
      const { cashierName: _, ...document } = reportDocument("x-report");
      expect(await t.perform(document)).toMatchObject({ kind: "done", facts: { cashierName: "Иванова М.П." } });
    });

    it("is printed with the shift closed, when only the drawer tells anything, and in a shift of 24 hours", async () => {
      const closed = { shiftOpen: false, receipts: 0, signs: [], drawer: { inKopecks: 0, outKopecks: 0, balanceKopecks: 0 }, unsent: 0 };
      expect((await interim(t)).xReport).toEqual(closed);
      await t.openShift();
      await t.slip(cashDocument("cash-in", 5_000));
      await t.later(DAY_MS);
      expect((await interim(t)).xReport).toMatchObject({ shiftOpen: true, drawer: { inKopecks: 5_000, balanceKopecks: 5_000 } });
      await t.fiscal(shiftDocument("close-shift"));
      expect((await interim(t)).xReport).toEqual({ ...closed, drawer: { inKopecks: 0, outKopecks: 0, balanceKopecks: 5_000 } });
    });

    it("leaves nothing behind when its answer is lost, so that a sale goes on at once", async () => {
      await t.openShift();
      t.inject({ after: once("x-report", { kind: "lose-reply" }) });
      expect((await t.perform(reportDocument("x-report"))).kind).not.toBe("done");
      expect((await t.fiscal(receiptDocument())).documentNumber).toBe(3);
    });
  });

  describe("that is a state report", () => {
    it("takes the next number and a sign, and is found again with the facts that were answered", async () => {
      await t.openShift();
      await t.fiscal(sampleSale());
      const made = await t.fiscal(reportDocument("state-report"));
      expect(made).toMatchObject({
        document: "state-report",
        documentNumber: 4,
        fiscalSign: expect.stringMatching(/^\d{10}$/),
        shiftNumber: 1,
        cashierName: "Иванова М.П.",
        stateReport: { unsent: 0, driveTotals: { signs: [{ sign: 1, count: 1, totalKopecks: 83_457 }], corrections: 0 } },
      });
      expect(made.stateReport).not.toHaveProperty("unsentSince");
      expect(await t.lookUp(4)).toMatchObject({ kind: "found", facts: made });
      expect((await t.fiscal(receiptDocument())).receipt?.number).toBe(2);
      // Opening, two receipts, the state report, the closing itself (fiscal-receipts 1.6).
      expect((await t.fiscal(shiftDocument("close-shift"))).shiftReport).toMatchObject({ receipts: 2, documents: 5 });
    });

    it("tells how many documents wait for the data operator, which is the first and since when", async () => {
      t.inject({ operatorDelayMs: () => Number.POSITIVE_INFINITY });
      await t.openShift();
      await t.fiscal(receiptDocument());
      const { stateReport } = await t.fiscal(reportDocument("state-report"));
      expect(stateReport).toMatchObject({ unsent: 2, unsentSince: "2026-11-13 09:00:00", firstUnsent: 2 });
      expect((await interim(t)).xReport.unsent).toBe(3);
    });

    it("is made with the shift closed, after 24 hours, and where the operator's queue blocks receipts", async () => {
      expect(await t.fiscal(reportDocument("state-report"))).toMatchObject({ documentNumber: 2, shiftNumber: 0 });
      t.inject({ operatorDelayMs: () => Number.POSITIVE_INFINITY });
      await t.openShift();
      await t.later(31 * DAY_MS);
      expect(await t.fiscal(reportDocument("state-report"))).toMatchObject({
        documentNumber: 4,
        shiftNumber: 1,
        stateReport: { unsent: 1 },
      });
    });

    it("is found after its answer was lost", async () => {
      await t.openShift();
      t.inject({ after: once("state-report", { kind: "lose-reply" }) });
      expect((await t.perform(reportDocument("state-report"))).kind).toBe("in-doubt");
      expect(await t.lookUp(3)).toMatchObject({ kind: "found", facts: { document: "state-report" } });
    });

    it("is refused by a drive that is full, and by one that is at its end", async () => {
      t.inject({ memoryUsed: () => 1 });
      expect(refusalCode(await t.perform(reportDocument("state-report")))).toBe("drive-exhausted");
      t.inject({ memoryUsed: () => 0, keyDays: () => 0 });
      expect(refusalCode(await t.perform(reportDocument("state-report")))).toBe("drive-exhausted");
      expect((await t.state()).lastDocumentNumber).toBe(1);
    });
  });

  it.each(["x-report", "state-report"] as const)("that is an %s needs paper", async (kind) => {
    t.device.setPaper(false);
    expect(refusalCode(await t.perform(reportDocument(kind)))).toBe("no-paper");
    t.device.setPaper(true);
    expect((await t.perform(reportDocument(kind))).kind).toBe("done");
  });
});

const OFF_MS = 1_000;
const BENCHES = (["desktop", "cashcore", "nano"] as const).flatMap((personality) =>
  (["1.0", "2.0"] as const).map((protocol) => [personality, protocol] as const),
);

describe.each(BENCHES)("a report in between, at a %s device over protocol %s", (personality, protocol) => {
  const paper: string[] = [];
  let t: Trial<ShtrihBench>;

  beforeEach(async () => {
    paper.length = 0;
    t = await Trial.on((clock) => shtrihBench(clock, { personality, protocol, paper }));
    await t.openShift();
  });

  function strike(spec: string): void {
    const parsed = parseFault(spec);
    if (parsed.kind === "invalid") throw new Error(parsed.problem);
    t.bench.front.addFault(parsed.fault);
  }

  it.each([`power-cut-after@FF38=${OFF_MS}`, "lose-answer@FF38", "paper-out@FF38"])("stands in the drive once after %s", async (spec) => {
    strike(spec);
    const outcome = await t.perform(reportDocument("state-report"));
    await t.later(OFF_MS);
    t.bench.front.setPaper(true);
    const answered = spec.startsWith("paper") || (spec.startsWith("lose") && protocol === "2.0");
    expect(outcome.kind).toBe(answered ? "done" : "in-doubt");
    expect(await t.lookUp(3)).toMatchObject({ kind: "found", facts: { document: "state-report" } });
    if (outcome.kind === "done")
      expect(outcome).toMatchObject({ facts: { documentNumber: 3, shiftNumber: 1, stateReport: { unsent: 0 } } });
    expect((await t.fiscal(receiptDocument())).documentNumber).toBe(4);
  });

  it.each(["lose-answer@FF37", "lose-request@FF37", "lose-answer@FF0C"])("leaves nothing open in the drive after %s", async (spec) => {
    strike(spec);
    const outcome = await t.perform(reportDocument("state-report"));
    expect(outcome.kind).toBe(protocol === "2.0" ? "done" : "refused");
    expect(await t.state()).toMatchObject({ lastDocumentNumber: protocol === "2.0" ? 3 : 2, documentOpen: false });
    expect((await t.fiscal(receiptDocument())).documentNumber).toBe(protocol === "2.0" ? 4 : 3);
  });

  it(`registers nothing when the power goes before it`, async () => {
    strike(`power-cut-before@FF38=${OFF_MS}`);
    expect((await t.perform(reportDocument("state-report"))).kind).toBe("in-doubt");
    await t.later(OFF_MS);
    expect(await t.state()).toMatchObject({ lastDocumentNumber: 2, documentOpen: false });
    expect((await t.fiscal(reportDocument("state-report"))).documentNumber).toBe(3);
  });

  it.each(["lose-request@40", "lose-answer@40", "garble-answer@40", "paper-out@40", `power-cut-after@40=${OFF_MS}`])(
    "of the shift's counters harms nothing whatever becomes of it: %s",
    async (spec) => {
      strike(spec);
      const outcome = await t.perform(reportDocument("x-report"));
      if (spec.startsWith("paper") || spec.startsWith("garble")) expect(outcome.kind).toBe("done");
      await t.later(OFF_MS);
      t.bench.front.setPaper(true);
      expect(await t.state()).toMatchObject({ lastDocumentNumber: 2, documentOpen: false });
      expect((await t.perform(reportDocument("x-report"))).kind).toBe("done");
      expect((await t.fiscal(receiptDocument())).documentNumber).toBe(3);
      expect(paper.join("\n")).toContain("СУТОЧНЫЙ ОТЧЕТ БЕЗ ГАШЕНИЯ");
    },
  );
});
