import { describe, expect, it } from "vitest";
import { cashBody, returnBody, saleBody, shiftBody, type TillContext } from "../../../../../src/tools/sandbox/caller/bodies.ts";
import { CASHIER, GOODS } from "../../../../../src/tools/sandbox/caller/shop.ts";

const till: TillContext = {
  api: "https://api.platform.example/api/remap/1.2",
  storeId: "store-1",
  shiftId: "shift-1",
  shiftName: "00007",
  cashierId: "cashier-1",
  cashier: CASHIER,
};

describe("bodies of the fiscal contract", () => {
  it("a shift is opened by its reference, without a document of its own", () => {
    expect(shiftBody(till, "open", "2026-11-12 09:00:00")).toEqual({
      retailShift: { meta: { href: `${till.api}/entity/retailshift/shift-1`, id: "shift-1", type: "RetailShift", idType: "native" } },
      name: "00007",
      retailstore: { meta: { href: `${till.api}/entity/retailstore/store-1`, id: "store-1", type: "RetailStore", idType: "native" } },
      cashier: {
        meta: { href: `${till.api}/entity/employee/cashier-1`, id: "cashier-1", type: "Employee", idType: "native" },
        lastName: "Иванова",
        firstName: "Мария",
        middleName: "Петровна",
      },
      openMoment: "2026-11-12 09:00:00",
    });
  });

  it("a weighed line carries its quantity as a number and its price in roubles", () => {
    const body = saleBody(till, {
      id: "sale-1",
      idType: "sync",
      name: "00031",
      moment: "2026-11-12 18:42:10",
      lines: [{ goods: GOODS.cheese, quantityThousandths: 356, discountHundredths: 12_50, marks: ["m"] }],
      payments: { cashKopecks: 28004 },
      phone: "+70000000000",
    });
    expect(body).toMatchObject({
      meta: { id: "sale-1", idType: "sync", href: `${till.api}/entity/retaildemand/syncid/sale-1`, type: "RetailDemand" },
      payments: { cashSum: "280.04", cardSum: "0.00" },
      positions: [
        { quantity: 0.356, price: "899.00", discount: "12.5", uom: { name: "кг", code: "166" }, vat: 10, vatEnabled: true, marks: ["m"] },
      ],
      phone: "+70000000000",
    });
    expect(body).not.toHaveProperty("email");
  });

  it("a return names its sale and no cashier", () => {
    const body = returnBody(till, {
      id: "return-1",
      name: "1",
      moment: "2026-11-12 19:00:00",
      demandId: "sale-1",
      lines: [],
      payments: {},
    });
    expect(body).toMatchObject({ meta: { type: "RetailSalesReturn" }, demand: { meta: { id: "sale-1", type: "RetailDemand" } } });
    expect(body).not.toHaveProperty("cashier");
  });

  it("the sum of a cash slip travels in kopecks", () => {
    const body = cashBody(till, "out", { id: "out-1", name: "1", moment: "2026-11-12 19:00:00", sumKopecks: 150000 });
    expect(body).toMatchObject({ meta: { type: "RetailDrawerCashOut" }, sum: "150000" });
  });
});
