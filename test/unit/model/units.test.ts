import { describe, expect, it } from "vitest";
import { unitOf } from "../../../src/model/units.ts";

describe("the unit of a position", () => {
  it("goes by the ОКЕИ code, leading zeros and white space minded", () => {
    expect(unitOf({ name: "штука", code: "796" })).toEqual({ code: 0, label: "шт." });
    expect(unitOf({ name: "?", code: " 166 " })).toEqual({ code: 11, label: "кг" });
    expect(unitOf({ name: "?", code: "006" })).toEqual({ code: 22, label: "м" });
    expect(unitOf({ name: "?", code: "018" }).code).toBe(22);
    expect(unitOf({ name: "?", code: "2554" })).toEqual({ code: 83, label: "Тбайт" });
  });

  it("counts every countable unit in pieces", () => {
    for (const code of ["796", "642", "778", "715", "839", "704", "868", "812", "736", "625", "616", "879"]) {
      expect(unitOf({ name: "", code })).toEqual({ code: 0, label: "шт." });
    }
  });

  it("goes by the name when the code is missing or unknown", () => {
    expect(unitOf({ name: "Шт." }).code).toBe(0);
    expect(unitOf({ name: "гр", code: "" }).code).toBe(10);
    expect(unitOf({ name: " КГ ", code: "999" }).code).toBe(11);
    expect(unitOf({ name: "м2", code: "6" }).code).toBe(32);
  });

  it("keeps a name of its own, cut to what a drive holds, where there is no code for it", () => {
    expect(unitOf({ name: "ц", code: "206" })).toEqual({ code: 255, label: "ц" });
    expect(unitOf({ name: "коробка подарочная большая" })).toEqual({ code: 255, label: "коробка подарочн" });
    expect(unitOf({ name: "мес", code: "362" })).toEqual({ code: 255, label: "мес" });
  });

  it("is a piece where none is given", () => {
    expect(unitOf(undefined)).toEqual({ code: 0, label: "шт." });
    expect(unitOf({ name: " ", code: "777" })).toEqual({ code: 0, label: "шт." });
  });
});
