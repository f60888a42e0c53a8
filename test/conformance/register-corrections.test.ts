import { beforeEach, describe, expect, it } from "vitest";
import type { CorrectionDocument } from "../../src/model/document.ts";
import { readTlvs, readValue } from "../../src/registers/tags/tlv.ts";
import { correctionDocument, markCode, markedDocument } from "../support/marked-documents.ts";
import { receiptDocument, shiftDocument, tendersOf } from "../support/register-documents.ts";
import { once, REGISTERS, refusalCode, TRIED_REGISTERS, Trial } from "../support/registers.ts";

const CASH = tendersOf({ cashKopecks: 10_000 });

/** The requisites of a document in the drive, by their tags. Those of a structure are bytes. */
async function storedIn(
  t: Trial,
  documentNumber: number,
): Promise<{ code: number; read(tag: number): unknown[]; inside(tag: number): unknown[][] }> {
  const stored = await t.device.stored(documentNumber);
  if (stored.kind !== "answer" || stored.value === undefined) throw new Error("not stored");
  const [outer] = readTlvs(stored.value.tlv) ?? [];
  const content = readTlvs(outer?.value ?? Buffer.alloc(0)) ?? [];
  return {
    code: outer?.tag ?? 0,
    read: (wanted) => content.filter(({ tag }) => tag === wanted).map(readValue),
    inside: (wanted) =>
      content
        .filter(({ tag }) => tag === wanted)
        .flatMap(({ value }) => readTlvs(value) ?? [])
        .map((raw) => [raw.tag, readValue(raw)]),
  };
}

describe.each(TRIED_REGISTERS)("corrections at a register that speaks %s", (scheme) => {
  describe("under format 1.2", () => {
    let t: Trial;

    beforeEach(async () => {
      t = await Trial.begin(scheme);
    });

    it("are made as documents of code 31 with their basis, the sign of the wrong receipt and our id", async () => {
      await t.openShift();
      const facts = await t.fiscal(
        correctionDocument({ basis: { kind: "order", settledOn: "2026-11-10", orderNumber: "2.16-42" }, tenders: CASH }),
      );
      expect(facts).toMatchObject({
        document: "correction",
        documentNumber: 3,
        shiftNumber: 1,
        time: t.told("2026-11-13 09:00:00"),
        receipt: { number: 1, sign: 1, totalKopecks: 10_000 },
      });
      const stored = await storedIn(t, 3);
      expect(stored.code).toBe(31);
      expect([stored.read(1054), stored.read(1173), stored.read(1192), stored.read(1020)]).toEqual([[1], [1], ["1204745171"], [10_000]]);
      expect(stored.inside(1174)).toEqual([
        [1178, "2026-11-10 00:00:00"],
        [1179, "2.16-42"],
      ]);
      expect(stored.read(1059)).toHaveLength(1);
      expect(stored.inside(1084)).toEqual([
        [1085, "ID"],
        [1086, "ref-correction"],
      ]);
      expect((await t.state()).drawerKopecks).toBe(10_000);
    });

    it.each([1, 2, 3, 4] as const)("are made with sign %i, the opposite of a wrong one included", async (sign) => {
      await t.openShift();
      await t.fiscal(receiptDocument());
      const facts = await t.fiscal(correctionDocument({ sign }));
      expect(facts).toMatchObject({ document: "correction", receipt: { number: 2, sign, totalKopecks: 10_000 } });
      expect(await t.lookUp(facts.documentNumber)).toEqual({ kind: "found", facts, reference: "ref-correction" });
      expect((await t.state()).drawerKopecks).toBe(sign === 1 || sign === 4 ? 20_000 : 0);
    });

    it("keep the VAT rate of the settlement's own date", async () => {
      await t.openShift();
      const lines = correctionDocument().lines.map((line) => ({ ...line, vat: 1 as const, vatKopecks: 1_667 }));
      const { documentNumber } = await t.fiscal(correctionDocument({ lines, vatTotals: [{ vat: 1, sumKopecks: 1_667 }] }));
      const stored = await storedIn(t, documentNumber);
      expect([stored.read(1102), stored.inside(1059).filter(([tag]) => tag === 1199)]).toEqual([[1_667], [[1199, 1]]]);
    });

    it("are refused without positions", async () => {
      await t.openShift();
      expect(refusalCode(await t.perform(correctionDocument({ lines: [], vatTotals: [] })))).toBe("device-refused");
      expect((await t.state()).lastDocumentNumber).toBe(2);
    });

    it("carry the marks that they repeat, whatever the policy of the point of sale, and free what they undo", async () => {
      await t.openShift();
      const sold = markedDocument([markCode("abcdefghijklm")], { markPolicy: "checked-correct" });
      await t.fiscal(sold);
      expect(refusalCode(await t.perform(sold))).toBe("mark-denied");
      const undo = await t.fiscal({ ...sold, kind: "correction", sign: 2, basis: { kind: "own", settledOn: "2026-11-13" } });
      expect(undo.markChecks).toEqual([15, null]);
      await t.fiscal(sold);
    });

    it("are counted by the report that closes their shift, apart from receipts", async () => {
      await t.openShift();
      await t.fiscal(receiptDocument());
      await t.fiscal(correctionDocument());
      await t.fiscal(correctionDocument({ sign: 2 }));
      const closed = await t.fiscal(shiftDocument("close-shift"));
      expect(closed.shiftReport).toMatchObject({
        receipts: 3,
        documents: 5,
        shiftTotals: {
          signs: [{ sign: 1, count: 1, totalKopecks: 10_000 }],
          corrections: 2,
          correctionSums: [
            { sign: 1, totalKopecks: 10_000 },
            { sign: 2, totalKopecks: 10_000 },
          ],
        },
      });
    });
  });

  describe("under format 1.05", () => {
    let t: Trial;

    beforeEach(async () => {
      t = await Trial.begin(scheme, { ffd: "1.05" });
    });

    it.each([1, 3] as const)("are made with sign %i: their sums and taxes, and no positions", async (sign) => {
      await t.openShift();
      await t.fiscal(receiptDocument());
      const rates = { lines: correctionDocument().lines.map((line) => ({ ...line, vat: 2 as const, vatKopecks: 909 })) };
      const basis = { kind: "order" as const, settledOn: "2026-11-10", orderNumber: "12/3", description: "Акт" };
      const facts = await t.fiscal(correctionDocument({ sign, basis, ...rates, vatTotals: [{ vat: 2, sumKopecks: 909 }] }));
      expect(facts).toMatchObject({ document: "correction", documentNumber: 4, receipt: { number: 2, sign, totalKopecks: 10_000 } });
      const stored = await storedIn(t, 4);
      expect(stored.code).toBe(31);
      expect([stored.read(1059), stored.read(1103), stored.read(1173), stored.read(1031)]).toEqual([[], [909], [1], [10_000]]);
      expect(stored.inside(1174)).toEqual([
        [1177, "Акт"],
        [1178, "2026-11-10 00:00:00"],
        [1179, "12/3"],
      ]);
      expect(await t.lookUp(4)).toEqual({ kind: "found", facts, reference: "ref-correction" });
    });

    it("are refused when the texts of their basis are too long together, and nothing is begun", async () => {
      await t.openShift();
      const basis = { kind: "order", settledOn: "2026-11-10", description: "д".repeat(256) } as const;
      const outcome = await t.perform(correctionDocument({ basis: { ...basis, orderNumber: "7".repeat(32) } }));
      expect(outcome).toMatchObject({ kind: "refused", refusal: { code: "document-too-large" } });
      expect((await t.state()).lastDocumentNumber).toBe(2);
      await t.fiscal(correctionDocument({ basis: { ...basis, orderNumber: "7".repeat(20) } }));
    });

    it.each([2, 4] as const)("are refused in words with sign %i: the format knows no correction of returns", async (sign) => {
      await t.openShift();
      const outcome = await t.perform(correctionDocument({ sign }));
      expect(outcome).toMatchObject({
        kind: "refused",
        refusal: { code: "device-refused", device: { words: expect.stringContaining("не знает коррекции возвратов") } },
      });
      expect((await t.state()).lastDocumentNumber).toBe(2);
      await t.fiscal(receiptDocument());
    });
  });

  it.each(["1.2", "1.05"] as const)("of format %s are refused without a shift, in an expired one and without paper", async (ffd) => {
    const t = await Trial.begin(scheme, { ffd });
    expect(refusalCode(await t.perform(correctionDocument()))).toBe("shift-closed");
    await t.openShift();
    t.device.setPaper(false);
    expect(refusalCode(await t.perform(correctionDocument()))).toBe("no-paper");
    t.device.setPaper(true);
    t.inject({ shiftExpired: () => true });
    expect(refusalCode(await t.perform(correctionDocument()))).toBe("shift-expired");
    expect((await t.state()).lastDocumentNumber).toBe(2);
  });

  it.each(["1.2", "1.05"] as const)("of format %s whose payments fall short are refused with both sums", async (ffd) => {
    const t = await Trial.begin(scheme, { ffd });
    await t.openShift();
    const outcome = await t.perform(correctionDocument({ tenders: tendersOf({ cashKopecks: 9_999 }) }));
    expect(outcome).toMatchObject({ kind: "refused", refusal: { code: "payments-differ", details: { total: "100.00", paid: "99.99" } } });
    expect((await t.state()).documentOpen).toBe(false);
    await t.fiscal(correctionDocument());
  });

  it.each(["1.2", "1.05"] as const)("of format %s whose answer is lost are in doubt, and found by number and id", async (ffd) => {
    const t = await Trial.begin(scheme, { ffd });
    await t.openShift();
    t.inject({ after: once("correction", { kind: "lose-reply" }) });
    expect((await t.perform(correctionDocument())).kind).toBe("in-doubt");
    expect((await t.state()).lastDocumentNumber).toBe(3);
    expect(await t.lookUp(3)).toMatchObject({
      kind: "found",
      reference: "ref-correction",
      facts: { document: "correction", receipt: { sign: 1, totalKopecks: 10_000 } },
    });
    expect((await t.fiscal(receiptDocument())).receipt?.number).toBe(2);
  });

  it.each([
    ["1.2", "before", 2],
    ["1.2", "after", 3],
    ["1.05", "before", 2],
    ["1.05", "after", 3],
  ] as const)("of format %s are in doubt at a power cut %s registration, and document %i is the last then", async (ffd, when, last) => {
    const t = await Trial.begin(scheme, { ffd });
    await t.openShift();
    t.inject({ [when]: once("correction", { kind: "power-cut" }) });
    expect((await t.perform(correctionDocument())).kind).toBe("in-doubt");
    t.device.powerOn();
    expect((await t.state()).lastDocumentNumber).toBe(last);
    expect((await t.fiscal(correctionDocument())).documentNumber).toBe(last + 1);
  });
});

/** The content of a document in the drive as `tag hex`, without the sign (1077), which differs each time the document is made. */
async function contentIn(t: Trial, documentNumber: number): Promise<string[]> {
  const stored = await t.device.stored(documentNumber);
  if (stored.kind !== "answer" || stored.value === undefined) throw new Error("not stored");
  const [outer] = readTlvs(stored.value.tlv) ?? [];
  const inside = readTlvs(outer?.value ?? Buffer.alloc(0)) ?? [];
  return inside.filter(({ tag }) => tag !== 1077).map(({ tag, value }) => `${tag} ${value.toString("hex")}`);
}

describe("a correction in the drive", () => {
  const own = correctionDocument();
  const order = correctionDocument({ basis: { kind: "order", settledOn: "2026-11-10", orderNumber: "2.16-42", description: "Акт" } });
  const marked = { ...markedDocument([markCode("abcdefghijklm")]), kind: "correction" as const, basis: own.basis };
  const buyer = correctionDocument({
    buyerContact: "+79001234567",
    senderEmail: "kassa@example.org",
    place: "Ларёк",
    taxSystem: "usn-income",
  });

  it.each([
    ["1.2", [own, order, marked, buyer, { ...own, sign: 2 as const }]],
    ["1.05", [withRate10(own), withRate10(order), withRate10(buyer)]],
  ] as const)("of format %s has the same requisites in the same order, whatever protocol asked for it", async (ffd, documents) => {
    const contents = await Promise.all(
      REGISTERS.map(async (scheme) => {
        const t = await Trial.begin(scheme, { ffd });
        await t.openShift();
        await t.fiscal(receiptDocument());
        const found: string[][] = [];
        for (const document of documents) found.push(await contentIn(t, (await t.fiscal(document)).documentNumber));
        return found;
      }),
    );
    for (const content of contents) expect(content).toEqual(contents[0]);
  });
});

/** The correction with a rate that has a field in FF4A, whatever the device does with 20 %. */
function withRate10(document: CorrectionDocument): CorrectionDocument {
  const lines = document.lines.map((line) => ({ ...line, vat: 2 as const, vatKopecks: 909 }));
  return { ...document, lines, vatTotals: [{ vat: 2, sumKopecks: 909 }] };
}
