import { describe, expect, it } from "vitest";
import type { CorrectionDocument, ReceiptDocument } from "../../../../src/model/document.ts";
import { settlementTags } from "../../../../src/registers/tags/settlement.ts";
import type { Requisite } from "../../../../src/registers/tags/tags.ts";
import { encodeRequisites, readTlvs, readValue } from "../../../../src/registers/tags/tlv.ts";
import { receiptDocument, receiptLine, sampleSale, tendersOf } from "../../../support/register-documents.ts";

const GS = "\u001d";

function plain(requisites: readonly Requisite[]): Record<number, unknown> {
  return Object.fromEntries(requisites.map(({ tag, value }) => [tag, Array.isArray(value) ? plain(value as Requisite[]) : value]));
}

/** The return of fiscal-receipts 9.2. */
function sampleReturn(): ReceiptDocument {
  const boots = receiptLine({
    name: "Ботинки мужские, арт. 1234, р. 42",
    priceKopecks: 2541_50,
    sumKopecks: 2541_50,
    vat: 7,
    vatKopecks: 121_02,
    subject: 33,
  });
  return receiptDocument({
    sign: 2,
    taxSystem: "usn-income",
    lines: [
      { ...boots, mark: `010460000000000821abcdefghijklm${GS}91EE10${GS}92<88 characters>` },
      { ...boots, mark: `010460000000000821nopqrstuvwxyz${GS}91EE10${GS}92<88 characters>` },
      receiptLine({ name: "Крем для обуви", priceKopecks: 349_00, sumKopecks: 349_00, vat: 7, vatKopecks: 16_62 }),
    ],
    totalKopecks: 5432_00,
    tenders: tendersOf({ nonCashKopecks: 5432_00 }),
    vatTotals: [{ vat: 7, sumKopecks: 258_66 }],
    originalSign: "1204745171",
  });
}

describe("the tags of a settlement", () => {
  it("are those of the sale in fiscal-receipts 9.1", () => {
    const tags = settlementTags(sampleSale(), "1.2");
    expect(plain(tags.kind)).toEqual({ 1054: 1, 1055: 1 });
    expect(plain(tags.sums)).toEqual({
      1020: 834_57,
      1031: 834_57,
      1081: 0,
      1215: 0,
      1216: 0,
      1217: 0,
      1103: 39_07,
      1115: { 1119: { 1199: 11, 1120: 72_98 } },
    });
    expect(tags.positions.map(plain)).toEqual([
      { 1030: 'Хлеб "Дарницкий" 400 г', 1079: 54_90, 1023: 2_000_000, 2108: 0, 1043: 109_80, 1199: 2, 1200: 9_98, 1214: 4, 1212: 1 },
      { 1030: 'Сыр "Российский" весовой', 1079: 899_00, 1023: 356_000, 2108: 11, 1043: 320_04, 1199: 2, 1200: 29_09, 1214: 4, 1212: 1 },
      {
        1030: 'Средство для мытья посуды "Образец", лимон, 1 л',
        1079: 134_91,
        1023: 3_000_000,
        2108: 0,
        1043: 404_73,
        1199: 11,
        1200: 72_98,
        1214: 4,
        1212: 1,
      },
    ]);
  });

  it("are those of the return in fiscal-receipts 9.2, marks and their checks included", () => {
    const tags = settlementTags(sampleReturn(), "1.2", { markChecks: [15, 15, null] });
    expect(plain(tags.kind)).toEqual({ 1054: 2, 1055: 2 });
    expect(plain(tags.sums)).toMatchObject({ 1020: 5432_00, 1031: 0, 1081: 5432_00, 1115: { 1119: { 1199: 7, 1120: 258_66 } } });
    expect(tags.positions.map(plain)).toMatchObject([
      {
        1079: 2541_50,
        1043: 2541_50,
        1199: 7,
        1200: 121_02,
        1212: 33,
        1163: { 1305: "010460000000000821abcdefghijklm" },
        2102: 0,
        2106: 15,
      },
      {
        1079: 2541_50,
        1043: 2541_50,
        1199: 7,
        1200: 121_02,
        1212: 33,
        1163: { 1305: "010460000000000821nopqrstuvwxyz" },
        2102: 0,
        2106: 15,
      },
      { 1079: 349_00, 1043: 349_00, 1199: 7, 1200: 16_62, 1212: 1 },
    ]);
    expect(plain(tags.positions[2] ?? [])).not.toHaveProperty("1163");
    expect(plain(tags.extra)).toEqual({ 1192: "1204745171", 1084: { 1085: "ID", 1086: "ref-sale" } });
  });

  it("of format 1.05 name the unit in words, the mark in bytes, and no subject that came later", () => {
    const [first, , third] = settlementTags(sampleReturn(), "1.05", { markChecks: [15, 15, null] }).positions.map(plain);
    expect(first).toMatchObject({ 1197: "шт.", 1212: 1, 1162: Buffer.from("444D042F055DB0086162636465666768696A6B6C6D", "hex") });
    for (const tag of ["2108", "1163", "2102", "2106"]) expect(first).not.toHaveProperty(tag);
    expect(third).not.toHaveProperty("1162");
  });

  it("carry the buyer, the sender and the point of sale where the document names them", () => {
    const document = receiptDocument({
      buyerContact: "+70000000000",
      senderEmail: "check@ofd.example",
      address: "Адрес",
      place: "Касса 2",
    });
    const tags = settlementTags(document, "1.2");
    expect(plain(tags.buyer)).toEqual({ 1008: "+70000000000", 1117: "check@ofd.example" });
    expect(plain(tags.place)).toEqual({ 1021: "Иванова М.П.", 1009: "Адрес", 1187: "Касса 2" });
  });

  it("name the registered sender where the buyer's contact makes one due and the document has none", () => {
    const made = { registeredSender: "check@ofd.example" };
    const withContact = settlementTags(receiptDocument({ buyerContact: "+70000000000" }), "1.2", made);
    expect(plain(withContact.buyer)).toEqual({ 1008: "+70000000000", 1117: "check@ofd.example" });
    expect(settlementTags(receiptDocument(), "1.2", made).buyer).toEqual([]);
  });

  it("hold one structure for all new rates and a tag for each old one", () => {
    const vatTotals = ([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] as const).map((vat) => ({ vat, sumKopecks: vat }));
    const sums = settlementTags(receiptDocument({ vatTotals }), "1.2").sums.slice(6);
    expect(sums.map(({ tag }) => tag)).toEqual([1102, 1103, 1106, 1107, 1104, 1105, 1115]);
    const shared = readTlvs(readTlvs(encodeRequisites(sums.slice(-1)))?.[0]?.value ?? Buffer.alloc(0)) ?? [];
    const pairs = shared.map(({ value }) => (readTlvs(value) ?? []).map(readValue));
    expect(pairs).toEqual([7, 8, 9, 10, 11, 12].map((vat) => [vat, vat]));
  });

  it("hold the permit of the permit mode under format 1.2", () => {
    const permit = { authority: "030", ruleDate: "21.11.2023", ruleNumber: "1944", value: "UUID=1&Time=2" };
    const document = receiptDocument({ lines: [receiptLine({ permit })] });
    const position = (ffd: "1.05" | "1.2") => plain(settlementTags(document, ffd).positions[0] ?? []);
    expect(position("1.2")).toMatchObject({ 1260: { 1262: "030", 1263: "21.11.2023", 1264: "1944", 1265: "UUID=1&Time=2" } });
    expect(position("1.05")).not.toHaveProperty("1260");
  });

  it("of a correction say why it is made, and the number of an order only where there was one", () => {
    const kindOf = (basis: CorrectionDocument["basis"]) => settlementTags({ ...receiptDocument(), kind: "correction", basis }, "1.2").kind;
    expect(plain(kindOf({ kind: "own", settledOn: "2026-11-10" }))).toMatchObject({ 1173: 0, 1174: { 1178: "2026-11-10 00:00:00" } });
    expect(plain(kindOf({ kind: "order", settledOn: "2026-11-10", orderNumber: "2.16-42" }))).toMatchObject({
      1173: 1,
      1174: { 1178: "2026-11-10 00:00:00", 1179: "2.16-42" },
    });
  });

  it("of a correction say what it is about, and name no positions, in the one format that has it so", () => {
    const basis = { kind: "own", settledOn: "2026-11-10", description: "Акт" } as const;
    const correction: CorrectionDocument = { ...receiptDocument(), kind: "correction", basis };
    expect(plain(settlementTags(correction, "1.05").kind)).toMatchObject({ 1174: { 1177: "Акт", 1178: "2026-11-10 00:00:00" } });
    expect(settlementTags(correction, "1.05").positions).toEqual([]);
    for (const ffd of ["1.1", "1.2"] as const) {
      expect(plain(settlementTags(correction, ffd).kind)).not.toHaveProperty("1174.1177");
      expect(settlementTags(correction, ffd).positions).toHaveLength(1);
    }
  });
});
