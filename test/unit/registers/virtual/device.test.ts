import { createSecretKey } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { RegisterDocument } from "../../../../src/model/document.ts";
import { type RawTlv, readTlvs, readValue, tlv } from "../../../../src/registers/tags/tlv.ts";
import { type DeviceOptions, VirtualDevice } from "../../../../src/registers/virtual/device.ts";
import { MemoryDrive } from "../../../../src/registers/virtual/drive.ts";
import { fiscalSign } from "../../../../src/registers/virtual/signs.ts";
import { cashDocument, receiptDocument, receiptLine, sampleSale, shiftDocument, tendersOf } from "../../../support/register-documents.ts";
import { MORNING_MS, sameChance, ZONE } from "../../../support/registers.ts";
import { VirtualClock } from "../../../support/virtual-clock.ts";

async function open(more: Partial<DeviceOptions> = {}): Promise<VirtualDevice> {
  const clock = new VirtualClock(MORNING_MS);
  const { device } = await VirtualDevice.open({
    name: "kassa",
    storage: new MemoryDrive(),
    clock,
    chance: sameChance,
    zone: ZONE,
    ...more,
  });
  return device;
}

async function make(device: VirtualDevice, ...documents: RegisterDocument[]): Promise<void> {
  for (const document of documents) {
    const answer = await device.make(document);
    if (answer.kind !== "answer") throw new Error(JSON.stringify(answer));
  }
}

async function tlvOf(device: VirtualDevice, documentNumber: number): Promise<Buffer> {
  const answer = await device.stored(documentNumber);
  if (answer.kind !== "answer" || answer.value === undefined) throw new Error(JSON.stringify(answer));
  return answer.value.tlv;
}

/** Returns the document's code and its requisites. A requisite that contains others stays undecoded. */
async function requisites(device: VirtualDevice, documentNumber: number): Promise<{ code: number | undefined; found: RawTlv[] }> {
  const [outer] = readTlvs(await tlvOf(device, documentNumber)) ?? [];
  return { code: outer?.tag, found: readTlvs(outer?.value ?? Buffer.alloc(0)) ?? [] };
}

function valuesOf(found: RawTlv[], ...tags: number[]): Record<string, unknown> {
  return Object.fromEntries(found.filter(({ tag }) => tags.includes(tag)).map((raw) => [raw.tag, readValue(raw)]));
}

describe("documents in the drive", () => {
  it("hold the sale of fiscal-receipts 9.1 as its tags", async () => {
    const device = await open();
    await make(device, shiftDocument("open-shift"), sampleSale({ buyerContact: "+70000000000", senderEmail: "check@ofd.example" }));
    const { code, found } = await requisites(device, 3);
    expect(code).toBe(3);
    expect(valuesOf(found, 1209, 1054, 1055, 1020, 1031, 1081, 1103, 1008, 1117, 1038, 1042, 1040, 1012, 1021, 1018)).toEqual({
      1209: 4,
      1054: 1,
      1055: 1,
      1020: 83_457,
      1031: 83_457,
      1081: 0,
      1103: 3_907,
      1008: "+70000000000",
      1117: "check@ofd.example",
      1038: 1,
      1042: 1,
      1040: 3,
      1012: "2026-11-13 09:00:00",
      1021: "Иванова М.П.",
      1018: "9600123459",
    });
    const shared = found.find(({ tag }) => tag === 1115);
    expect(shared?.value.equals(tlv(1119, [tlv(1199, 11), tlv(1120, 7_298)]))).toBe(true);
    const positions = found
      .filter(({ tag }) => tag === 1059)
      .map(({ value }) => valuesOf(readTlvs(value) ?? [], 1030, 1079, 1023, 1043, 2108, 1199, 1200, 1212, 1214));
    expect(positions[1]).toEqual({
      1030: 'Сыр "Российский" весовой',
      1079: 89_900,
      1023: 356_000,
      1043: 32_004,
      2108: 11,
      1199: 2,
      1200: 2_909,
      1212: 1,
      1214: 4,
    });
  });

  it("end with a sign over everything before it, the same for the same document under the same secret", async () => {
    const [one, two] = [await open(), await open()];
    for (const device of [one, two]) await make(device, shiftDocument("open-shift"), sampleSale());
    const bytes = await tlvOf(one, 3);
    expect(bytes.equals(await tlvOf(two, 3))).toBe(true);
    const answer = await one.stored(3);
    const content = bytes.subarray(4, bytes.length - 10);
    expect(answer).toMatchObject({ value: { facts: { fiscalSign: fiscalSign(createSecretKey(Buffer.alloc(32, 7)), content) } } });
  });

  it("carry our reference in tag 1084 and the sign of the sale in tag 1192 of a return", async () => {
    const device = await open();
    await make(
      device,
      shiftDocument("open-shift"),
      sampleSale(),
      receiptDocument({ sign: 2, reference: "0123456789abcdef", originalSign: "1204745171" }),
    );
    const { found } = await requisites(device, 4);
    expect(valuesOf(found, 1054, 1192)).toEqual({ 1054: 2, 1192: "1204745171" });
    const own = found.find(({ tag }) => tag === 1084);
    expect(valuesOf(readTlvs(own?.value ?? Buffer.alloc(0)) ?? [], 1086)).toEqual({ 1086: "0123456789abcdef" });
  });

  it("name the address of the document before that of the registration", async () => {
    const device = await open();
    await make(device, shiftDocument("open-shift", { address: "г. Другой", place: "Киоск" }));
    const { code, found } = await requisites(device, 2);
    expect(code).toBe(2);
    expect(valuesOf(found, 1009, 1187, 1048)).toEqual({ 1009: "г. Другой", 1187: "Киоск", 1048: 'ООО "ОБРАЗЕЦ-РИТЕЙЛ"' });
  });

  it("hold the counters of a closed shift", async () => {
    const device = await open();
    await make(device, shiftDocument("open-shift"), sampleSale(), shiftDocument("close-shift"));
    const { code, found } = await requisites(device, 4);
    expect(code).toBe(5);
    expect(valuesOf(found, 1118, 1111, 1097, 1213)).toEqual({ 1118: 1, 1111: 3, 1097: 0, 1213: 1_110 });
    const totals = found.find(({ tag }) => tag === 1194);
    const sales = readTlvs(totals?.value ?? Buffer.alloc(0))?.find(({ tag }) => tag === 1129);
    expect(valuesOf(readTlvs(sales?.value ?? Buffer.alloc(0)) ?? [], 1135, 1201, 1136, 1140)).toEqual({
      1135: 1,
      1201: 83_457,
      1136: 83_457,
      1140: 3_907,
    });
  });

  it("begin with the registration, every tax system in one mask", async () => {
    const { code, found } = await requisites(await open(), 1);
    expect(code).toBe(1);
    expect(valuesOf(found, 1040, 1062, 1188, 1189, 1060)).toEqual({
      1040: 1,
      1062: 55,
      1188: "EMU 1.0",
      1189: 4,
      1060: "www.nalog.gov.ru",
    });
  });
});

describe("the virtual device", () => {
  it("is registered with the seller it is given, once and for all", async () => {
    const storage = new MemoryDrive();
    const seller = { sellerName: "ИП ОБРАЗЦОВ", inn: "960012345605", taxSystems: ["patent" as const] };
    const first = await open({ storage, seller });
    await make(first, shiftDocument("open-shift"));
    expect(await first.make(receiptDocument())).toEqual({
      kind: "refused",
      refusal: { by: "drive", code: 9, details: { taxSystem: "ОСН" } },
    });
    await make(first, receiptDocument({ taxSystem: "patent", vatTotals: [{ vat: 6, sumKopecks: 10_000 }] }));
    const again = await open({ storage });
    expect(await again.identify()).toMatchObject({ value: { sellerName: "ИП ОБРАЗЦОВ", inn: "960012345605", taxSystems: ["patent"] } });
  });

  it("is not registered with a seller whose INN has wrong check digits or whose name is too long", async () => {
    await expect(open({ seller: { inn: "9600123458" } })).rejects.toMatchObject({ code: "seller-invalid", kind: "caller" });
    await expect(open({ seller: { place: "ж".repeat(257) } })).rejects.toMatchObject({ code: "seller-invalid" });
  });

  it("carries commands out one after another, however they come", async () => {
    const device = await open();
    const answers = await Promise.all([
      device.make(shiftDocument("open-shift")),
      ...Array.from({ length: 20 }, () => device.make(receiptDocument())),
      device.make(shiftDocument("close-shift")),
      device.state(),
    ]);
    const numbers = answers.flatMap((answer) =>
      answer.kind === "answer" && "documentNumber" in answer.value ? [answer.value.documentNumber] : [],
    );
    expect(numbers).toEqual(Array.from({ length: 22 }, (_, index) => index + 2));
    expect(answers.at(-1)).toMatchObject({ value: { lastDocumentNumber: 23, shift: { kind: "closed", lastNumber: 1 } } });
  });

  it("takes cash for purchases out of the drawer and puts it back for their returns", async () => {
    const device = await open();
    await make(device, shiftDocument("open-shift"), cashDocument("cash-in", 15_000), receiptDocument({ sign: 3 }));
    expect(await device.make(receiptDocument({ sign: 3 }))).toMatchObject({
      kind: "refused",
      refusal: { code: "cash-short", details: { drawer: "50.00", required: "100.00" } },
    });
    await make(device, receiptDocument({ sign: 4 }));
    expect(await device.state()).toMatchObject({ value: { drawerKopecks: 15_000 } });
  });

  it("refuses a cashier's name and a reference longer than their tags hold", async () => {
    const device = await open();
    await make(device, shiftDocument("open-shift"));
    expect(await device.make(receiptDocument({ cashierName: "ж".repeat(65) }))).toMatchObject({ refusal: { by: "drive", code: 0x10 } });
    expect(await device.make(receiptDocument({ reference: "12345678901234567" }))).toMatchObject({ refusal: { by: "drive", code: 0x10 } });
  });

  it.each([
    ["a negative sum", { tenders: tendersOf({ cashKopecks: 10_001, nonCashKopecks: -1 }) }],
    ["a fraction of a kopeck", { lines: [receiptLine({ sumKopecks: 9_999.5 })] }],
    ["a quantity of nothing", { lines: [receiptLine({ quantityMillionths: 0, sumKopecks: 0 })] }],
    ["a unit that is no byte", { lines: [receiptLine({ unit: { code: 256, label: "?" } })] }],
    ["a rate total beyond six bytes", { vatTotals: [{ vat: 11 as const, sumKopecks: 2 ** 48 }] }],
  ])("refuses %s and goes on", async (_, wrong) => {
    const device = await open();
    await make(device, shiftDocument("open-shift"));
    expect(await device.make(receiptDocument(wrong))).toMatchObject({ kind: "refused", refusal: { by: "register", code: "bad-value" } });
    await make(device, receiptDocument());
  });

  it("stops adding before a total could become inexact", async () => {
    const device = await open();
    const huge = 2 ** 48 - 1;
    const line = receiptLine({ priceKopecks: huge, sumKopecks: huge, vatKopecks: 0, vat: 6 });
    const document = receiptDocument({
      lines: [line],
      totalKopecks: huge,
      tenders: tendersOf({ nonCashKopecks: huge }),
      vatTotals: [{ vat: 6, sumKopecks: huge }],
    });
    await make(device, shiftDocument("open-shift"), ...Array.from({ length: 32 }, () => document));
    expect(await device.make(document)).toMatchObject({ kind: "refused", refusal: { code: "counters-full" } });
    await make(device, shiftDocument("close-shift"));
  });
});
