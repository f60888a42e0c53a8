import { describe, expect, it } from "vitest";
import type { FiscalCallId } from "../../../../src/contracts/fiscal/endpoints.ts";
import { readRequest } from "../../../../src/contracts/fiscal/read.ts";
import type { Scales } from "../../../../src/contracts/fiscal/translate.ts";
import { parseJson } from "../../../../src/http/json-body.ts";
import type { Operation, TradeOperation } from "../../../../src/model/operation.ts";
import type { Refusal } from "../../../../src/model/refusal.ts";
import { cashIn, closeShift, openShift, publishedSale, sale, salesReturn } from "../../../support/fiscal-bodies.ts";

const ROUBLES: Scales = { money: 1, cash: 100 };

/** Reads a body as the contract does: it is written as JSON, read with numbers as texts, and given to the schema. */
function read(call: FiscalCallId, body: object | string, scales: Scales = ROUBLES) {
  const json = parseJson(Buffer.from(typeof body === "string" ? body : JSON.stringify(body)));
  if (json.kind !== "json") throw new Error(json.problem);
  return readRequest(call, json.value, scales);
}

function operation(call: FiscalCallId, body: object | string, scales?: Scales): Operation {
  const result = read(call, body, scales);
  if (result.kind === "refused") throw new Error(JSON.stringify(result.refusal));
  return result.operation;
}

function trade(body: object | string, scales?: Scales): TradeOperation {
  const result = operation("sale", body, scales);
  if (result.kind !== "sale") throw new Error(result.kind);
  return result;
}

/** The field and the problem of the refusal. */
function wrong(call: FiscalCallId, body: object | string, scales?: Scales): string {
  const result = read(call, body, scales);
  if (result.kind !== "refused") throw new Error("not refused");
  const { code, parameter, details }: Refusal = result.refusal;
  expect(code).toBe("field-invalid");
  return [parameter, details?.problem, details?.field].filter(Boolean).join(" ");
}

/** The sale of fiscal-receipts 9.1 with one position changed. */
function saleWith(position: object, over: object = {}) {
  return { ...sale(), positions: [{ ...sale().positions[0], ...position }], ...over };
}

describe("reading what is for people or wrong in a harmless way", () => {
  it("takes an id type of any form for the platform's own unless it is the word sync", () => {
    const wrongTypes = [{ toString: "a", valueOf: "b" }, [{ toString: 1 }], 5, null, "uuid"];
    for (const idType of wrongTypes) expect(operation("sale", { ...sale(), meta: { id: "a1", idType } }).document.idType).toBe("native");
    expect(operation("sale", { ...sale(), meta: { id: "a1", idType: "SYNC" } }).document.idType).toBe("sync");
  });

  it("leaves out a pack and an order that cannot be read", () => {
    for (const pack of [{ name: "Короб", quantity: "abc" }, "Короб", { quantity: 1 }]) {
      expect(trade(saleWith({ pack })).positions[0]?.pack).toBeUndefined();
    }
    expect(trade({ ...sale(), customerOrder: "x" }).kind).toBe("sale");
  });
});

describe("reading names", () => {
  it("refuses one that would leave no trace on paper", () => {
    for (const name of ["", "   ", "\u200b", "\u200b\u200d", "\u0007"]) {
      expect(wrong("sale", saleWith({ assortment: { ...sale().positions[0]?.assortment, name } }))).toBe(
        "positions[0].assortment.name missing",
      );
    }
  });
});

describe("reading a shift", () => {
  it("makes the shift the document", () => {
    expect(operation("openShift", openShift())).toEqual({
      kind: "open-shift",
      document: { id: "0c2e9d44-8b7a", idType: "native" },
      shift: { id: "0c2e9d44-8b7a", idType: "native" },
      storeId: "77a1c0de-1111-4222-8333-944455566677",
      name: "00007",
      moment: "2026-03-02 09:00:00",
      cashier: { id: "3e3e7a10-0d0d-4b4b-8c8c-1a2b3c4d5e6f", firstName: "Olga", lastName: "Petrova" },
    });
    expect(operation("closeShift", closeShift())).toMatchObject({ kind: "close-shift", moment: "2026-03-02 21:00:00" });
  });

  it("needs its own moment", () => {
    expect(wrong("openShift", closeShift())).toBe("openMoment missing");
    expect(wrong("closeShift", openShift())).toBe("closeMoment missing");
    expect(wrong("openShift", { ...openShift(), openMoment: "2026-02-31 09:00:00" })).toBe("openMoment moment");
    expect(wrong("openShift", { ...openShift(), openMoment: 5 })).toBe("openMoment moment");
    expect(operation("openShift", { ...openShift(), openMoment: "2026-03-02 09:00:00.123" }).moment).toBe("2026-03-02 09:00:00");
  });

  it("takes a body without a cashier, or with one of whom nothing is known", () => {
    for (const cashier of [undefined, null, {}, { meta: null, firstName: null, lastName: "" }]) {
      expect(operation("openShift", { ...openShift(), cashier }).cashier ?? {}).toEqual({});
    }
  });
});

describe("reading a reference", () => {
  it("takes the point of sale under each of its spellings", () => {
    const { retailstore, ...rest } = openShift();
    for (const name of ["retailStore", "retailstore", "retilstore"]) {
      expect(operation("openShift", { ...rest, [name]: retailstore }).storeId).toBe(retailstore.meta.id);
    }
    expect(operation("openShift", { ...rest, retailstore: null, retailStore: retailstore }).storeId).toBe(retailstore.meta.id);
    expect(wrong("openShift", rest)).toBe("retailStore missing");
    expect(wrong("openShift", { ...rest, retailstore: { meta: { href: "…" } } })).toBe("retailstore.meta.id missing");
  });

  it("needs nothing but the id, whose type is native unless it says sync", () => {
    const shift = (meta: object) => operation("openShift", { ...openShift(), retailShift: { meta } }).shift;
    expect(shift({ id: "s-1" })).toEqual({ id: "s-1", idType: "native" });
    expect(shift({ id: "s-1", href: 5, type: null, idType: "sync" })).toEqual({ id: "s-1", idType: "sync" });
    expect(shift({ id: "s-1", idType: "SYNC" }).idType).toBe("sync");
    for (const idType of [null, "", "other", 1, {}]) expect(shift({ id: "s-1", idType }).idType).toBe("native");
  });

  it("refuses ids of another form", () => {
    for (const id of ["", "a".repeat(65), "a/b", "ключ", "a b", "../x"]) {
      expect(wrong("sale", { ...sale(), meta: { id } })).toBe("meta.id id");
    }
    expect(wrong("sale", { ...sale(), meta: { id: null } })).toBe("meta.id missing");
    expect(wrong("sale", { ...sale(), meta: {} })).toBe("meta.id missing");
    expect(wrong("sale", { ...sale(), retailShift: "s-1" })).toBe("retailShift type");
    expect(operation("sale", { ...sale(), meta: { id: 12345 } }).document.id).toBe("12345");
  });

  it("finds the sale that is returned where it is named, and takes a return that names none", () => {
    expect(operation("salesReturn", salesReturn())).toMatchObject({
      kind: "sales-return",
      original: { id: "00000000-0000-4000-8000-0000000000b1", idType: "native" },
    });
    for (const demand of [undefined, null, {}, { meta: null }, { meta: { id: "" } }]) {
      expect(operation("salesReturn", { ...salesReturn(), demand })).not.toHaveProperty("original");
    }
    expect(wrong("salesReturn", { ...salesReturn(), demand: { meta: { id: "a b" } } })).toBe("demand.meta.id id");
  });
});

describe("reading cash", () => {
  it("takes the sum in the scale that is set", () => {
    expect(operation("cashIn", cashIn())).toMatchObject({ kind: "cash-in", sumKopecks: 200_000, document: { id: "c1" } });
    expect(operation("cashOut", { ...cashIn(), sum: "2000.50" }, { money: 1, cash: 1 })).toMatchObject({
      kind: "cash-out",
      sumKopecks: 200_050,
    });
    expect(operation("cashIn", { ...cashIn(), sum: 200000 })).toMatchObject({ sumKopecks: 200_000 });
    expect(operation("cashIn", { ...cashIn(), sum: " 200000.00 " })).toMatchObject({ sumKopecks: 200_000 });
  });

  it("refuses nothing, less than nothing, parts of a kopeck, and what is no amount", () => {
    const sum = (value: unknown, scales?: Scales) => wrong("cashIn", { ...cashIn(), sum: value }, scales);
    expect([sum("0"), sum("-100"), sum("0.00"), sum("-0")]).toEqual(Array(4).fill("sum range"));
    expect(sum("100.5")).toBe("FISCAL_CASH_SCALE kopeck-fraction sum");
    expect(sum("100.005", { money: 100, cash: 1 })).toBe("FISCAL_CASH_SCALE kopeck-fraction sum");
    expect(wrong("cashOut", { ...cashIn(), sum: "0.5" })).toBe("FISCAL_CASH_SCALE kopeck-fraction sum");
    expect([sum("NaN"), sum("1,5"), sum("0x10"), sum("Infinity"), sum("1e400"), sum("9".repeat(65))]).toEqual(Array(6).fill("sum number"));
    expect([sum("9".repeat(30)), sum("1e20"), sum("281474976710656")]).toEqual(Array(3).fill("sum range"));
    expect([sum(null), sum(undefined), sum("")]).toEqual(Array(3).fill("sum missing"));
    expect([sum({}), sum([]), sum(true)]).toEqual(Array(3).fill("sum type"));
  });
});

describe("reading a sale", () => {
  it("reads the example of fiscal-receipts 9.1", () => {
    expect(trade(sale())).toMatchObject({
      document: { id: "00000000-0000-4000-8000-0000000000a1" },
      cashier: { firstName: "Мария", middleName: "Петровна", lastName: "Иванова" },
      phone: "+70000000000",
      payments: { cashKopecks: 83457, cardKopecks: 0, qrKopecks: 0, advanceKopecks: 0 },
      vatEnabled: true,
      vatIncluded: true,
    });
    expect(trade(sale())).not.toHaveProperty("email");
    expect(trade(sale()).positions[1]).toEqual({
      assortment: { name: 'Сыр "Российский" весовой', type: "Product" },
      unit: { name: "кг", code: "166" },
      quantityMillionths: 356_000,
      priceKopecks: 89900,
      discountPercent: "0",
      vatPercent: "10",
      vatEnabled: true,
      marks: [],
    });
  });

  it("takes numbers as texts, texts as numbers, and truth as words", () => {
    const swapped = saleWith({
      quantity: "2",
      price: 54.9,
      discount: 10.5,
      vat: "10.0",
      vatEnabled: "true",
      uom: { name: "шт", code: 796 },
    });
    expect(trade(swapped).positions[0]).toMatchObject({
      quantityMillionths: 2_000_000,
      priceKopecks: 5490,
      discountPercent: "10.5",
      vatPercent: "10",
      vatEnabled: true,
      unit: { code: "796" },
    });
    expect(trade({ ...sale(), vatIncluded: "FALSE", name: 15 })).toMatchObject({ vatIncluded: false, name: "15" });
  });

  it("takes null for absence everywhere it may", () => {
    const bare = saleWith(
      { uom: null, discount: null, pack: null, vat: null, vatEnabled: null, marks: null },
      { phone: null, email: null, cashier: null, vatEnabled: null, vatIncluded: null, customerOrder: null, payments: { cashSum: null } },
    );
    expect(trade(bare)).toMatchObject({ vatEnabled: true, vatIncluded: true, payments: { cashKopecks: 0 } });
    expect(trade(bare).positions[0]).toEqual({
      assortment: { name: 'Хлеб "Дарницкий" 400 г', type: "Product" },
      quantityMillionths: 2_000_000,
      priceKopecks: 5490,
      discountPercent: "0",
      vatEnabled: false,
      marks: [],
    });
  });

  it("ignores fields that nobody knows, `__proto__` among them", () => {
    const body = JSON.stringify(sale()).replace('{"meta"', '{"future":{"deep":[1,2]},"__proto__":{"vatEnabled":false},"meta"');
    expect(trade(body)).toEqual(trade(sale()));
  });

  it("takes marks as texts, as objects, and mixed, and strips only line breaks at their ends", () => {
    const code = "0104600000000008 21a\u001d91EE10";
    const marks = [`${code}\r\n`, { cis: `${code}b`, more: 1 }, null];
    expect(trade(saleWith({ marks })).positions[0]?.marks).toEqual([code, `${code}b`]);
    for (const mark of [{ cis: {} }, { cis: null }, {}, { code: "A" }]) {
      expect(wrong("sale", saleWith({ marks: [mark] }))).toMatch(/^positions\[0\]\.marks\[0\]/);
    }
    expect(wrong("sale", saleWith({ marks: "A" }))).toBe("positions[0].marks type");
  });

  it("looks at the length of a text before anything in it", () => {
    const blanks = " ".repeat(200_000);
    expect(wrong("sale", { ...sale(), name: blanks })).toBe("name too-long");
    expect(wrong("sale", saleWith({ uom: { name: "\r\n".repeat(100_000) } }))).toBe("positions[0].uom.name too-long");
    expect(wrong("sale", saleWith({ price: `${blanks}1` }))).toBe("positions[0].price number");
    expect(wrong("sale", saleWith({ discount: blanks }))).toBe("positions[0].discount number");
    expect(wrong("sale", { ...sale(), moment: `${sale().moment}${blanks}x` })).toBe("moment moment");
    expect(trade({ ...sale(), email: `${blanks}a@b.ru` })).not.toHaveProperty("email");
  });

  it("strips the line breaks at the end of a mark, however many there are", () => {
    const breaks = "\r\n".repeat(400_000);
    expect(trade(saleWith({ marks: [`A${breaks}`, `${breaks}x`] })).positions[0]?.marks).toEqual(["A", `${breaks}x`]);
  });

  it("takes a contact whatever it is: what cannot be one never blocks a sale", () => {
    expect(trade({ ...sale(), phone: 79001234567, email: "x".repeat(5000) })).toMatchObject({ phone: "79001234567" });
    expect(trade({ ...sale(), phone: { number: 1 }, email: [] })).not.toHaveProperty("phone");
  });

  it("knows all seven ways of payment", () => {
    const payments = {
      cashSum: "1",
      cardSum: "2",
      qrSum: "3",
      prepaymentCashSum: "4",
      prepaymentCardSum: "5",
      prepaymentQrSum: "6",
      advanceSum: "7.07",
    };
    expect(trade({ ...sale(), payments }).payments).toEqual({
      cashKopecks: 100,
      cardKopecks: 200,
      qrKopecks: 300,
      prepaymentCashKopecks: 400,
      prepaymentCardKopecks: 500,
      prepaymentQrKopecks: 600,
      advanceKopecks: 707,
    });
    expect(wrong("sale", { ...sale(), payments: null })).toBe("payments missing");
    expect(wrong("sale", { ...sale(), payments: { cashSum: "-1" } })).toBe("payments.cashSum range");
    expect(wrong("sale", { ...sale(), payments: { cashSum: "0.001" } })).toBe("FISCAL_MONEY_SCALE kopeck-fraction payments.cashSum");
  });

  it("reads prices in kopecks where the scale says so, and refuses what is no whole one", () => {
    const scales: Scales = { money: 100, cash: 100 };
    expect(trade(publishedSale(), scales).positions[0]?.priceKopecks).toBe(9600);
    expect(wrong("sale", sale(), scales)).toBe("FISCAL_MONEY_SCALE kopeck-fraction positions[0].price");
    const payments = { cashSum: 25920, cardSum: "0.01" };
    const paid = { ...publishedSale(), payments };
    expect(wrong("sale", paid, scales)).toBe("FISCAL_MONEY_SCALE kopeck-fraction payments.cardSum");
    expect(wrong("salesReturn", { ...salesReturn(), positions: publishedSale().positions, payments }, scales)).toBe(
      "FISCAL_MONEY_SCALE kopeck-fraction payments.cardSum",
    );
    // These amounts are wrong in any unit, so the refusal names the field itself.
    expect(wrong("sale", { ...paid, payments: { cardSum: "9".repeat(30) } }, scales)).toBe("payments.cardSum range");
    expect(wrong("sale", { ...paid, payments: { cardSum: "1,5" } }, scales)).toBe("payments.cardSum number");
  });

  it("refuses quantities that are nothing, negative, too fine, too large or no number", () => {
    const quantity = (value: unknown) => wrong("sale", saleWith({ quantity: value }));
    expect([quantity(0), quantity(-1), quantity("0.0")]).toEqual(Array(3).fill("positions[0].quantity range"));
    expect(quantity("0.1234567")).toBe("positions[0].quantity decimals");
    expect(quantity(1e9)).toBe("positions[0].quantity range");
    expect(quantity("NaN")).toBe("positions[0].quantity number");
    expect(quantity(null)).toBe("positions[0].quantity missing");
    expect(trade(saleWith({ quantity: 0.123456 })).positions[0]?.quantityMillionths).toBe(123_456);
  });

  it("takes free goods and refuses negative prices", () => {
    expect(trade(saleWith({ price: "0" })).positions[0]?.priceKopecks).toBe(0);
    expect(wrong("sale", saleWith({ price: "-0.01" }))).toBe("positions[0].price range");
    expect(wrong("sale", saleWith({ price: null }))).toBe("positions[0].price missing");
  });

  it("takes discounts of either sign with many decimals, up to a bound", () => {
    expect(trade(saleWith({ discount: "-12.50" })).positions[0]?.discountPercent).toBe("-12.5");
    expect(trade(saleWith({ discount: "33.333333333333336" })).positions[0]?.discountPercent).toBe("33.333333333333336");
    expect(wrong("sale", saleWith({ discount: `0.${"3".repeat(31)}` }))).toBe("positions[0].discount decimals");
    expect(wrong("sale", saleWith({ discount: "ten" }))).toBe("positions[0].discount number");
  });

  it("needs at least one position, and goods with a name", () => {
    expect(wrong("sale", { ...sale(), positions: [] })).toBe("positions none");
    expect(wrong("sale", { ...sale(), positions: null })).toBe("positions missing");
    expect(wrong("sale", { ...sale(), positions: {} })).toBe("positions type");
    expect(wrong("sale", saleWith({ assortment: { name: " " } }))).toBe("positions[0].assortment.name missing");
    expect(wrong("sale", saleWith({ assortment: { name: "х".repeat(1001) } }))).toBe("positions[0].assortment.name too-long");
    expect(wrong("sale", { ...sale(), positions: [null] })).toBe("positions[0] missing");
  });

  it("refuses lists beyond their bounds without looking at what is in them", () => {
    expect(wrong("sale", { ...sale(), positions: Array(1001).fill({}) })).toBe("positions too-many");
    expect(wrong("sale", saleWith({ marks: Array(1001).fill("A") }))).toBe("positions[0].marks too-many");
    const half = { ...sale().positions[0], marks: Array(501).fill("A") };
    expect(wrong("sale", { ...sale(), positions: [half, half] })).toBe("positions[1].marks too-many");
    expect(wrong("sale", { ...sale(), positions: Array(1000).fill({}) })).toBe("positions[0].assortment missing");
  });

  it("takes a pack as information, and one that says nothing as none", () => {
    expect(trade(saleWith({ pack: { name: "ящик", quantity: 12 } })).positions[0]?.pack).toEqual({
      name: "ящик",
      quantityMillionths: 12_000_000,
    });
    expect(trade(saleWith({ pack: { name: "ящик" } })).positions[0]).not.toHaveProperty("pack");
  });
});
