import { describe, expect, it } from "vitest";
import { employeeOf, goodsOf, isObject, organizationOf, storeOf, unitOf, variantOf } from "../../../../src/accounts/shop/translate.ts";

const ID = "aa01b2c3-d4e5-46f7-8899-aabbccddeeff";
const OTHER = "3e3e7a10-0d0d-4b4b-8c8c-1a2b3c4d5e6f";
const refTo = (type: string, id: string) => ({ meta: { href: `https://p.example/api/remap/1.2/entity/${type}/${id}?expand=x`, type } });

/** An answer as it came. It may be anything. */
function answered<Answer>(fields: object): Answer {
  return { id: ID, meta: {}, ...fields } as Answer;
}

const product = (fields: object) => goodsOf("product", answered(fields));
const store = (fields: object) => storeOf(answered(fields));

/** Values that no field of the platform should have. */
const WRONG = [null, 0, 5, true, [], ["x"], {}, { name: 5 }, "", "constructor", "__proto__", "toString", { rows: null }, { meta: null }];

describe("a card of goods", () => {
  // Json-api 13.1 and 13.4.
  it.each([
    ["GOOD", "goods"],
    ["EXCISABLE_GOOD", "excisable"],
    ["COMPOUND_PAYMENT_ITEM", "composite"],
    ["ANOTHER_PAYMENT_ITEM", "other"],
    ["SERVICE", "service"],
    ["WORK", "work"],
    ["PROVIDING_RID", "results"],
  ])("of the kind %s is of our kind %s", (paymentItemType, kind) => {
    expect(product({ paymentItemType })).toEqual({ type: "product", id: ID, kind });
  });

  // Json-api 12.1.
  it.each([
    ["GENERAL_TAX_SYSTEM", { taxSystem: "osn" }],
    ["SIMPLIFIED_TAX_SYSTEM_INCOME", { taxSystem: "usn-income" }],
    ["SIMPLIFIED_TAX_SYSTEM_INCOME_OUTCOME", { taxSystem: "usn-income-expense" }],
    ["UNIFIED_AGRICULTURAL_TAX", { taxSystem: "eshn" }],
    ["PATENT_BASED", { taxSystem: "patent" }],
    ["PRESUMPTIVE_TAX_SYSTEM", {}],
    ["TAX_SYSTEM_SAME_AS_GROUP", {}],
    ["A_SYSTEM_OF_NEXT_YEAR", {}],
  ])("taxed by %s says %o", (taxSystem, said) => {
    expect(product({ taxSystem })).toEqual({ type: "product", id: ID, ...said });
    expect(store({ defaultTaxSystem: taxSystem })).toMatchObject(said);
  });

  it("has marks in every category but one, those of next year included", () => {
    expect(product({ trackingType: "NOT_TRACKED" })).toEqual({ type: "product", id: ID });
    expect(product({})).toEqual({ type: "product", id: ID });
    for (const trackingType of ["TOBACCO", "MILK", "SHOES", "A_CATEGORY_OF_NEXT_YEAR"]) {
      expect(product({ trackingType })).toEqual({ type: "product", id: ID, marked: true });
    }
  });

  it("says nothing by a kind that is unknown", () => {
    expect(product({ paymentItemType: "A_KIND_OF_NEXT_YEAR" })).toEqual({ type: "product", id: ID });
  });

  it("has a unit by its name, with its code where there is one; a unit that may not be seen has none", () => {
    expect(product({ uom: { name: "кг", code: "166" } })).toMatchObject({ unit: { name: "кг", code: "166" } });
    expect(product({ uom: { name: "мешок" } })).toMatchObject({ unit: { name: "мешок" } });
    expect(product({ uom: { meta: { permitted: false } } })).toEqual({ type: "product", id: ID });
  });

  it("of a variant is its product's", () => {
    const card = { paymentItemType: "WORK", taxSystem: "PATENT_BASED", trackingType: "SHOES", uom: { name: "пара", code: "715" } };
    expect(variantOf(answered({ product: card, paymentItemType: "SERVICE" }))).toEqual({
      type: "variant",
      id: ID,
      kind: "work",
      taxSystem: "patent",
      marked: true,
      unit: { name: "пара", code: "715" },
    });
    expect(variantOf(answered({}))).toEqual({ type: "variant", id: ID });
  });
});

describe("a point of sale, an organization, an employee, a unit", () => {
  it("are kept as far as anybody needs them", () => {
    expect(
      store({
        name: "Касса",
        address: "ул. Примерная, д. 1",
        archived: true,
        organization: refTo("organization", OTHER),
        defaultTaxSystem: "PATENT_BASED",
        cashiers: { rows: [{ employee: refTo("employee", OTHER) }, { employee: refTo("employee", ID) }] },
      }),
    ).toEqual({
      type: "retailstore",
      id: ID,
      name: "Касса",
      address: "ул. Примерная, д. 1",
      archived: true,
      organizationId: OTHER,
      taxSystem: "patent",
      cashierIds: [OTHER, ID],
    });
    expect(organizationOf(answered({ name: "Образец", legalTitle: 'ООО "Образец"', inn: "9600123459" }))).toEqual({
      type: "organization",
      id: ID,
      name: 'ООО "Образец"',
      inn: "9600123459",
    });
    expect(organizationOf(answered({ name: "Образец", legalTitle: "" })).name).toBe("Образец");
    expect(employeeOf(answered({ firstName: "Мария", middleName: "", lastName: "Иванова" }))).toEqual({
      type: "employee",
      id: ID,
      firstName: "Мария",
      lastName: "Иванова",
    });
    expect(unitOf(answered({ name: "шт", code: "796" }))).toEqual({ type: "uom", id: ID, name: "шт", code: "796" });
  });
});

describe("a field of another type than the platform promises", () => {
  it.each(WRONG.map((wrong) => [JSON.stringify(wrong), wrong]))("says nothing and breaks nothing: %s", (_, wrong) => {
    const fields = { paymentItemType: wrong, taxSystem: wrong, uom: wrong, product: wrong };
    expect(product(fields)).toEqual({ type: "product", id: ID });
    expect(variantOf(answered(fields))).toEqual({ type: "variant", id: ID });
    if (typeof wrong !== "string")
      expect(product({ trackingType: wrong, uom: { name: "кг", code: wrong } })).toMatchObject({ unit: { name: "кг" } });
    const flat = { defaultTaxSystem: wrong, organization: wrong, cashiers: wrong, archived: wrong === true ? "yes" : wrong };
    expect(store(flat)).toEqual({ type: "retailstore", id: ID, name: "", cashierIds: [] });
    expect(store({ cashiers: { rows: [wrong, { employee: wrong }, { employee: refTo("employee", OTHER) }] } }).cashierIds).toEqual([OTHER]);
    if (typeof wrong === "string") return;
    expect(store({ name: wrong, address: wrong })).toEqual({ type: "retailstore", id: ID, name: "", cashierIds: [] });
    expect(organizationOf(answered({ name: wrong, legalTitle: wrong, inn: wrong }))).toEqual({ type: "organization", id: ID, name: "" });
    expect(employeeOf(answered({ firstName: wrong, middleName: wrong, lastName: wrong }))).toEqual({ type: "employee", id: ID });
    expect(unitOf(answered({ name: wrong, code: wrong }))).toEqual({ type: "uom", id: ID, name: "" });
  });
});

describe("what no table can hold", () => {
  it("is taken out of texts: NUL and other characters that control, halves of characters", () => {
    expect(store({ name: "Касса\u0000 1\u0000", address: "ул.\nПримерная" })).toMatchObject({ name: "Касса  1", address: "ул. Примерная" });
    expect(employeeOf(answered({ firstName: "\u0000", lastName: "Иванова\ud83d" }))).toEqual({
      type: "employee",
      id: ID,
      lastName: "Иванова\ufffd",
    });
    // The bound may cut a character in two.
    expect(unitOf(answered({ name: `${"я".repeat(4_095)}😀` })).name.isWellFormed()).toBe(true);
  });

  it("is no object of a list: what has no id, or one that is not the platform's", () => {
    for (const id of [undefined, null, 7, "", "7", "a\u0000b", `${ID}\u0000`, `../${ID}`]) expect(isObject({ id })).toBe(false);
    for (const row of [null, undefined, "x", 7]) expect(isObject(row)).toBe(false);
    expect(isObject({ id: ID })).toBe(true);
  });
});
