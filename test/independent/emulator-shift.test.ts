import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closeReceipt, command, openReceipt, position } from "./driver/requests.ts";
import { Till } from "./driver/till.ts";
import { basket, bread } from "./project/basket.ts";
import { type Emulator, startEmulator } from "./project/emulator.ts";
import { toHex } from "./protocol/bytes.ts";
import { numberAt, numberOf, tagsOf, textAt, textTag, valueAt } from "./protocol/tlv.ts";

const start = "2026-03-14T10:05:00";

describe.each(["1.0", "auto"])("the project's emulator speaking %s under the independent driver", (protocol) => {
  let emulator: Emulator;
  let till: Till;

  beforeAll(async () => {
    emulator = await startEmulator("--protocol", protocol, "--clock", start);
    till = await Till.connect(emulator.address);
  });

  afterAll(async () => {
    till.close();
    await emulator.close();
  });

  it(`carries a whole shift by protocol ${protocol} and keeps it as the driver registered it`, async () => {
    const first = (await till.driveStatus()).lastDocument;
    const drive = (await till.driveStatus()).number;
    expect(drive).toMatch(/^9999\d{12}$/);

    const opened = await till.openShift("Иванов И.И.");
    expect(opened).toMatchObject({ type: 2, number: first + 1, shift: 1 });
    expect(opened.moment.slice(0, 15)).toBe("2026-03-14 10:0");
    expect((await till.shortStatus()).mode).toBe(2);
    expect((await till.longStatus()).closedShift).toBe(0);

    await till.cashIn(100_000);
    expect(await till.moneyRegister(241)).toBe(100_000);

    const sold = await till.register({ ...basket.receipt, tags: [textTag(1008, "buyer@example.org"), textTag(1192, "sale-1")] });
    expect(sold).toMatchObject({ changeKopecks: 4_315, number: first + 2 });
    expect(await till.findDocument(sold.number)).toMatchObject({
      type: 3,
      number: sold.number,
      sign: sold.sign,
      operation: 1,
      totalKopecks: basket.totalKopecks,
    });

    const returned = await till.register({
      kind: "income-return",
      positions: [{ ...bread, quantityMillionths: 1_000_000, totalKopecks: 5_000 }],
      closing: { cashKopecks: 5_000, taxSystem: 1 },
    });
    expect(await till.findDocument(returned.number)).toMatchObject({ type: 3, sign: returned.sign, operation: 2, totalKopecks: 5_000 });

    await till.cashOut(10_000);
    await till.xReport();
    const drawer = 100_000 + 20_000 - 4_315 - 5_000 - 10_000;
    expect(await till.moneyRegister(241)).toBe(drawer);
    expect(await till.moneyRegister(242)).toBe(100_000);
    expect(await till.moneyRegister(243)).toBe(10_000);
    expect(await till.moneyRegister(193)).toBe(20_000 - 4_315);
    expect(await till.moneyRegister(195)).toBe(5_000);
    expect(await till.moneyRegister(197)).toBe(10_000);
    expect([await till.counter(144), await till.counter(146)]).toEqual([1, 1]);
    expect([await till.counter(153), await till.counter(154)]).toEqual([1, 1]);
    expect(await till.shiftState()).toEqual({ open: true, shift: 1, receipt: 2 });

    const closed = await till.closeShift("Иванов И.И.");
    expect(closed).toMatchObject({ type: 5, number: first + 4, shift: 1 });
    expect((await till.shortStatus()).mode).toBe(4);
    expect((await till.longStatus()).closedShift).toBe(1);

    const { documents } = await emulator.control.ask({ do: "documents" });
    expect(documents).toMatchObject([
      { documentNumber: first },
      { documentNumber: opened.number, fiscalSign: String(opened.sign) },
      { documentNumber: sold.number, fiscalSign: String(sold.sign) },
      { documentNumber: returned.number, fiscalSign: String(returned.sign) },
      { documentNumber: closed.number, fiscalSign: String(closed.sign) },
    ]);
  });

  it(`hands the sale's tags out by protocol ${protocol} as they were sent`, async () => {
    const number = (await till.driveStatus()).lastDocument - 2;
    const { type, length, bytes, tags } = await till.documentTags(number);
    expect(type).toBe(3);
    expect(bytes.length).toBe(length);
    expect(numberAt(tags, 1020)).toBe(basket.totalKopecks);
    expect([numberAt(tags, 1031), numberAt(tags, 1081)]).toEqual([15_685, 10_000]);
    expect([numberAt(tags, 1054), numberAt(tags, 1055), numberAt(tags, 1038), numberAt(tags, 1042)]).toEqual([1, 1, 1, 1]);
    expect([textAt(tags, 1021), textAt(tags, 1008), textAt(tags, 1192)]).toEqual(["Иванов И.И.", "buyer@example.org", "sale-1"]);
    expect(numberAt(tags, 1040)).toBe(number);
    expect(valueAt(tags, 1077).readUInt32BE(2)).toBe((await till.findDocument(number)).sign);
    expect(textAt(tags, 1041)).toBe((await till.driveStatus()).number);

    const items = tags.filter((one) => one.tag === 1059).map((one) => tagsOf(one.value));
    expect(items.map((item) => textAt(item, 1030))).toEqual(["Хлеб", "Кофе", "Пакет"]);
    expect(items.map((item) => numberAt(item, 1079))).toEqual([5_000, 9_990, 700]);
    expect(items.map((item) => numberAt(item, 1043))).toEqual([10_000, 14_985, 700]);
    expect(items.map((item) => fraction(valueAt(item, 1023)))).toEqual([2, 1.5, 1]);
    expect(items.map((item) => [numberAt(item, 1214), numberAt(item, 1212)])).toEqual([
      [4, 1],
      [4, 1],
      [4, 1],
    ]);
    // T17F71 says whether rate 01 is 20 or 22 per cent (shtrih-protocol 10.1, 9.3).
    const replaced = (await till.table(17, 1, 71))[0] === 1;
    expect(items.map((item) => numberAt(item, 1199))).toEqual([2, replaced ? 11 : 1, 6]);
  });

  it(`leaves data output by protocol ${protocol} once a document was read to its end`, async () => {
    expect((await till.shortStatus()).mode).toBe(4);
    expect(toHex(await till.exchange(command("FF3B", 30)))).toBe("FF 3B 08");
  });
});

describe("refusals of the project's emulator", () => {
  let emulator: Emulator;
  let till: Till;

  beforeAll(async () => {
    emulator = await startEmulator("--clock", start);
    till = await Till.connect(emulator.address);
  });

  afterAll(async () => {
    till.close();
    await emulator.close();
  });

  const answer = async (data: Buffer) => toHex(await till.exchange(data));

  it("answers a receipt without a shift by 3Dh or 73h and registers nothing", async () => {
    expect(["8D 3D", "8D 73"]).toContain(await answer(openReceipt("income")));
    expect((await till.shortStatus()).mode).toBe(4);
  });

  it("answers a close of a closed shift by 73h", async () => {
    expect(await answer(command("41", 30))).toBe("41 73");
  });

  it("opens a shift once and refuses the second opening", async () => {
    const opened = await till.openShift("Иванов И.И.");
    expect(["E0 73", "E0 3C"]).toContain(await answer(command("E0", 30)));
    expect((await till.driveStatus()).lastDocument).toBe(opened.number);
  });

  it("refuses cash out above the drawer by 46h and leaves the drawer alone", async () => {
    await till.cashIn(1_000);
    await expect(till.cashOut(1_001)).rejects.toMatchObject({ code: 0x46 });
    expect(await till.moneyRegister(241)).toBe(1_000);
  });

  it("refuses a return above the cash in the drawer by 46h", async () => {
    await till.prepare({ kind: "income-return", positions: [bread], closing: { taxSystem: 1 } });
    await expect(till.finish({ cashKopecks: 10_000, taxSystem: 1 })).rejects.toMatchObject({ code: 0x46 });
    await till.cancel();
    expect((await till.shortStatus()).mode).toBe(2);
  });

  it("keeps the receipt open after payments that are short or too much without cash", async () => {
    await till.prepare(basket.receipt);
    expect(await answer(closeReceipt({ cashKopecks: 25_684, taxSystem: 1 }))).toBe("FF 45 45");
    expect(await answer(closeReceipt({ cardKopecks: 25_686, taxSystem: 1 }))).toBe("FF 45 4D");
    expect(await till.shortStatus()).toMatchObject({ mode: 8, kind: 0, operations: 3 });
    await till.cancel();
  });

  it("refuses a second receipt, a Z report and another operation inside an open receipt", async () => {
    await till.prepare({ ...basket.receipt, positions: basket.receipt.positions.slice(0, 1) });
    expect(await answer(openReceipt("income"))).toBe("8D 4A");
    expect(await answer(command("41", 30))).toBe("41 4A");
    expect(["FF 46 49", "FF 46 5E"]).toContain(await answer(position("income-return", bread)));
    await till.cancel();
  });

  it("refuses a position whose sum is two kopecks off and takes one that is one kopeck off", async () => {
    await till.ask(openReceipt("income"));
    const item = { name: "Сыр", quantityMillionths: 3_000_000, priceKopecks: 1_333, rate: 8 };
    expect((await answer(position("income", { ...item, totalKopecks: 4_001 }))).slice(0, 8)).not.toBe("FF 46 00");
    expect(await answer(position("income", { ...item, totalKopecks: 4_000 }))).toBe("FF 46 00");
    await till.cancel();
  });

  it("answers a wrong password, an unknown document and a receipt that is not open by their codes", async () => {
    expect(await answer(command("10", 77_777))).toBe("10 4F");
    expect(await answer(command("FF0A", 30, Buffer.from([0x0f, 0x27, 0, 0])))).toBe("FF 0A 08");
    expect(await answer(command("88", 1))).toBe("88 55");
    expect(await answer(closeReceipt({ taxSystem: 1 }))).toBe("FF 45 55");
  });

  it("refuses a closing of the wrong length by 7Eh", async () => {
    await till.prepare(basket.receipt);
    expect(await answer(closeReceipt({ cashKopecks: 30_000, taxSystem: 1 }).subarray(0, 110))).toBe("FF 45 7E");
    await till.cancel();
  });
});

const fraction = (value: Buffer): number => numberOf(value.subarray(1)) / 10 ** (value[0] ?? 0);
