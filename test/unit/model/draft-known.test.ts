import { describe, expect, it } from "vitest";
import type { Known, KnownGoods } from "../../../src/model/known.ts";
import type { SoldPosition } from "../../../src/model/operation.ts";
import type { StoreProfile } from "../../../src/model/store-profile.ts";
import { type ItemKind, subjectIn } from "../../../src/model/subjects.ts";
import { draft, NOTHING_PAID, position, receipt, refusal } from "./builders.ts";

const MARK = "0104600000000008215abcdefghijkl\u001d91EE10\u001d92MTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTI=";

/** Positions with what is known of each, paid for. */
function sold(rows: { known: KnownGoods | null; over?: Partial<SoldPosition> }[], known: Partial<Known> = {}) {
  const positions = rows.map(({ over = {} }) => position(over));
  const cardKopecks = positions.reduce((sum, { quantityMillionths }) => sum + (quantityMillionths / 1e6) * 10_000, 0);
  return {
    positions,
    payments: { ...NOTHING_PAID, cardKopecks },
    known: { goods: rows.map((row) => row.known), ...known },
  };
}

function one(known: KnownGoods | null, over: Partial<SoldPosition> = {}, store: Partial<StoreProfile> = {}) {
  return receipt(sold([{ known, over }]), store).lines[0];
}

/** Tag 1212 as both families of formats have it. */
function subjects(known: KnownGoods | null, over: Partial<SoldPosition> = {}, store: Partial<StoreProfile> = {}) {
  const subject = one(known, over, store)?.subject ?? 0;
  return [subjectIn("1.2", subject), subjectIn("1.05", subject)];
}

function warningsOf(drafted: ReturnType<typeof draft>) {
  if (drafted.kind === "refused") throw new Error(drafted.refusal.code);
  return drafted.warnings;
}

describe("what the platform says of goods", () => {
  // Fiscal-receipts 4.5 and 8: kind, plain, with marks but without one, with a mark; in 1.2 and before.
  const rows: [ItemKind, number[], number[], number[]][] = [
    ["goods", [1, 1], [32, 1], [33, 1]],
    ["excisable", [2, 2], [30, 2], [31, 2]],
    ["work", [3, 3], [3, 3], [33, 1]],
    ["service", [4, 4], [4, 4], [33, 1]],
    ["results", [9, 9], [9, 9], [33, 1]],
    ["composite", [13, 12], [13, 12], [33, 1]],
    ["other", [13, 13], [32, 1], [33, 1]],
  ];
  it.each(rows)("decides the subject of %s", (kind, plain, unmarked, marked) => {
    expect(subjects({ kind })).toEqual(plain);
    expect(subjects({ kind, marked: true })).toEqual(unmarked);
    expect(subjects({ kind, marked: true }, { marks: [MARK] })).toEqual(marked);
    expect(subjects({ kind }, { marks: [MARK] })).toEqual(marked);
  });

  it("goes before what the payload calls them and before what the point of sale sells", () => {
    const service = { assortment: { name: "Доставка", type: "Service" } };
    expect(one({ kind: "work" }, service, { itemKind: "excisable" })?.subject).toBe(3);
    expect(one({}, service, { itemKind: "excisable" })?.subject).toBe(4);
    expect(one({}, {}, { itemKind: "excisable" })?.subject).toBe(2);
    expect(one(null, {}, { itemKind: "excisable" })?.subject).toBe(2);
    expect(one({ marked: true }, {}, { itemKind: "excisable" })?.subject).toBe(30);
  });

  it("gives a unit where the payload has none, and only there", () => {
    const { unit: _, ...bare } = position();
    const known = { unit: { name: "кг", code: "166" } };
    const drafted = receipt({ positions: [bare], payments: { ...NOTHING_PAID, cardKopecks: 10_000 }, known: { goods: [known] } });
    expect(drafted.lines[0]?.unit).toEqual({ code: 11, label: "кг" });
    expect(one(known)?.unit).toEqual({ code: 0, label: "шт." });
    const own = receipt({ positions: [bare], payments: { ...NOTHING_PAID, cardKopecks: 10_000 }, known: { goods: [null] } });
    expect(own.lines[0]?.unit).toEqual({ code: 0, label: "шт." });
  });

  it("tells pieces that came without a mark apart from those with one, and says so once a position", () => {
    const drafted = draft(sold([{ known: { marked: true }, over: { quantityMillionths: 3_000_000, marks: [MARK] } }, { known: {} }]));
    if (drafted.kind === "refused" || drafted.document.kind !== "receipt") throw new Error(drafted.kind);
    expect(drafted.document.lines.map(({ subject, quantityMillionths }) => [subject, quantityMillionths])).toEqual([
      [33, 1_000_000],
      [32, 2_000_000],
      [1, 1_000_000],
    ]);
    expect(drafted.warnings.filter(({ code }) => code === "mark-absent")).toEqual([
      { code: "mark-absent", parameter: "positions[0].marks" },
    ]);
  });

  it("says nothing when each piece has its mark, and warns for less than a piece", () => {
    const codes = (over: Partial<SoldPosition>) => warningsOf(draft(sold([{ known: { marked: true }, over }]))).map(({ code }) => code);
    expect(codes({ marks: [MARK] })).not.toContain("mark-absent");
    expect(codes({})).toContain("mark-absent");
    expect(codes({ quantityMillionths: 500_000 })).toContain("mark-absent");
  });

  it("belongs to the position in the same place, and what is missing at the end is unknown", () => {
    const drafted = receipt({ ...sold([{ known: null }, { known: null }, { known: null }]), known: { goods: [null, { kind: "work" }] } });
    expect(drafted.lines.map(({ subject }) => subject)).toEqual([1, 3, 1]);
  });
});

describe("the taxation system of a receipt", () => {
  const system = (goods: (KnownGoods | null)[], known: Partial<Known> = {}, store: Partial<StoreProfile> = {}) => {
    const drafted = draft(
      sold(
        goods.map((each) => ({ known: each, over: { vatEnabled: false } })),
        known,
      ),
      store,
    );
    if (drafted.kind === "refused" || drafted.document.kind !== "receipt") throw new Error(drafted.kind);
    return { taxSystem: drafted.document.taxSystem, warnings: drafted.warnings };
  };

  it("is the default where the platform says nothing", () => {
    expect(system([null], {}, { taxSystem: "eshn" })).toEqual({ taxSystem: "eshn", warnings: [] });
    expect(system([{}], {}, { taxSystem: "eshn" })).toEqual({ taxSystem: "eshn", warnings: [] });
  });

  it("is the one of the point of sale at the platform where its goods have none of their own", () => {
    expect(system([{}, null], { taxSystem: "usn-income" })).toEqual({ taxSystem: "usn-income", warnings: [] });
  });

  it("is the one that all goods have, before that of the point of sale", () => {
    const known: KnownGoods = { taxSystem: "patent" };
    expect(system([known, known], { taxSystem: "usn-income" })).toEqual({ taxSystem: "patent", warnings: [] });
    expect(system([known, { taxSystem: "patent" }, null])).toEqual({ taxSystem: "patent", warnings: [] });
  });

  it("is that of the point of sale, or the default, where goods have several: one receipt has one", () => {
    const mixed: KnownGoods[] = [{ taxSystem: "patent" }, { taxSystem: "usn-income" }];
    const warnings = [{ code: "tax-systems-mixed" }];
    expect(system(mixed, { taxSystem: "usn-income" })).toEqual({ taxSystem: "usn-income", warnings });
    expect(system(mixed, {}, { taxSystem: "eshn" })).toEqual({ taxSystem: "eshn", warnings });
    expect(system([{ taxSystem: "patent" }, {}], { taxSystem: "usn-income" })).toEqual({ taxSystem: "usn-income", warnings });
  });

  it("is what was set here whatever the platform says, with a word when that is something else", () => {
    const set = { taxSystem: "usn-income-expense", taxSystemIsSet: true } as const;
    const taxSystem = "usn-income-expense";
    expect(system([{ taxSystem: "patent" }], { taxSystem: "osn" }, set)).toEqual({
      taxSystem,
      warnings: [{ code: "tax-system-set-otherwise", platform: "patent" }],
    });
    expect(system([{}], { taxSystem: "osn" }, set).warnings).toEqual([{ code: "tax-system-set-otherwise", platform: "osn" }]);
    expect(system([{ taxSystem }], { taxSystem: "osn" }, set)).toEqual({ taxSystem, warnings: [] });
    expect(system([null], {}, set)).toEqual({ taxSystem, warnings: [] });
  });

  it("decides which rates there may be: 5 and 7 % with the platform's simplified system, none with its patent", () => {
    const at = (vatPercent: string) => sold([{ known: { taxSystem: "usn-income" }, over: { vatPercent } }]);
    expect(["5", "7"].map((rate) => receipt(at(rate), { taxSystem: "osn" }).lines[0]?.vat)).toEqual([7, 8]);
    expect(refusal(at("5"), { taxSystem: "osn", taxSystemIsSet: true })).toMatchObject({ code: "vat-rate" });
    const patent = (over: Partial<SoldPosition>) => sold([{ known: null, over }], { taxSystem: "patent" });
    expect(refusal(patent({}), { taxSystem: "osn" })).toMatchObject({ code: "vat-seller", parameter: "positions[0].vat" });
    expect(receipt(patent({ vatEnabled: false }), { taxSystem: "osn" })).toMatchObject({ taxSystem: "patent", lines: [{ vat: 6 }] });
    expect(receipt(patent({}), { taxSystem: "osn", vatPayer: false })).toMatchObject({ taxSystem: "patent", lines: [{ vat: 6 }] });
  });
});

describe("the cashier's name", () => {
  const employee = { id: "e1", firstName: "Мария", middleName: "Петровна", lastName: "Иванова" };
  it("is the employee's where the payload has none", () => {
    expect(receipt({ cashier: { id: "e1" }, known: { goods: [], cashier: employee } }).cashierName).toBe("Иванова М.П.");
    expect(receipt({ cashier: { id: "e1", lastName: " " }, known: { goods: [], cashier: employee } }).cashierName).toBe("Иванова М.П.");
  });

  it("is the payload's wherever that has one", () => {
    const cashier = { id: "e1", firstName: "Ольга" };
    expect(receipt({ cashier, known: { goods: [], cashier: employee } }).cashierName).toBe("Ольга");
  });
});
