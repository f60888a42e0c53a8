import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestSandbox } from "../../support/sandbox.ts";
import { type ShopReferences, shopOnShift } from "../../support/sandbox-shop.ts";

const PAYMENTS = ["cashSum", "noCashSum", "qrSum", "prepaymentCashSum", "prepaymentNoCashSum", "prepaymentQrSum", "advancePaymentSum"];

describe("retail sales of the sandbox", () => {
  let sandbox: TestSandbox;
  let shop: ShopReferences;
  let shift: { meta: unknown; href: string };
  beforeAll(async () => {
    ({ sandbox, shop, shift } = await shopOnShift());
  });
  afterAll(() => sandbox.close());

  const line = (more: object = {}) => ({ assortment: shop.product, quantity: 1, price: 10000, ...more });
  const sell = (more: object = {}) =>
    sandbox.call("POST", "entity/retaildemand", { retailShift: { meta: shift.meta }, positions: [line()], ...more });

  it("a sale needs its shift and takes everything else from it", async () => {
    expect((await sandbox.call("POST", "entity/retaildemand", {})).at("errors", 0)).toMatchObject({ code: 3000, parameter: "retailShift" });
    const sale = await sell();
    expect(sale.status, sale.text).toBe(200);
    for (const field of ["organization", "store", "retailStore", "agent"])
      expect(sale.at(field, "meta", "href"), field).toEqual(expect.any(String));
    expect(sale.body).toMatchObject({
      applicable: true,
      vatEnabled: true,
      vatIncluded: true,
      printed: false,
      published: false,
      shared: false,
      payedSum: 0,
    });
    expect(sale.at("name")).toMatch(/^\d{5}$/);
    expect(sale.at("moment")).toMatch(/:00$/);
    expect(sale.at("rate", "currency", "meta", "type")).toBe("currency");
  });

  it("the documented sale has sum 81000, and cash takes the rest", async () => {
    const sale = await sell({
      positions: [line({ quantity: 2, price: 45000, discount: 10, vat: 20, vatEnabled: true })],
      noCashSum: 50000,
    });
    expect(sale.body).toMatchObject({ sum: 81000, cashSum: 31000, noCashSum: 50000, vatSum: 13500 });
    for (const field of PAYMENTS) expect(sale.at(field), field).toEqual(expect.any(Number));
  });

  it("a sale sent with a sum and no lines comes back with sum 0", async () => {
    expect((await sell({ sum: 200, positions: undefined })).at("sum")).toBe(0);
  });

  it.each([
    ["cash not given takes the rest", { noCashSum: 4000 }, { cashSum: 6000, noCashSum: 4000 }],
    ["the card takes the rest of stated cash", { cashSum: 3000 }, { cashSum: 3000, noCashSum: 7000 }],
    ["prepayment counts", { prepaymentCashSum: 2500 }, { cashSum: 7500, prepaymentCashSum: 2500 }],
    ["an advance counts", { advancePaymentSum: 2500 }, { cashSum: 7500, advancePaymentSum: 2500 }],
    ["the rest of a QR prepayment is paid by QR", { prepaymentQrSum: 4000 }, { qrSum: 6000, prepaymentQrSum: 4000, cashSum: 0 }],
    ["all by QR", { qrSum: 10000 }, { qrSum: 10000, prepaymentQrSum: 0, cashSum: 0 }],
    ["what a QR payment leaves was prepaid by QR", { qrSum: 4000 }, { qrSum: 4000, prepaymentQrSum: 6000 }],
  ])("payments: %s", async (_name, sent, expected) => {
    expect((await sell(sent)).body).toMatchObject(expected);
  });

  it.each([
    ["sums that do not add up", { cashSum: 1000, noCashSum: 1000 }, 18000],
    ["more than the total", { noCashSum: 10001 }, 18000],
    ["a negative sum", { cashSum: -1 }, 3002],
    ["QR beside cash", { qrSum: 5000, cashSum: 5000 }, 18005],
    ["QR prepayment beside the card", { prepaymentQrSum: 5000, noCashSum: 5000 }, 18006],
    ["an advance beside prepayment", { advancePaymentSum: 5000, prepaymentCashSum: 5000 }, 18007],
  ])("payments: %s are refused", async (_name, sent, code) => {
    const refused = await sell(sent);
    expect([refused.status, refused.at("errors", 0, "code")]).toEqual([412, code]);
  });

  it.each([
    ["a discount above 100", { discount: 101 }, 17008],
    ["VAT above 100", { vat: 101 }, 17007],
    ["a price below zero", { price: -1 }, 3002],
    ["no quantity", { quantity: 0 }, 3003],
  ])("a line with %s is refused", async (_name, sent, code) => {
    expect((await sell({ positions: [line(sent)] })).at("errors", 0, "code")).toBe(code);
  });

  it("bundles are sold in whole numbers", async () => {
    expect((await sell({ positions: [line({ assortment: shop.bundle, quantity: 1.5 })] })).at("errors", 0, "code")).toBe(17018);
  });

  it("a negative discount is a surcharge, and each line is rounded half up", async () => {
    expect((await sell({ positions: [line({ discount: -10 })] })).at("sum")).toBe(11000);
    expect((await sell({ positions: [line({ quantity: 0.5, price: 1 }), line({ quantity: 1.005, price: 100 })] })).at("sum")).toBe(102);
    const precise = await sandbox.call(
      "POST",
      "entity/retaildemand",
      { retailShift: { meta: shift.meta }, positions: [line({ quantity: 0.5, price: 1 })] },
      { "x-platform-precision": "true" },
    );
    expect(precise.at("sum")).toBe(0.5);
  });

  it("VAT comes on top only when it counts and prices do not hold it", async () => {
    const positions = [line({ vat: 20, vatEnabled: true })];
    expect((await sell({ positions, vatIncluded: false })).body).toMatchObject({ sum: 12000, vatSum: 2000 });
    expect((await sell({ positions, vatEnabled: false, vatIncluded: false })).body).toMatchObject({ sum: 10000, vatSum: 0 });
  });

  it("more than 1000 lines in a body are 413", async () => {
    const refused = await sell({ positions: Array.from({ length: 1001 }, () => line()) });
    expect([refused.status, refused.at("errors", 0, "code")]).toEqual([413, 2022]);
  });

  it("a serial number that comes twice in a document is refused", async () => {
    const made = await sandbox.call("POST", "entity/product", { name: "Телефон", isSerialTrackable: true });
    const phone = { assortment: { meta: made.at("meta") }, things: ["A"] };
    expect((await sell({ positions: [line(phone), line(phone)] })).at("errors", 0, "code")).toBe(17103);
  });

  it("codes of goods without marking are dropped", async () => {
    const sale = await sell({ positions: [line({ trackingCodes: [{ cis: "010460000000000021ABC", type: "trackingcode" }] })] });
    const lines = await sandbox.call("GET", `${String(sale.at("meta", "href"))}/positions`);
    expect(lines.at("rows", 0)).toMatchObject({
      meta: { type: "demandposition" },
      price: 10000,
      quantity: 1,
      discount: 0,
      vat: 0,
      vatEnabled: false,
    });
    expect(lines.at("rows", 0, "trackingCodes")).toBeUndefined();
  });

  it("positions are a collection, and rows when they are expanded, on a write too", async () => {
    const plain = await sell();
    expect(plain.at("positions", "meta")).toMatchObject({ type: "demandposition", size: 1 });
    expect(plain.at("positions", "rows")).toBeUndefined();
    const expanded = await sandbox.call("POST", "entity/retaildemand?expand=positions.assortment,agent", {
      retailShift: { meta: shift.meta },
      positions: [line()],
    });
    expect(expanded.at("positions", "rows", 0, "assortment", "name")).toEqual(expect.any(String));
    expect(expanded.at("agent", "name")).toBe("Розничный покупатель");
  });

  it("a change of the lines replaces them as a whole, keeps equal ids and refuses foreign ones", async () => {
    const sale = await sandbox.call("POST", "entity/retaildemand?expand=positions", {
      retailShift: { meta: shift.meta },
      positions: [line({ price: 100 }), line({ price: 200 })],
    });
    const href = String(sale.at("meta", "href"));
    const kept = sale.at("positions", "rows", 1, "id");
    const changed = await sandbox.call("PUT", `${href}?expand=positions`, { positions: [{ id: kept, quantity: 3 }, line({ price: 300 })] });
    expect(changed.at("positions", "rows", 0)).toMatchObject({ id: kept, quantity: 3, price: 200 });
    expect(changed.body).toMatchObject({ sum: 900, cashSum: 900 });
    const foreign = await sandbox.call("PUT", href, { positions: [{ id: "00000000-0000-4000-8000-000000000000", quantity: 1 }] });
    expect([foreign.status, foreign.at("errors", 0, "code")]).toEqual([412, 1046]);
  });

  it("a sale that is read and written back as it is keeps its lines, expanded or not", async () => {
    const sale = await sell({ positions: [line({ price: 100 }), line({ price: 200 })] });
    const href = String(sale.at("meta", "href"));
    expect((await sandbox.call("PUT", href, sale.body)).at("positions", "meta", "size")).toBe(2);
    const whole = await sandbox.call("GET", `${href}?expand=positions`);
    const back = await sandbox.call("PUT", `${href}?expand=positions`, whole.body);
    expect(back.at("positions", "rows")).toEqual(whole.at("positions", "rows"));
  });

  it("null does not take away what a sale has from its shift and its account", async () => {
    const sale = await sell();
    for (const field of ["organization", "agent", "store", "retailStore", "group", "rate"]) {
      const changed = await sandbox.call("PUT", String(sale.at("meta", "href")), { [field]: null });
      expect([changed.status, changed.at(field)], field).toEqual([200, sale.at(field)]);
    }
  });

  it("numbers that no sum can be made of are refused, also as a product of two", async () => {
    const weight = await sandbox.call("POST", "entity/product", '{"name":"Без меры","weight":1e400}');
    expect(weight.at("errors", 0)).toMatchObject({ code: 3008, parameter: "weight" });
    const price = await sandbox.call("POST", "entity/product", '{"name":"Без меры","buyPrice":{"value":1e400}}');
    expect(price.at("errors", 0, "code")).toBe(3008);
    expect((await sell({ positions: [line({ quantity: 1e14, price: 1e14 })] })).at("errors", 0)).toMatchObject({
      code: 3008,
      parameter: "sum",
    });
  });

  it("a document earlier than its shift is refused, one of the same minute is not", async () => {
    expect((await sell({ moment: "2020-01-01 10:00:00" })).at("errors", 0, "code")).toBe(3007);
    const opened = (await sandbox.call("GET", shift.href)).at("moment");
    expect((await sell({ moment: opened })).status).toBe(200);
  });

  it("numbers count up with leading zeros and are unique", async () => {
    const first = await sell();
    const second = await sell();
    expect(Number(second.at("name"))).toBe(Number(first.at("name")) + 1);
    expect((await sell({ name: first.at("name") })).at("errors", 0)).toMatchObject({ code: 3006, parameter: "name" });
  });

  it("a repeated syncId answers the earlier sale and applies nothing", async () => {
    const syncId = "11111111-2222-4333-8444-555555555555";
    const first = await sell({ syncId });
    const again = await sell({ syncId, description: "другое" });
    expect(again.body).toEqual(first.body);
    expect(
      (await sandbox.call("PUT", String(first.at("meta", "href")), { syncId: "11111111-2222-4333-8444-000000000000" })).at(
        "errors",
        0,
        "code",
      ),
    ).toBe(1047);
  });

  it("a sale in the bin is hidden, read with isDeleted, and cannot be changed", async () => {
    const sale = await sell();
    const href = String(sale.at("meta", "href"));
    expect((await sandbox.call("POST", `${href}/trash`)).status).toBe(200);
    const find = (more: string) =>
      sandbox.call("GET", `entity/retaildemand?filter=${encodeURIComponent(`id=${String(sale.at("id"))}${more}`)}`);
    expect((await find("")).at("meta", "size")).toBe(0);
    expect((await find(";isDeleted=true")).at("rows", 0, "deleted")).toEqual(expect.any(String));
    expect((await sandbox.call("PUT", href, { description: "x" })).at("errors", 0, "code")).toBe(3007);
  });

  it("fields that are read only are ignored", async () => {
    const sale = await sell({ sum: 1, payedSum: 5, vatSum: 7, printed: true, cheque: { fnNumber: "1" } });
    expect(sale.body).toMatchObject({ sum: 10000, payedSum: 0, vatSum: 0, printed: false });
    expect(sale.at("cheque")).toBeUndefined();
  });

  it("numbers of the cash register are stored as sent", async () => {
    expect((await sell({ documentNumber: 5, checkNumber: 6, checkSum: 77 })).body).toMatchObject({
      documentNumber: 5,
      checkNumber: 6,
      checkSum: 77,
    });
  });
});
