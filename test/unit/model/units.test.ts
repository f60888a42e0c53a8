import { describe, expect, it } from "vitest";
import { countingOf, isMeasured, unitOf } from "../../../src/model/units.ts";

describe("the unit of a position", () => {
  it("goes by the ОКЕИ code: its leading zeros belong to it, white space around it does not count", () => {
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

const WHOLE = 2_000_000;
const PART = 500_000;

describe("goods with a mark", () => {
  it.each([
    ["кг", "166"],
    ["г", "163"],
    ["л", "112"],
    ["мл", "111"],
    ["м", "006"],
    ["кв. м", "055"],
    ["куб. м", "113"],
    ["час", "356"],
    // These units have no code of their own in tag 2108, which is 255 for them.
    ["ц", "206"],
    ["дал", "118"],
    ["мм", "003"],
  ])("are sold by measure in %s, whole or not", (name, code) => {
    for (const quantity of [WHOLE, PART]) {
      expect(countingOf({ name, code }, quantity)).toBe("measure");
      expect(countingOf({ name }, quantity)).toBe("measure");
      expect(countingOf({ name: "?", code }, quantity)).toBe("measure");
    }
  });

  it.each([
    ["l", 41],
    ["L", 41],
    ["литров", 41],
    ["ml", 40],
    ["Граммов", 10],
    ["g", 10],
    ["килограммов", 11],
    ["m", 22],
    ["метров", 22],
    ["cm", 20],
    ["cl", 255],
    ["oz", 255],
    ["0,5 l", 255],
  ])("are sold by measure in %s too, in other words and letters for a measure (2108 = %i)", (name, code) => {
    for (const quantity of [WHOLE, PART]) expect(countingOf({ name }, quantity)).toBe("measure");
    expect(unitOf({ name }).code).toBe(code);
  });

  it.each([
    ["шт", "796"],
    ["упак", "778"],
    ["пара", "715"],
    ["бутылка", "868"],
  ])("are sold in pieces in %s, whole or not: a part of a piece there is a mistake of whoever typed it", (name, code) => {
    for (const quantity of [WHOLE, PART]) expect(countingOf({ name, code }, quantity)).toBe("pieces");
  });

  it("are sold in pieces where no unit is given at all", () => {
    expect(countingOf(undefined, WHOLE)).toBe("pieces");
    expect(countingOf(undefined, PART)).toBe("pieces");
    expect(countingOf({ name: "", code: "999" }, PART)).toBe("pieces");
  });

  it("are sold in pieces in any unit that is no measure, neither by its group in ОКЕИ nor by its name", () => {
    expect(countingOf({ name: "пачка", code: "728" }, WHOLE)).toBe("pieces");
    expect(countingOf({ name: "флакон", code: "872" }, PART)).toBe("pieces");
    expect(countingOf({ name: "блок" }, WHOLE)).toBe("pieces");
  });

  it("are sold by measure in a unit that nobody knows once the quantity is no number of things", () => {
    expect(countingOf({ name: "кейс" }, WHOLE)).toBe("pieces");
    expect(countingOf({ name: "кейс" }, PART)).toBe("measure");
    expect(countingOf({ name: "кега", code: "12" }, 30_500_000)).toBe("measure");
  });

  it.each(["стакан", "Бокал", "порц.", "100 г", "0,5 л", "0.33л", "250 мл"])("are poured or cut off by %s under one mark", (name) => {
    expect(countingOf({ name }, WHOLE)).toBe("measure");
  });

  it("are measured by their line's unit, those of stored receipts are pieces", () => {
    expect(isMeasured({ mark: "A", unit: { code: 11 } })).toBe(true);
    expect(isMeasured({ mark: "A", unit: { code: 255 } })).toBe(true);
    expect(isMeasured({ mark: "A", unit: { code: 0 } })).toBe(false);
    expect(isMeasured({ unit: { code: 11 } })).toBe(false);
  });
});
