import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Known, KnownGoods } from "../../../src/model/known.ts";
import type { SoldPosition } from "../../../src/model/operation.ts";
import type { StoreProfile } from "../../../src/model/store-profile.ts";
import { type ItemKind, subjectIn } from "../../../src/model/subjects.ts";
import type { TaxSystem } from "../../../src/model/tax.ts";
import { draft, NOTHING_PAID, position, receipt, refusal } from "./builders.ts";

const MARK = "0104600000000008215abcdefghijkl\u001d91EE10\u001d92MTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTI=";

/** A paid sale of positions, with what the platform says of the goods in each. */
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

/** Tag 1212 in format 1.2 and in the earlier formats. */
function subjects(known: KnownGoods | null, over: Partial<SoldPosition> = {}, store: Partial<StoreProfile> = {}) {
  const subject = one(known, over, store)?.subject ?? 0;
  return [subjectIn("1.2", subject), subjectIn("1.05", subject)];
}

function warningsOf(drafted: ReturnType<typeof draft>) {
  if (drafted.kind === "refused") throw new Error(drafted.refusal.code);
  return drafted.warnings;
}

describe("what the platform says of goods", () => {
  // Fiscal-receipts 4.5 and 8, each in format 1.2 and before. Columns: the kind; goods not subject to marking; goods subject to it
  // but without a mark; goods with a mark.
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

  it("is what was set here whatever the platform says, without a word: the list of settings shows both", () => {
    const set = { taxSystem: "usn-income-expense", taxSystemIsSet: true } as const;
    const taxSystem = "usn-income-expense";
    for (const goods of [{ taxSystem: "patent" }, {}, { taxSystem }, null] satisfies (KnownGoods | null)[]) {
      expect(system([goods], { taxSystem: "osn" }, set)).toEqual({ taxSystem, warnings: [] });
      expect(system([goods], {}, set)).toEqual({ taxSystem, warnings: [] });
    }
  });

  it("decides which rates there may be: 5 and 7 % with the platform's simplified system", () => {
    const at = (vatPercent: string) => sold([{ known: { taxSystem: "usn-income" }, over: { vatPercent } }]);
    expect(["5", "7"].map((rate) => receipt(at(rate), { taxSystem: "osn" }).lines[0]?.vat)).toEqual([7, 8]);
    expect(refusal(at("5"), { taxSystem: "osn", taxSystemIsSet: true })).toMatchObject({ code: "vat-rate" });
    const patent = (over: Partial<SoldPosition>) => sold([{ known: null, over }], { taxSystem: "patent" });
    expect(receipt(patent({ vatEnabled: false }), { taxSystem: "osn" })).toMatchObject({ taxSystem: "patent", lines: [{ vat: 6 }] });
    expect(receipt(patent({}), { taxSystem: "osn", vatPayer: false })).toMatchObject({ taxSystem: "patent", lines: [{ vat: 6 }] });
  });
});

describe("a taxation system of the platform's that the rates do not go with", () => {
  // Fiscal-receipts 4.1 and 4.2: 5 and 7 % with a simplified system only, no VAT with a patent, 20 % until the end of 2025.
  const rates = ["5", "7", "10", "20", "22", "0", "none"] as const;
  const simplified: readonly string[] = ["5", "7", "10", "22", "0", "none"];
  const fit: Record<TaxSystem, readonly string[]> = {
    osn: ["10", "22", "0", "none"],
    "usn-income": simplified,
    "usn-income-expense": simplified,
    eshn: ["10", "22", "0", "none"],
    patent: ["none"],
  };
  const systems: TaxSystem[] = ["osn", "usn-income", "usn-income-expense", "eshn", "patent"];
  const pairs = systems.flatMap((platform) => systems.map((ours) => [platform, ours] as const));
  const over = (rate: string) => (rate === "none" ? { vatEnabled: false } : { vatPercent: rate });
  /** Two sales for which the platform gives the tax system: once with the goods, once with the point of sale. */
  const said = (platform: TaxSystem, rate: string) => [
    sold([{ known: { taxSystem: platform }, over: over(rate) }]),
    sold([{ known: null, over: over(rate) }], { taxSystem: platform }),
  ];

  it.each(pairs)("gives way to the settings where those do: %s there and %s here, at every rate", (platform, taxSystem) => {
    for (const rate of rates) {
      for (const sale of said(platform, rate)) {
        const drafted = draft(sale, { taxSystem });
        if (fit[platform].includes(rate)) {
          expect(drafted).toMatchObject({ document: { taxSystem: platform }, warnings: [] });
        } else if (fit[taxSystem].includes(rate)) {
          expect(drafted).toMatchObject({ document: { taxSystem }, warnings: [{ code: "tax-system-unfit", platform }] });
        } else {
          // The result is the same as without the platform's data.
          expect(drafted).toEqual(draft(sold([{ known: null, over: over(rate) }]), { taxSystem }));
          expect(drafted).toMatchObject({ kind: "refused", refusal: { parameter: "positions[0].vat" } });
        }
      }
    }
  });

  it("is left as a whole when one position of many does not go with it", () => {
    const rows = ["none", "22"].map((rate) => ({ known: { taxSystem: "patent" } as const, over: over(rate) }));
    expect(draft(sold(rows), { taxSystem: "osn" })).toMatchObject({
      document: { taxSystem: "osn", lines: [{ vat: 6 }, { vat: 11 }] },
      warnings: [{ code: "tax-system-unfit", platform: "patent" }],
    });
  });

  it("takes nothing from other refusals", () => {
    const sale = sold([{ known: { taxSystem: "patent" }, over: { marks: [MARK, MARK] } }]);
    expect(refusal(sale, { taxSystem: "osn" }).code).toBe("marks-exceed-quantity");
  });

  it("keeps no sale from being registered that would be without a word of the platform's", () => {
    const anySystem = fc.option(fc.constantFrom(...systems), { nil: undefined });
    const anyGoods = fc.option(
      fc.record({ taxSystem: anySystem, kind: fc.constantFrom(undefined, "excisable", "work"), marked: fc.constantFrom(undefined, true) }),
    );
    const anyRow = fc.record({ known: anyGoods, rate: fc.constantFrom(...rates, "18"), vatEnabled: fc.boolean() });
    const anyStore = fc.record({ taxSystem: fc.constantFrom(...systems), taxSystemIsSet: fc.boolean(), vatPayer: fc.boolean() });
    const anyTrade = fc.record({
      kind: fc.constantFrom("sale" as const, "sales-return" as const),
      moment: fc.constantFrom("2025-06-01 10:00:00", "2026-06-01 10:00:00"),
      vatIncluded: fc.boolean(),
      vatEnabled: fc.boolean(),
    });
    let registered = 0;
    fc.assert(
      fc.property(fc.array(anyRow, { minLength: 1, maxLength: 4 }), anySystem, anyStore, anyTrade, (rows, ofStore, store, trade) => {
        const positions = rows.map(({ rate, vatEnabled }) => position({ vatPercent: rate === "none" ? "0" : rate, vatEnabled }));
        const known = JSON.parse(JSON.stringify({ goods: rows.map((row) => row.known), taxSystem: ofStore })) as Known;
        const due = refusal({ ...trade, positions, payments: NOTHING_PAID }, store).details?.due;
        const sale = { ...trade, positions, payments: { ...NOTHING_PAID, cardKopecks: Math.round(Number(due ?? "0") * 100) } };
        if (draft(sale, store).kind === "refused") return;
        registered += 1;
        expect(draft({ ...sale, known }, store).kind).toBe("document");
      }),
      { numRuns: 1_000 },
    );
    expect(registered).toBeGreaterThan(100);
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
