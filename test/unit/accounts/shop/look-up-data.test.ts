import { describe, expect, it } from "vitest";
import { LookUpData } from "../../../../src/accounts/shop/look-up-data.ts";
import type { ShopObject } from "../../../../src/accounts/shop/shop-object.ts";
import type { Operation } from "../../../../src/model/operation.ts";
import { cashOperation, saleOperation, shiftOperation } from "../../../support/till.ts";
import { position } from "../../model/builders.ts";

const uuid = (at: number) => `00000000-0000-4000-8000-0000000000${String(at).padStart(2, "0")}`;
const [STORE, PERSON, TEA, CUT] = [uuid(1), uuid(2), uuid(3), uuid(4)];
const CARD: ShopObject = { type: "product", id: TEA, kind: "excisable", taxSystem: "patent", unit: { name: "кг" }, marked: true };
const EMPLOYEE: ShopObject = { type: "employee", id: PERSON, firstName: "Мария", lastName: "Иванова", archived: true };
const SHOP: ShopObject = { type: "retailstore", id: STORE, name: "Касса", cashierIds: [], taxSystem: "usn-income" };

const goods = (id: string, type = "Product") => position({ assortment: { id, type, name: "Чай" } });
const sale = (over: Parameters<typeof saleOperation>[1] = {}) =>
  saleOperation(uuid(9), { storeId: STORE, positions: [goods(TEA)], ...over });
const named = (operation: Operation) => new LookUpData(operation).names.map(({ type, id }) => `${type} ${id}`);

describe("what could be known of an operation", () => {
  it("is its goods, its point of sale and the cashier that it only names by the id", () => {
    const positions = [goods(TEA), goods(CUT, "Service"), goods(uuid(5), "Variant"), goods(uuid(6), "Bundle"), goods(TEA)];
    expect(named(sale({ positions, cashier: { id: PERSON } }))).toEqual([
      `product ${TEA}`,
      `service ${CUT}`,
      `variant ${uuid(5)}`,
      `bundle ${uuid(6)}`,
      `retailstore ${STORE}`,
      `employee ${PERSON}`,
    ]);
  });

  it("is no cashier whose name is in the payload, an empty one is none", () => {
    expect(named(sale({ cashier: { id: PERSON, lastName: "Петрова" } }))).not.toContain(`employee ${PERSON}`);
    expect(named(sale({ cashier: { id: PERSON, firstName: "Ольга" } }))).not.toContain(`employee ${PERSON}`);
    expect(named(sale({ cashier: { id: PERSON, lastName: " ", firstName: "" } }))).toContain(`employee ${PERSON}`);
  });

  it("is the point of sale alone where goods have no cards: free positions, unknown types, ids of a till", () => {
    const positions = [position(), goods(TEA, "Consignment"), goods("42"), goods("tea-1")];
    expect(named(sale({ positions }))).toEqual([`retailstore ${STORE}`]);
    expect(named(sale({ positions, storeId: "store-1" }))).toEqual([]);
  });

  it("is the cashier alone for shifts and cash, and nothing where he has a name", () => {
    expect(named(shiftOperation("open-shift", { storeId: STORE, cashier: { id: PERSON } }))).toEqual([`employee ${PERSON}`]);
    expect(named(cashOperation("cash-in", uuid(8), 100, { storeId: STORE }))).toEqual([]);
  });

  it("is asked for as the platform writes its ids, and found however the till wrote them", () => {
    const id = "AA01B2C3-D4E5-46F7-8899-AABBCCDDEEFF";
    const data = new LookUpData(sale({ positions: [goods(id)], storeId: STORE }));
    expect(data.names[0]).toEqual({ type: "product", id: id.toLowerCase() });
    data.take([{ id: id.toLowerCase(), object: { ...CARD, id: id.toLowerCase() } }]);
    expect(data.known?.goods).toEqual([{ kind: "excisable", taxSystem: "patent", unit: { name: "кг" }, marked: true }]);
  });
});

describe("what is found", () => {
  it("is put position by position, with the cashier's name and what the point of sale is taxed by", () => {
    const data = new LookUpData(sale({ positions: [goods(CUT), goods(TEA), goods(TEA)], cashier: { id: PERSON } }));
    data.take([CARD, EMPLOYEE, SHOP].map((object) => ({ id: object.id, object })));
    const card = { kind: "excisable", taxSystem: "patent", unit: { name: "кг" }, marked: true };
    expect(data.known).toEqual({
      goods: [null, card, card],
      cashier: { id: PERSON, firstName: "Мария", lastName: "Иванова" },
      taxSystem: "usn-income",
    });
  });

  it("is nothing before anything came, nor when it says nothing", () => {
    const data = new LookUpData(sale());
    expect(data.known).toBeUndefined();
    data.take([{ id: STORE, object: { type: "retailstore", id: STORE, name: "Касса", cashierIds: [] } }]);
    expect(data.known).toBeUndefined();
  });

  it("is what came last: an object that is gone is not known any more", () => {
    const data = new LookUpData(sale());
    data.take([{ id: TEA, object: CARD }]);
    data.take([{ id: TEA, object: { type: "product", id: TEA, kind: "work" } }]);
    expect(data.known?.goods).toEqual([{ kind: "work" }]);
    data.take([{ id: TEA, object: undefined }]);
    expect(data.known).toBeUndefined();
  });

  it("is not what an object of another type says under the id", () => {
    const data = new LookUpData(sale({ cashier: { id: PERSON } }));
    data.take([
      { id: TEA, object: { ...EMPLOYEE, id: TEA } },
      { id: PERSON, object: { ...CARD, id: PERSON } as ShopObject },
      { id: STORE, object: { ...CARD, id: STORE } as ShopObject },
    ]);
    expect(data.known).toBeUndefined();
  });
});
