import { beforeEach, describe, expect, it } from "vitest";
import type { DriveCode } from "../../src/registers/virtual/refusals.ts";
import { cashDocument, receiptDocument, receiptLine, sampleSale, shiftDocument, tendersOf } from "../support/register-documents.ts";
import { DAY_MS, HOUR_MS, once, refusalCode, TRIED_REGISTERS, Trial } from "../support/registers.ts";

describe.each(TRIED_REGISTERS)("a register that speaks %s", (scheme) => {
  let t: Trial;

  beforeEach(async () => {
    t = await Trial.begin(scheme);
  });

  describe("tells who it is", () => {
    it("names drive, register and seller with numbers that no real device has", async () => {
      const asked = await t.settled(t.register.identity(t.deadline));
      expect(asked).toMatchObject({
        kind: "reached",
        value: { inn: "9600123459", sellerName: 'ООО "ОБРАЗЕЦ-РИТЕЙЛ"', ffd: "1.2", taxSystems: expect.arrayContaining(["osn", "patent"]) },
      });
      if (asked.kind !== "reached") return;
      expect(asked.value.driveNumber).toMatch(/^9999078\d{9}$/);
      expect(asked.value.serialNumber).toMatch(/^9999\d{10}$/);
      expect(asked.value.registrationNumber).toMatch(/^\d{16}$/);
    });

    it("begins with a closed shift, an empty drawer and the registration report as document 1", async () => {
      expect(await t.state()).toMatchObject({
        lastDocumentNumber: 1,
        shift: { kind: "closed", lastNumber: 0 },
        drawerKopecks: 0,
        time: "2026-11-13 09:00:00",
        paper: "present",
        documentOpen: false,
        queue: { unsent: 0 },
        drive: { phase: "fiscal" },
      });
      expect(await t.lookUp(1)).toMatchObject({ kind: "foreign" });
    });
  });

  describe("makes documents", () => {
    it("reproduces the small shift of fiscal-receipts 9.3 to the kopeck", async () => {
      await t.openShift();
      await t.slip(cashDocument("cash-in", 200_000));
      await t.fiscal(sampleSale());
      const card = {
        totalKopecks: 122_000,
        tenders: tendersOf({ nonCashKopecks: 122_000 }),
        vatTotals: [{ vat: 11 as const, sumKopecks: 22_000 }],
      };
      await t.fiscal(
        receiptDocument({ ...card, lines: [receiptLine({ priceKopecks: 122_000, sumKopecks: 122_000, vatKopecks: 22_000 })] }),
      );
      const back = { totalKopecks: 10_980, tenders: tendersOf({ cashKopecks: 10_980 }), vatTotals: [{ vat: 2 as const, sumKopecks: 998 }] };
      await t.fiscal(
        receiptDocument({ ...back, sign: 2, lines: [receiptLine({ priceKopecks: 10_980, sumKopecks: 10_980, vat: 2, vatKopecks: 998 })] }),
      );
      await t.slip(cashDocument("cash-out", 50_000));
      const closed = await t.fiscal(shiftDocument("close-shift"));

      expect(closed.shiftReport).toMatchObject({
        receipts: 3,
        documents: 5,
        unsent: 0,
        keyDays: 1110,
        drawer: { inKopecks: 200_000, outKopecks: 50_000, balanceKopecks: 222_477 },
      });
      const totals = {
        signs: [
          {
            sign: 1,
            count: 2,
            totalKopecks: 205_457,
            tenders: tendersOf({ cashKopecks: 83_457, nonCashKopecks: 122_000 }),
            vatTotals: [
              { vat: 2, sumKopecks: 3_907 },
              { vat: 11, sumKopecks: 29_298 },
            ],
          },
          {
            sign: 2,
            count: 1,
            totalKopecks: 10_980,
            tenders: tendersOf({ cashKopecks: 10_980 }),
            vatTotals: [{ vat: 2, sumKopecks: 998 }],
          },
        ],
        corrections: 0,
      };
      expect(closed.shiftReport?.shiftTotals).toEqual(totals);
      expect(closed.shiftReport?.driveTotals).toEqual(totals);
    });

    it("numbers documents without gaps, refused ones included, and receipts anew in each shift", async () => {
      const numbers = [(await t.openShift()).documentNumber];
      expect(refusalCode(await t.perform(receiptDocument({ tenders: tendersOf({ cashKopecks: 1 }) })))).toBe("payments-differ");
      const first = await t.fiscal(receiptDocument());
      const second = await t.fiscal(receiptDocument());
      numbers.push(first.documentNumber, second.documentNumber, (await t.fiscal(shiftDocument("close-shift"))).documentNumber);
      const again = await t.openShift();
      const third = await t.fiscal(receiptDocument());
      expect([...numbers, again.documentNumber, third.documentNumber]).toEqual([2, 3, 4, 5, 6, 7]);
      expect([first.receipt?.number, second.receipt?.number, third.receipt?.number]).toEqual([1, 2, 1]);
      expect([first.shiftNumber, again.shiftNumber]).toEqual([1, 2]);
    });

    it("gives receipts its own time, signs of ten digits and the sums as they were sent", async () => {
      await t.openShift();
      await t.later(61_000);
      const facts = await t.fiscal(sampleSale());
      expect(facts).toMatchObject({
        document: "receipt",
        time: t.told("2026-11-13 09:01:01"),
        cashierName: "Иванова М.П.",
        receipt: { number: 1, sign: 1, totalKopecks: 83_457 },
      });
      expect(facts.fiscalSign).toMatch(/^[1-4]\d{9}$/);
      expect(facts.change).toBeUndefined();
    });

    it("counts cash above the total as change and keeps only the rest in the drawer", async () => {
      await t.openShift();
      const facts = await t.fiscal(sampleSale({ tenders: tendersOf({ cashKopecks: 100_000 }) }));
      expect(facts.change).toEqual({ receivedKopecks: 100_000, changeKopecks: 16_543 });
      expect((await t.state()).drawerKopecks).toBe(83_457);
      const report = (await t.fiscal(shiftDocument("close-shift"))).shiftReport;
      expect(report?.shiftTotals.signs[0]?.tenders.cashKopecks).toBe(83_457);
    });

    it("uses the name of the cashier who opened the shift where a document brings none", async () => {
      await t.fiscal(shiftDocument("open-shift", { cashierName: "Петров П.П." }));
      const { cashierName: _, ...nameless } = receiptDocument();
      expect((await t.fiscal(nameless)).cashierName).toBe("Петров П.П.");
    });

    it("carries the drawer over to the next shift and registers a shift without receipts", async () => {
      await t.openShift();
      await t.slip(cashDocument("cash-in", 12_345));
      await t.fiscal(shiftDocument("close-shift"));
      await t.openShift();
      const report = (await t.fiscal(shiftDocument("close-shift"))).shiftReport;
      expect(report).toMatchObject({ receipts: 0, documents: 2, drawer: { inKopecks: 0, outKopecks: 0, balanceKopecks: 12_345 } });
    });

    it("makes slips of cash without a number of the drive", async () => {
      await t.openShift();
      const slip = await t.slip(cashDocument("cash-in", 200_000));
      expect(slip).toMatchObject({
        document: "cash-in",
        shiftNumber: 1,
        sumKopecks: 200_000,
        drawerKopecks: 200_000,
        time: "2026-11-13 09:00:00",
      });
      expect((await t.state()).lastDocumentNumber).toBe(2);
    });

    it("registers the same document twice when it is sent twice", async () => {
      await t.openShift();
      const first = await t.fiscal(receiptDocument());
      const second = await t.fiscal(receiptDocument());
      expect(second.documentNumber).toBe(first.documentNumber + 1);
    });

    it("allows a rounding of kopecks and no change of the rate totals by it", async () => {
      await t.openShift();
      const facts = await t.fiscal(sampleSale({ totalKopecks: 83_400, roundingKopecks: 57, tenders: tendersOf({ cashKopecks: 83_400 }) }));
      expect(facts.receipt?.totalKopecks).toBe(83_400);
    });

    it("registers a receipt of nothing, which bonus points paid in full", async () => {
      await t.openShift();
      const free = receiptLine({ priceKopecks: 0, sumKopecks: 0, vatKopecks: 0 });
      const facts = await t.fiscal(receiptDocument({ lines: [free], totalKopecks: 0, tenders: tendersOf({}), vatTotals: [] }));
      expect(facts.receipt?.totalKopecks).toBe(0);
    });
  });

  describe("refuses, and registers nothing", () => {
    it("refuses a sale, a slip and a close report without a shift", async () => {
      for (const document of [receiptDocument(), cashDocument("cash-in", 1), shiftDocument("close-shift")]) {
        expect(refusalCode(await t.perform(document))).toBe("shift-closed");
      }
      expect((await t.state()).lastDocumentNumber).toBe(1);
    });

    it("refuses to open a shift twice", async () => {
      await t.openShift();
      expect(refusalCode(await t.perform(shiftDocument("open-shift")))).toBe("shift-already-open");
    });

    it("refuses receipts and slips in a shift of 24 hours, which can still be closed", async () => {
      await t.openShift();
      await t.later(DAY_MS - 1_000);
      await t.fiscal(receiptDocument());
      expect((await t.state()).shift).toMatchObject({ kind: "open", expired: false });
      await t.later(1_000);
      expect((await t.state()).shift).toMatchObject({ kind: "open", expired: true });
      expect(refusalCode(await t.perform(receiptDocument()))).toBe("shift-expired");
      expect(refusalCode(await t.perform(cashDocument("cash-in", 1)))).toBe("shift-expired");
      await t.fiscal(shiftDocument("close-shift"));
      await t.openShift();
    });

    it("refuses a return and a payout above the cash in the drawer", async () => {
      await t.openShift();
      await t.slip(cashDocument("cash-in", 9_999));
      expect(refusalCode(await t.perform(receiptDocument({ sign: 2 })))).toBe("cash-short");
      expect(refusalCode(await t.perform(cashDocument("cash-out", 10_000)))).toBe("cash-short");
      await t.fiscal(receiptDocument({ sign: 2, tenders: tendersOf({ nonCashKopecks: 10_000 }) }));
      expect((await t.state()).drawerKopecks).toBe(9_999);
    });

    it.each([
      ["payments below the total", { tenders: tendersOf({ cashKopecks: 9_999 }) }, "payments-differ"],
      ["cashless payments above the total", { tenders: tendersOf({ nonCashKopecks: 10_001 }) }, "payments-differ"],
      [
        "a rounding of a whole rouble",
        { totalKopecks: 9_900, roundingKopecks: 100, tenders: tendersOf({ cashKopecks: 9_900 }) },
        "payments-differ",
      ],
      ["a total that is not that of the lines", { totalKopecks: 9_999, tenders: tendersOf({ cashKopecks: 9_999 }) }, "payments-differ"],
      ["a line two kopecks off its price", { lines: [receiptLine({ priceKopecks: 10_002 })] }, "device-refused"],
      ["a name of 129 bytes", { lines: [receiptLine({ name: "ж".repeat(129) })] }, "document-too-large"],
      ["no lines", { lines: [], totalKopecks: 0, tenders: tendersOf({}) }, "device-refused"],
    ])("refuses %s", async (_, wrong, code) => {
      await t.openShift();
      expect(refusalCode(await t.perform(receiptDocument(wrong)))).toBe(code);
      expect((await t.state()).lastDocumentNumber).toBe(2);
    });

    it("refuses more lines than a document of the drive holds", async () => {
      await t.openShift();
      const lines = Array.from({ length: 400 }, () => receiptLine({ name: "Очень длинное название товара ".repeat(4).slice(0, 120) }));
      const many = { lines, totalKopecks: 4_000_000, tenders: tendersOf({ cashKopecks: 4_000_000 }) };
      expect(refusalCode(await t.perform(receiptDocument(many)))).toBe("document-too-large");
      await t.fiscal(receiptDocument());
    });

    it("refuses everything without paper and goes on once it has some", async () => {
      await t.openShift();
      t.device.setPaper(false);
      expect((await t.state()).paper).toBe("out");
      expect(refusalCode(await t.perform(receiptDocument()))).toBe("no-paper");
      t.device.setPaper(true);
      await t.fiscal(receiptDocument());
    });

    it("refuses when its clock is before the last document, not when it was corrected by seconds", async () => {
      await t.openShift();
      await t.fiscal(receiptDocument());
      t.inject({ clockOffsetMs: () => -5_000 });
      expect((await t.fiscal(receiptDocument())).time).toBe("2026-11-13 09:00:00");
      expect((await t.state()).time).toBe("2026-11-13 09:00:00");
      t.inject({ clockOffsetMs: () => -HOUR_MS });
      expect(refusalCode(await t.perform(receiptDocument()))).toBe("clock-wrong");
      expect(refusalCode(await t.perform(shiftDocument("close-shift")))).toBe("clock-wrong");
    });

    it.each([
      [0x03, "device-refused"],
      [0x05, "drive-exhausted"],
      [0x06, "drive-exhausted"],
      [0x07, "clock-wrong"],
      [0x12, "drive-exhausted"],
      [0x14, "operator-queue-blocked"],
      [0x16, "shift-expired"],
    ] satisfies [DriveCode, string][])("says what the drive's code %i means, and keeps the code beside it", async (code, meaning) => {
      await t.openShift();
      t.inject({ before: once("receipt", { kind: "refuse", code }) });
      const outcome = await t.perform(receiptDocument());
      expect(refusalCode(outcome)).toBe(meaning);
      expect(outcome).toMatchObject({ refusal: { device: { words: expect.stringMatching(/[а-я]/) } } });
      await t.fiscal(receiptDocument());
    });
  });
});
