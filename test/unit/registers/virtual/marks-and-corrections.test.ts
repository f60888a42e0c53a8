import { describe, expect, it } from "vitest";
import type { CorrectionDocument, ReceiptDocument, RegisterDocument } from "../../../../src/model/document.ts";
import type { DocumentFacts } from "../../../../src/model/facts.ts";
import { readTlvs, readValue } from "../../../../src/registers/tags/tlv.ts";
import { type DeviceOptions, VirtualDevice } from "../../../../src/registers/virtual/device.ts";
import { MemoryDrive } from "../../../../src/registers/virtual/drive.ts";
import { receiptDocument, receiptLine, shiftDocument, tendersOf } from "../../../support/register-documents.ts";
import { MORNING_MS, sameChance, ZONE } from "../../../support/registers.ts";
import { VirtualClock } from "../../../support/virtual-clock.ts";

const GS = "\u001d";

/** A device with an open shift. Opening the same storage again is a restart. */
async function openDevice(more: Partial<DeviceOptions> = {}): Promise<VirtualDevice> {
  const options = { name: "kassa", storage: new MemoryDrive(), clock: new VirtualClock(MORNING_MS), chance: sameChance, zone: ZONE };
  const { device } = await VirtualDevice.open({ ...options, ...more });
  await device.make(shiftDocument("open-shift"));
  return device;
}

/** The facts of the document, or the code of its refusal. */
async function made(device: VirtualDevice, document: RegisterDocument): Promise<DocumentFacts | number | string> {
  const answer = await device.make(document);
  if (answer.kind === "silent") throw new Error(answer.reason);
  return answer.kind === "answer" ? answer.value : answer.refusal.code;
}

function checksOf(facts: DocumentFacts | number | string): unknown {
  return typeof facts === "object" && facts.kind === "fiscal" ? facts.markChecks : facts;
}

function mark(serial: string, gtin = "04600000000008"): string {
  return `01${gtin}21${serial}${GS}91EE10${GS}92${"x".repeat(44)}`;
}

/** A receipt with one piece for 100.00 for each mark, and one piece without a mark. */
function marked(marks: string[], more: Partial<ReceiptDocument> = {}): ReceiptDocument {
  const lines = [...marks.map((code) => receiptLine({ mark: code, subject: 33 })), receiptLine()];
  const totalKopecks = 100_00 * lines.length;
  const vatTotals = [{ vat: 11 as const, sumKopecks: 18_03 * lines.length }];
  return receiptDocument({ lines, totalKopecks, tenders: tendersOf({ nonCashKopecks: totalKopecks }), vatTotals, ...more });
}

function correction(more: Partial<CorrectionDocument> = {}): CorrectionDocument {
  return { ...receiptDocument(), kind: "correction", basis: { kind: "own", settledOn: "2026-11-10" }, ...more };
}

describe("marks at the virtual device", () => {
  it("are checked by their product numbers, and the results stand in the facts and in the drive", async () => {
    const device = await openDevice();
    const gtins = [
      "04600000000008",
      "09520000000059",
      "09520000000073",
      "09520000000134",
      "09520000000035",
      "09520000000011",
      "09520000000004",
    ];
    const facts = await made(device, marked(gtins.map((gtin, at) => mark(`serial000000${at}`, gtin))));
    expect(checksOf(facts)).toEqual([15, 5, 7, 13, 3, 1, 0, null]);
    const stored = await device.stored(3);
    if (stored.kind !== "answer" || stored.value === undefined) throw new Error("not stored");
    const content = readTlvs(readTlvs(stored.value.tlv)?.[0]?.value ?? Buffer.alloc(0)) ?? [];
    const results = content.flatMap((raw) => (raw.tag === 1059 ? [readTlvs(raw.value)?.find(({ tag }) => tag === 2106)] : []));
    expect(results.map((raw) => raw && readValue(raw))).toEqual([15, 5, 7, 13, 3, 1, 0, undefined]);
  });

  it("are checked by a table of one's own, also by the end of their serial numbers", async () => {
    const device = await openDevice({ markRows: [{ serialEnd: "Z", result: 3 }, { result: 15 }] });
    expect(checksOf(await made(device, marked([mark("000000000000Z"), mark("000000000000Y")])))).toEqual([3, 15, null]);
  });

  it("of no known shape are not checked", async () => {
    expect(checksOf(await made(await openDevice(), marked(["A"])))).toEqual([0, null]);
  });

  it("are sold once, until they are returned, whatever way they are spelled, also after a restart", async () => {
    const storage = new MemoryDrive();
    const device = await openDevice({ storage });
    const [code, spelled] = [mark("abcdefghijklm"), mark("abcdefghijklm").replaceAll(GS, "<GS>")];
    await made(device, marked([code]));
    expect(await made(device, marked([spelled]))).toBe("mark-sold");
    const restarted = await openDevice({ storage });
    expect(await made(restarted, marked([code]))).toBe("mark-sold");
    await made(restarted, marked([code], { sign: 2 }));
    expect(checksOf(await made(restarted, marked([spelled])))).toEqual([15, null]);
  });

  it("that occur twice in a receipt are refused, in a return too", async () => {
    const device = await openDevice();
    expect(await made(device, marked([mark("abcdefghijklm"), mark("abcdefghijklm").replaceAll(GS, "")], { sign: 2 }))).toBe(
      "mark-repeated",
    );
  });

  it.each([
    ["checked-correct", [true, false, false, false]],
    ["correct-or-unverifiable", [true, false, true, true]],
    ["checked", [true, true, false, false]],
    ["all", [true, true, true, true]],
  ] as const)("are sold as the policy %s allows, and returned whatever their checks say", async (markPolicy, allowed) => {
    const device = await openDevice();
    const gtins = ["04600000000008", "09520000000134", "09520000000035", "09520000000004"];
    const sold: boolean[] = [];
    for (const gtin of gtins) sold.push((await made(device, marked([mark("abcdefghijklm", gtin)], { markPolicy }))) !== "mark-wrong");
    expect(sold).toEqual(allowed);
    expect(checksOf(await made(device, marked([mark("abcdefghijklm", "09520000000134")], { markPolicy, sign: 2 })))).toEqual([13, null]);
  });
});

describe("corrections at the virtual device", () => {
  it("get numbers and a sign, and stand in the drive as document code 31 with their basis", async () => {
    const device = await openDevice();
    const facts = await made(device, correction({ basis: { kind: "order", settledOn: "2026-11-10", orderNumber: "2.16-42" } }));
    expect(facts).toMatchObject({ document: "correction", documentNumber: 3, receipt: { number: 1, sign: 1, totalKopecks: 100_00 } });
    const stored = await device.stored(3);
    if (stored.kind !== "answer" || stored.value === undefined) throw new Error("not stored");
    const [outer] = readTlvs(stored.value.tlv) ?? [];
    expect(outer?.tag).toBe(31);
    const content = readTlvs(outer?.value ?? Buffer.alloc(0)) ?? [];
    const read = (wanted: number, from = content) => from.filter(({ tag }) => tag === wanted).map(readValue);
    expect(read(1173)).toEqual([1]);
    const basis = readTlvs(content.find(({ tag }) => tag === 1174)?.value ?? Buffer.alloc(0)) ?? [];
    expect([read(1178, basis), read(1179, basis)]).toEqual([["2026-11-10 00:00:00"], ["2.16-42"]]);
  });

  it("count among the receipts of the shift, apart from sales and returns", async () => {
    const device = await openDevice();
    await made(device, receiptDocument());
    await made(device, correction());
    await made(device, correction({ sign: 2 }));
    const closed = await made(device, shiftDocument("close-shift"));
    if (typeof closed !== "object" || closed.kind !== "fiscal") throw new Error(String(closed));
    expect(closed.shiftReport).toMatchObject({
      receipts: 3,
      documents: 5,
      shiftTotals: {
        signs: [{ sign: 1, count: 1, totalKopecks: 100_00 }],
        corrections: 2,
        correctionSums: [
          { sign: 1, totalKopecks: 100_00 },
          { sign: 2, totalKopecks: 100_00 },
        ],
      },
      drawer: { balanceKopecks: 100_00 },
    });
  });

  it("need positions from format 1.1 on, and a sum only before", async () => {
    const bare = correction({ lines: [], vatTotals: [] });
    expect(await made(await openDevice(), bare)).toBe("bad-value");
    expect(await made(await openDevice({ ffd: "1.05" }), bare)).toMatchObject({ document: "correction" });
  });
});

describe("the data operator of the virtual device", () => {
  it("has its message on the reports of the shift", async () => {
    const device = await openDevice({ faults: { operatorMessage: () => 4 } });
    expect(await made(device, shiftDocument("close-shift"))).toMatchObject({ warnings: { operatorMessage: 4 } });
  });
});
