import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sample } from "../support/extent.ts";
import type { Kept } from "./device/drive.ts";
import { Listener } from "./device/listener.ts";
import { minuteText } from "./device/moment.ts";
import { IndependentRegister } from "./device/register.ts";
import { cashierPassword, closeReceipt, command, systemPassword } from "./driver/requests.ts";
import { type Answer, line } from "./project/platform.ts";
import { type Server, startServer } from "./project/server.ts";
import { absentMoney, money, toHex, uint } from "./protocol/bytes.ts";
import { cp1251 } from "./protocol/text.ts";
import { tagsOf, textAt, textTag } from "./protocol/tlv.ts";

const sale = {
  payments: { cashSum: "100.00", cardSum: "277.35" },
  positions: [
    line('Хлеб "Ржаной"', { quantity: 2, price: "50.00", discount: "10", vat: 10 }),
    line("Кофе", { quantity: 1.5, price: "99.90", vat: 22, uom: { name: "кг", code: "166" } }),
    line("Торт", { quantity: 1, price: "137.50", vat: 0, vatEnabled: false }),
  ],
};

/** FF46 (shtrih-protocol 5.7). Price and sum contain the discount (shtrih-protocol 6, discount arithmetic). */
const item = (operation: number, millionths: number, price: number, sum: number, tax: number | undefined, rate: number, name: string) =>
  toHex(
    command(
      "FF46",
      cashierPassword,
      uint(operation, 1),
      uint(millionths, 6),
      money(price),
      money(sum),
      tax === undefined ? absentMoney : money(tax),
      Buffer.of(rate, 0, 4, 1),
      cp1251(name),
    ),
  );

describe.each(
  sample(
    [
      { name: "of format 1.2", format: 4, twentyIsTwentyTwo: false, rates22: [0xcb], measure: "FF 4D 01 00 00 00 3C 08 01 00 0B" },
      {
        name: "of format 1.05 that replaces 20 by 22 %",
        format: 2,
        twentyIsTwentyTwo: true,
        rates22: [0x01, 0xcb],
        measure: "FF 4D 01 00 00 00 AD 04 02 00 AA A3",
      },
    ] as const,
    1,
  ),
)("the project's server on the independent device $name", ({ name, rates22, measure, ...options }) => {
  let register: IndependentRegister;
  let device: Listener;
  let server: Server;

  beforeAll(async () => {
    register = new IndependentRegister({ ...options, printMs: 150 });
    device = await Listener.start(register);
    server = await startServer(device.address);
    expect((await server.platform.install()).status).toBe(200);
  });

  afterAll(async () => {
    await server.close();
    await device.close();
  });

  const expectFacts = ({ status, body }: Answer, kept: Kept) => {
    expect({ status, body: { ...body, receipt: undefined } }).toMatchObject({
      status: 200,
      body: {
        fnNumber: register.identity.drive,
        kktRegNumber: register.identity.registration,
        fiscalDocNumber: String(kept.number),
        fiscalDocSign: String(kept.sign).padStart(10, "0"),
      },
    });
    expect(String(body.time).slice(0, 16)).toBe(minuteText(kept.moment));
  };
  const sent = (code: string) => register.done(code).map(({ request }) => toHex(request));

  it(`refuses a sale before the shift on a device ${name}, and registers nothing`, async () => {
    const { status, body } = await server.platform.sale(sale);
    expect({ status, body }).toMatchObject({ status: 412, body: { errors: [{ code: expect.any(Number) }] } });
    expect(register.drive.documents).toHaveLength(1);
  });

  it(`opens the shift once on a device ${name}`, async () => {
    const answer = await server.platform.openShift();
    expectFacts(answer, register.drive.last);
    expect(register.drive.last).toMatchObject({ type: 2, shift: 1, number: 2 });
    expect(answer.body.shiftNumber).toBe("1");
    expect(textAt(register.drive.last.sent, 1021)).toContain("Петрова");
    expect(sent("FF0C").at(-1)).toBe(toHex(command("FF0C", systemPassword, textTag(1021, textAt(register.drive.last.sent, 1021)))));
  });

  it(`puts cash in by the bytes of 5.6 on a device ${name}`, async () => {
    const answer = await server.platform.cashIn("100000");
    expect(answer).toMatchObject({ status: 200, body: { fiscalDocNumber: "0", fiscalDocSign: "0", fnNumber: register.identity.drive } });
    expect(sent("50")).toEqual([toHex(command("50", cashierPassword, money(100_000)))]);
    expect(register.counters.drawerKopecks).toBe(100_000);
  });

  it(`sells three positions with a discount by the bytes of 5.7 on a device ${name}`, async () => {
    expectFacts(await server.platform.sale(sale), register.drive.last);
    expect(register.drive.last).toMatchObject({ type: 3, operation: 1, totalKopecks: 37_735, changeKopecks: 0, number: 3 });
    expect(sent("8D")).toEqual([toHex(command("8D", cashierPassword, Buffer.of(0)))]);
    const rate22 = register.drive.last.items?.[1]?.rate ?? 0;
    expect(rates22).toContain(rate22);
    expect(sent("FF46")).toEqual([
      item(1, 2_000_000, 4_500, 9_000, 818, 0x02, 'Хлеб "Ржаной"'),
      item(1, 1_500_000, 9_990, 14_985, 2_702, rate22, "Кофе"),
      item(1, 1_000_000, 13_750, 13_750, undefined, 0x08, "Торт"),
    ]);
    expect(sent("FF45")).toEqual([toHex(closeReceipt({ cashKopecks: 10_000, cardKopecks: 27_735, taxSystem: 1 }))]);
    expect(register.counters.drawerKopecks).toBe(110_000);
  });

  it(`binds the measure of weighed goods to its item, after its FF46, on a device ${name}`, () => {
    expect(sent("FF4D")).toContain(measure);
    const [, coffee] = register.drive.last.items ?? [];
    expect(coffee?.tags.map((one) => one.tag)).toContain(measure.includes("3C 08") ? 2108 : 1197);
  });

  it(`marks the receipt with an id of its own in tag 1084 or 1192 on a device ${name}`, () => {
    const own = register.drive.last.sent.find((one) => one.tag === 1084 || one.tag === 1192);
    expect(own).toBeDefined();
    if (own?.tag === 1084) expect(tagsOf(own.value).map((one) => one.tag)).toEqual([1085, 1086]);
  });

  it(`returns one piece by operation 2 on a device ${name}, waiting until printing is over`, async () => {
    const positions = [line('Хлеб "Ржаной"', { quantity: 1, price: "50.00", discount: "10", vat: 10 })];
    expectFacts(await server.platform.saleReturn({ payments: { cashSum: "45.00" }, positions }), register.drive.last);
    expect(register.drive.last).toMatchObject({ type: 3, operation: 2, totalKopecks: 4_500, number: 4 });
    expect(sent("8D").at(-1)).toBe(toHex(command("8D", cashierPassword, Buffer.of(2))));
    expect(sent("FF46").at(-1)).toBe(item(2, 1_000_000, 4_500, 4_500, 409, 0x02, 'Хлеб "Ржаной"'));
    expect(sent("FF45").at(-1)).toBe(toHex(closeReceipt({ cashKopecks: 4_500, taxSystem: 1 })));
    expect(register.counters.drawerKopecks).toBe(105_500);
  });

  it(`repeats a finished document from its memory, not on a device ${name}`, async () => {
    const body = server.platform.document({
      meta: { id: "repeated-1", idType: "native" },
      moment: "2026-11-28 10:00:00",
      payments: { cashSum: "10.00" },
      positions: [line("Пакет", { quantity: 1, price: "10.00", vatEnabled: false })],
    });
    const first = await server.platform.fiscal("POST", "retaildemand", body);
    expectFacts(first, register.drive.last);
    const documents = register.drive.documents.length;
    expect(await server.platform.fiscal("POST", "retaildemand", body)).toEqual(first);
    expect(register.drive.documents).toHaveLength(documents);
  });

  it(`gives change from cash on a device ${name}`, async () => {
    const positions = [line("Пакет", { quantity: 1, price: "10.00", vatEnabled: false })];
    const answer = await server.platform.sale({ payments: { cashSum: "10.00" }, positions });
    expectFacts(answer, register.drive.last);
    expect(register.drive.last).toMatchObject({ totalKopecks: 1_000, changeKopecks: 0 });
  });

  it(`refuses cash out above the drawer of a device ${name} and lets the shift go on`, async () => {
    const { status, body } = await server.platform.cashOut("99999900");
    expect([412, 424]).toContain(status);
    expect(body).toMatchObject({ errors: [{ code: expect.any(Number) }] });
    expect(register.counters.drawerKopecks).toBe(107_500);
    expect(await server.platform.cashOut("500")).toMatchObject({ status: 200 });
    expect(register.counters.drawerKopecks).toBe(107_000);
  });

  // Characters that CP866 lacks are replaced before a name is stored, and the paper shows what the drive holds (fiscal-receipts 1.2). FF46
  // could carry guillemets, which CP1251 has, but then the server would not know what the device makes of them in tag 1030.
  it(`names goods to a device ${name} by the letters that its drive can hold`, async () => {
    const positions = [line("Хлеб «Ржаной» — 5 ₽…", { quantity: 1, price: "10.00", vatEnabled: false })];
    expect((await server.platform.sale({ payments: { cardSum: "10.00" }, positions })).status).toBe(200);
    expect(sent("FF46").at(-1)).toBe(item(1, 1_000_000, 1_000, 1_000, undefined, 0x08, 'Хлеб "Ржаной" - 5 руб....'));
  });

  it(`never lets 20 % become another rate on a device ${name}`, async () => {
    const positions = [line("Старая ставка", { quantity: 1, price: "12.00", vat: 20 })];
    const before = register.drive.documents.length;
    const { status } = await server.platform.sale({ payments: { cardSum: "12.00" }, positions });
    const [sold] = register.drive.documents.slice(before);
    expect(sold?.items?.map((one) => one.vatCode)).toEqual(status === 200 ? [1] : undefined);
    expect(register.receipt).toBeUndefined();
  });

  it(`closes the shift of a device ${name} with its totals`, async () => {
    const answer = await server.platform.closeShift();
    expectFacts(answer, register.drive.last);
    expect(register.drive.last).toMatchObject({ type: 5, shift: 1 });
    const receipts = register.drive.documents.filter((one) => one.type === 3).length;
    expect(answer.body).toMatchObject({ shiftNumber: "1", chequesTotal: receipts, fiscalDocsTotal: receipts + 2 });
    expect(register.mode).toBe(4);
  });

  it(`repeats a command that a device ${name} was too busy for only after asking 10h`, () => {
    const codes = register.exchanges.map(({ command: code, answer }) => (answer.at(-1) === 0x50 && answer.length <= 3 ? "busy" : code));
    for (const [index, code] of codes.entries()) if (code === "busy") expect(codes[index + 1]).toBe("10");
  });

  it(`never sends a device ${name} a command that it does not know or whose length is wrong`, () => {
    const wrong = register.exchanges.filter(({ answer }) => [0x37, 0x7e].includes(answer[answer[0] === 0xff ? 2 : 1] ?? 0));
    expect(wrong.map(({ request }) => toHex(request))).toEqual([]);
  });
});
