import { beforeEach, describe, expect, it } from "vitest";
import { deadlineIn } from "../../src/kernel/deadline.ts";
import { correctionDocument } from "../support/marked-documents.ts";
import { cashDocument, receiptDocument, sampleSale, shiftDocument, tendersOf } from "../support/register-documents.ts";
import { DAY_MS, HOUR_MS, once, REGISTERS, refusalCode, Trial } from "../support/registers.ts";
import { loseFirstLine } from "../support/shtrih-m-lost-line.ts";

describe.each(REGISTERS)("in doubt and at the end of its drive, a register that speaks %s", (scheme) => {
  let t: Trial;

  beforeEach(async () => {
    t = await Trial.begin(scheme);
  });

  describe("leaves doubt only where it must", () => {
    it("is in doubt when the reply to a sale is lost, and the document is found by its number and reference", async () => {
      await t.openShift();
      t.inject({ after: once("receipt", { kind: "lose-reply" }) });
      expect((await t.perform(sampleSale({ reference: "0123456789abcdef" }))).kind).toBe("in-doubt");
      expect((await t.state()).lastDocumentNumber).toBe(3);
      const found = await t.lookUp(3);
      expect(found).toMatchObject({
        kind: "found",
        reference: "0123456789abcdef",
        facts: { document: "receipt", documentNumber: 3, receipt: { sign: 1, totalKopecks: 83_457 }, time: "2026-11-13 09:00:00" },
      });
    });

    const answersChange = scheme !== "emulator" && scheme !== "agent";
    it.runIf(answersChange).each([
      ["sale", sampleSale()],
      ["sale with change", sampleSale({ tenders: tendersOf({ cashKopecks: 90_000 }) })],
      ["correction", correctionDocument({ ...sampleSale(), kind: "correction" })],
    ])("is in doubt when the change of a %s shows that the device has lost a position", async (_, document) => {
      await t.openShift();
      loseFirstLine(t.device);
      expect(await t.perform(document)).toEqual({
        kind: "in-doubt",
        doubt: { code: "change-differs", number: 3, changeKopecks: expect.any(Number), expectedKopecks: expect.any(Number) },
      });
      const found = await t.lookUp(3);
      expect(found.kind === "found" && found.facts.receipt?.totalKopecks).toBeLessThan(document.totalKopecks);
    });

    it("looks up exactly the facts that it answered", async () => {
      const opened = await t.openShift();
      const sold = await t.fiscal(sampleSale({ tenders: tendersOf({ cashKopecks: 90_000 }) }));
      const closed = await t.fiscal(shiftDocument("close-shift"));
      // The handed cash and the change are printed, but have no tag in the drive.
      const { change: _, ...kept } = sold;
      for (const facts of [opened, kept, closed]) {
        expect(await t.lookUp(facts.documentNumber)).toMatchObject({ kind: "found", facts });
      }
      expect(await t.lookUp(closed.documentNumber + 1)).toEqual({ kind: "absent" });
      expect(await t.lookUp(0)).toEqual({ kind: "absent" });
    });

    it.each(["open-shift", "close-shift"] as const)("finds the report of a lost %s", async (kind) => {
      if (kind === "close-shift") await t.openShift();
      t.inject({ after: once(kind, { kind: "lose-reply" }) });
      expect((await t.perform(shiftDocument(kind, { reference: "ref-lost" }))).kind).toBe("in-doubt");
      const { lastDocumentNumber } = await t.state();
      const found = await t.lookUp(lastDocumentNumber);
      expect(found).toMatchObject({ kind: "found", facts: { document: kind } });
      // Reports of a real drive have no room for the server's id.
      if (found.kind === "found") expect(found.reference ?? "ref-lost").toBe("ref-lost");
    });

    it("shows a lost slip of cash by the drawer", async () => {
      await t.openShift();
      t.inject({ after: once("cash-in", { kind: "lose-reply" }) });
      expect((await t.perform(cashDocument("cash-in", 5_000))).kind).toBe("in-doubt");
      expect((await t.state()).drawerKopecks).toBe(5_000);
    });

    it.each([
      ["before", 2],
      ["after", 3],
    ] as const)("is in doubt at a power cut %s registration, and knows document %i as its last when power is back", async (when, last) => {
      await t.openShift();
      t.inject({ [when]: once("receipt", { kind: "power-cut" }) });
      expect((await t.perform(receiptDocument())).kind).toBe("in-doubt");
      expect((await t.inspect()).kind).toBe("unreachable");
      expect(refusalCode(await t.perform(receiptDocument()))).toBe("register-unreachable");
      expect((await t.lookUp(2)).kind).toBe("unreachable");
      t.device.powerOn();
      expect((await t.state()).lastDocumentNumber).toBe(last);
      expect((await t.fiscal(receiptDocument())).documentNumber).toBe(last + 1);
    });

    it("is in doubt when the deadline comes first, and shows the document that was made after it", async () => {
      await t.openShift();
      t.inject({ before: once("receipt", { kind: "wait", forMs: 20_000 }) });
      const late = t.register.perform(receiptDocument(), deadlineIn(t.clock, 10_000));
      await t.clock.advance(10_000);
      expect((await late).kind).toBe("in-doubt");
      await t.clock.advance(10_000);
      expect((await t.state()).lastDocumentNumber).toBe(3);
    });

    it("says unreachable when its state does not come in time", async () => {
      t.inject({ before: once("state", { kind: "wait", forMs: 20_000 }) });
      const late = t.register.inspect(deadlineIn(t.clock, 3_000));
      await t.clock.advance(3_000);
      expect((await late).kind).toBe("unreachable");
    });

    it("is done when the paper ends after registration, and refuses the next in words", async () => {
      await t.openShift();
      t.inject({ after: once("receipt", { kind: "paper-out" }) });
      await t.fiscal(receiptDocument());
      expect((await t.state()).paper).toBe("out");
      expect(refusalCode(await t.perform(receiptDocument()))).toBe("no-paper");
    });

    it("has nothing to abandon between documents", async () => {
      expect(await t.settled(t.register.abandon(t.deadline))).toEqual({ kind: "reached", value: "nothing-open" });
    });
  });

  describe("knows its drive's life", () => {
    it.each([
      [31, false, false],
      [29, true, false],
      [2, true, true],
    ])("warns with %i days of keys left as it should", async (days, soonFlag, nowFlag) => {
      t.inject({ keyDays: () => days });
      expect((await t.openShift()).warnings).toMatchObject({ keysExpireSoon: soonFlag, keysExpireNow: nowFlag });
      expect((await t.fiscal(shiftDocument("close-shift"))).shiftReport?.keyDays).toBe(days);
    });

    it("refuses receipts with expired keys and still closes the shift", async () => {
      await t.openShift();
      t.inject({ keyDays: () => 0 });
      expect(refusalCode(await t.perform(receiptDocument()))).toBe("drive-exhausted");
      await t.fiscal(shiftDocument("close-shift"));
      expect(refusalCode(await t.perform(shiftDocument("open-shift")))).toBe("drive-exhausted");
    });

    it("warns at 99 % of its memory and refuses when it is full", async () => {
      t.inject({ memoryUsed: () => 0.99 });
      expect((await t.openShift()).warnings).toMatchObject({ memoryFull: true });
      t.inject({ memoryUsed: () => 1 });
      expect(refusalCode(await t.perform(receiptDocument()))).toBe("drive-exhausted");
    });

    it("raises the operator's flag after two days of silence, blocks receipts after thirty, and recovers", async () => {
      t.inject({ operatorDelayMs: () => Number.POSITIVE_INFINITY });
      await t.openShift();
      await t.fiscal(receiptDocument());
      expect((await t.state()).queue).toEqual({ unsent: 2, since: "2026-11-13 09:00:00" });
      await t.later(2 * DAY_MS + 1_000);
      expect((await t.state()).drive.warnings.operatorTimeout).toBe(true);
      const closed = await t.fiscal(shiftDocument("close-shift"));
      expect(closed.shiftReport).toMatchObject({ unsent: 2, unsentSince: "2026-11-13 09:00:00" });
      await t.later(28 * DAY_MS);
      await t.openShift();
      expect(refusalCode(await t.perform(receiptDocument()))).toBe("operator-queue-blocked");
      t.inject({ operatorDelayMs: () => 0 });
      await t.fiscal(receiptDocument());
      expect((await t.state()).queue).toEqual({ unsent: 0 });
    });

    it("clears its queue when the operator answers late", async () => {
      t.inject({ operatorDelayMs: () => HOUR_MS });
      await t.openShift();
      await t.later(HOUR_MS - 1_000);
      expect((await t.state()).queue.unsent).toBe(1);
      await t.later(1_000);
      expect((await t.state()).queue).toEqual({ unsent: 0 });
    });
  });

  it("knows everything again after a restart", async () => {
    t.inject({ operatorDelayMs: () => Number.POSITIVE_INFINITY });
    await t.openShift();
    await t.slip(cashDocument("cash-in", 5_000));
    const sold = await t.fiscal(sampleSale());
    const before = await t.state();
    await t.restart();
    t.inject({ operatorDelayMs: () => Number.POSITIVE_INFINITY });
    expect(await t.state()).toEqual(before);
    expect(await t.lookUp(sold.documentNumber)).toMatchObject({ kind: "found", facts: sold });
    expect((await t.fiscal(receiptDocument())).receipt?.number).toBe(2);
  });
});
