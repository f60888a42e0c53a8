import { describe, expect, it } from "vitest";
import { amountOf, minorUnitsOf, wholeMinorUnits } from "../../../src/platform/money.ts";
import { hrefOf, idOf, refOf, refTo } from "../../../src/platform/reference.ts";
import { cutToMinute, instantOfMoment, momentOf } from "../../../src/platform/time.ts";

const API = "https://api.example/api/remap/1.2";
const ID = "5f0c1d2e-0000-4000-8000-000000000001";

describe("moments", () => {
  it("are Moscow's, with milliseconds and without", () => {
    const instant = Date.UTC(2026, 2, 5, 9, 40, 17, 42);
    expect(momentOf(instant)).toBe("2026-03-05 12:40:17");
    expect(momentOf(instant, "with")).toBe("2026-03-05 12:40:17.042");
    expect(instantOfMoment("2026-03-05 12:40:17.042")).toBe(instant);
    expect(instantOfMoment("2026-03-05 12:40:17")).toBe(instant - 42);
    expect(instantOfMoment("2026-03-05 12:40:17.5")).toBe(instant - 42 + 500);
    expect(cutToMinute(instant)).toBe(Date.UTC(2026, 2, 5, 9, 40));
  });

  it("are read only when there is such a moment", () => {
    for (const text of ["2026-02-29 00:00:00", "2026-03-05", "", "2026-03-05T25:00:00"]) expect(instantOfMoment(text)).toBeUndefined();
    expect(instantOfMoment("1970-01-01 03:00:00")).toBe(0);
  });
});

describe("money", () => {
  it("is whole minor units, half away from zero", () => {
    expect([10.4, 10.5, -10.5, 0].map(wholeMinorUnits)).toEqual([10, 11, -11, 0]);
  });

  it("is read from what people write, exactly", () => {
    expect(["12.5", "0,01", "1999999.99"].map(minorUnitsOf)).toEqual([1_250, 1, 199_999_999]);
    for (const wrong of ["12.345", "abc", ""]) expect(() => minorUnitsOf(wrong)).toThrow("is no amount");
    expect(amountOf(1_250)).toBe("12.50");
  });
});

describe("references", () => {
  it("are addresses without their query part", () => {
    const row = { meta: { href: `${API}/entity/product/${ID}?expand=supplier`, type: "product", mediaType: "application/json" } };
    expect(hrefOf(row)).toBe(`${API}/entity/product/${ID}`);
    expect([idOf(row), idOf(row.meta), idOf(row.meta.href)]).toEqual([ID, ID, ID]);
    expect(refOf(row)).toEqual(refTo(API, "product", ID));
  });

  it("end in an id", () => {
    expect(() => idOf(`${API}/entity/product`)).toThrow("does not end in an id");
    expect(() => refTo(API, "product", "../employee")).toThrow("is no id");
  });
});
