import { describe, expect, it } from "vitest";
import type { Catalogue } from "../../../../src/platform/entities/catalogue.ts";
import { type Filter, filterText } from "../../../../src/platform/query/filter.ts";
import { readConditions } from "../../../../src/tools/sandbox/reading/filter/conditions.ts";

type FilterOf<Name extends keyof Catalogue> = Filter<Catalogue[Name]["fields"], Catalogue[Name]["keys"]>;

const API = "https://api.example/api/remap/1.2";
const ID = "5f0c1d2e-0000-4000-8000-000000000001";
const agent = { meta: { href: `${API}/entity/counterparty/${ID}?expand=x`, type: "counterparty", mediaType: "application/json" } } as const;

const products = (filter: FilterOf<"product">) => filterText(filter);
const sales = (filter: FilterOf<"retaildemand">) => filterText(filter);
const attribute = (type: string) => ({ meta: { href: `${API}/entity/product/metadata/attributes/${ID}` }, type });

describe("a filter", () => {
  it("is a condition for each field that it names", () => {
    expect(products({ name: "tea", archived: false, weight: 1.5 })).toBe("name=tea;archived=false;weight=1.5");
    expect(products({})).toBeUndefined();
  });

  it("has every operator of the tables", () => {
    expect(
      products({
        name: { contains: ["green", "tea"], startsWith: "g", endsWith: "a", isNot: "green" },
        weight: { above: 1, below: 9, atLeast: 2, atMost: 8, isNot: [3, 4] },
      }),
    ).toBe("name~green;name~tea;name~=g;name=~a;name!=green;weight>1;weight<9;weight>=2;weight<=8;weight!=3;weight!=4");
  });

  it("takes a list for values to be in, and null for a missing value", () => {
    expect(products({ code: ["a", null], article: null, archived: [true, false] })).toBe(
      "code=a;code=;article=;archived=true;archived=false",
    );
    expect(products({ code: { isNot: [null, "x"] } })).toBe("code!=;code!=x");
  });

  it("names an object by its address, without a query part", () => {
    expect(sales({ agent, state: null })).toBe(`agent=${API}/entity/counterparty/${ID};state=`);
    expect(sales({ agent: { isNot: agent } })).toBe(`agent!=${API}/entity/counterparty/${ID}`);
  });

  it("has keys that are no fields", () => {
    expect(sales({ "state.name": ["New", "Paid"], isDeleted: [true, false] })).toBe(
      "state.name=New;state.name=Paid;isDeleted=true;isDeleted=false",
    );
    expect(products({ barcode: { startsWith: "20" }, updatedBy: "admin@shop", id: ID })).toBe(`barcode~=20;updatedBy=admin@shop;id=${ID}`);
  });

  it("takes moments in each of their forms, and no others", () => {
    expect(sales({ moment: { atLeast: "2026-03-05 12:40", below: "2026-03-06 00:00:00.500" } })).toBe(
      "moment>=2026-03-05 12:40;moment<2026-03-06 00:00:00.500",
    );
    for (const moment of ["2026-13-05 12:40:00", "2026-02-31 12:40:00", "1970-01-01 02:59:59"] as const)
      expect(() => sales({ moment: { above: moment } })).toThrow("is no moment");
  });

  it("is by an additional field under the field's address, with the operators of its type", () => {
    const key = attribute("string").meta.href;
    expect(products({ attributes: [{ field: attribute("string"), where: { contains: "a;b" } }] })).toBe(`${key}~a\\;b`);
    expect(products({ attributes: [{ field: attribute("long"), where: { atLeast: 3 } }] })).toBe(`${key}>=3`);
    expect(products({ attributes: [{ field: attribute("counterparty"), where: agent }] })).toBe(`${key}=${API}/entity/counterparty/${ID}`);
    expect(products({ attributes: [{ field: attribute("string"), where: ["v", null] }] })).toBe(`${key}=v;${key}=`);
    expect(() => products({ attributes: [{ field: attribute("boolean"), where: { contains: "t" } }] })).toThrow("type boolean");
    expect(() => products({ attributes: [{ field: attribute("text"), where: { above: 3 } }] })).toThrow("type text");
    expect(() => products({ attributes: [{ field: attribute("file"), where: "a" }] })).toThrow("type file");
  });

  it.each(["a;b", ";", "a\\b", "a\\;b", "=", "=~x", "a=b;c=d", "\\", "кофе;чай\\"])("is read back as it was meant: %s", (name) => {
    expect(readConditions(products({ name, code: "after" }) ?? "")).toEqual(
      expect.arrayContaining([
        { key: "name", operator: "=", constant: name },
        { key: "code", operator: "=", constant: "after" },
      ]),
    );
  });

  it("cannot have two constants that end in a backslash", () => {
    expect(() => products({ name: "a\\", code: "b\\" })).toThrow("backslash");
  });

  it("refuses a constant that would become part of its operator", () => {
    expect(() => products({ name: "~x" })).toThrow("startsWith alone");
    expect(() => products({ name: { contains: "=x" } })).toThrow("cannot begin with =");
    expect(readConditions(products({ name: { startsWith: "~=x", isNot: "~", endsWith: "=" } }) ?? "")).toEqual([
      { key: "name", operator: "~=", constant: "~=x" },
      { key: "name", operator: "!=", constant: "~" },
      { key: "name", operator: "=~", constant: "=" },
    ]);
  });

  it("writes numbers without an exponent", () => {
    expect(products({ weight: { above: 1e-7, below: 1e21 } })).toBe("weight>0.0000001;weight<1000000000000000000000");
    expect(products({ weight: { above: 1e-25 } })).toBe("weight>0.0000000000000000000000001");
    expect(products({ weight: { is: -1.234567890123e-8 } })).toBe("weight=-0.00000001234567890123");
    expect(() => products({ weight: { above: 1e-31 } })).toThrow("1e-31 is no number that the platform takes");
    expect(() => products({ weight: Number.NaN })).toThrow("is no value");
  });

  it("says what cannot be said instead of another thing", () => {
    expect(() => products({ name: "" })).toThrow("null stands for a missing value");
    expect(() => products({ name: [] })).toThrow("empty list");
    expect(() => products({ name: {} })).toThrow("no condition for name");
    expect(() => filterText({ name: undefined })).toThrow("undefined is no value");
    expect(() => filterText({ weight: { above: undefined } })).toThrow("undefined is no value");
    expect(() => filterText({ weight: { is: 1, above: 2 } })).toThrow("at once");
    expect(() => filterText({ weight: { about: 1 } })).toThrow("no operator about");
  });

  it("refuses before it is compiled what the tables do not allow", () => {
    // @ts-expect-error a list of barcodes is not filterable; its key is `barcode`
    products({ barcodes: "2000000000001" });
    // @ts-expect-error a text has no order
    products({ name: { above: "a" } });
    // @ts-expect-error a value and a range are refused together
    expect(() => products({ weight: { is: 1, above: 2 } })).toThrow("at once");
    // @ts-expect-error an equality field has no parts
    sales({ applicable: { contains: "t" } });
    // @ts-expect-error documents have no archive
    sales({ archived: true });
    // @ts-expect-error a buyer is no employee
    sales({ agent: { meta: { ...agent.meta, type: "employee" } } });
    // @ts-expect-error syncId is not offered: the platform answers 1034 (D9)
    sales({ syncId: ID });
    // @ts-expect-error points of sale have no additional fields
    filterText({ attributes: [] } satisfies FilterOf<"retailstore">);
  });
});
