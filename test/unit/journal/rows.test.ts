import { describe, expect, it } from "vitest";
import { FOUND_OUT_BY, JOURNAL_OPERATIONS, type Move } from "../../../src/journal/entry.ts";
import { contentColumns, entryOf, factsColumns, moveOf, moveRow, NO_PLACE } from "../../../src/journal/rows.ts";
import { ENTRY_STATES } from "../../../src/journal/states.ts";
import type { Operation } from "../../../src/model/operation.ts";
import type { EntryRow, MoveRow } from "../../../src/store/tables.ts";
import { EVERY_DOUBT, EVERY_REASON, EVERY_REFUSAL } from "../../support/every-reason.ts";
import {
  cashFacts,
  checkpoint,
  entryContent,
  openingFacts,
  saleDocument,
  saleFacts,
  saleOperation,
} from "../../support/journal-entries.ts";

const SALE = saleOperation("sale-1");

/** A row with a value in every column. */
const ENTRY: EntryRow = {
  id: 12,
  app_id: "app",
  account_id: "account",
  operation: "sale",
  document_id: "sale-1",
  state: "in-doubt",
  attempt: 2,
  accepted_at_ms: 1,
  moved_at_ms: 2,
  ...contentColumns(entryContent()),
  checkpoint: JSON.stringify(checkpoint()),
  ...factsColumns(saleFacts()),
  refusal: JSON.stringify({ code: "no-paper" }),
  doubt: JSON.stringify({ code: "answer-late" }),
};

const MOVE: Move = { entryId: 12, attempt: 2, atMs: 3, from: "sending", to: "in-doubt", by: "register" };
const MOVED: MoveRow = { ...moveRow({ ...MOVE, reasons: [{ code: "confirmed" }] }), ...NO_PLACE, number: 4 };

const { positions: _positions, payments: _payments, vatEnabled: _enabled, vatIncluded: _included, phone: _phone, ...head } = SALE;
const { kind: _kind, reference: _reference, cashierName: _name, address: _address, place: _place, ...settlement } = saleDocument();
const basis = { kind: "order", settledOn: "2026-03-02", description: "ошибка", orderNumber: "17" } as const;

/** One operation of each kind, with every possible member. */
const OPERATIONS: Record<Operation["kind"], Operation> = {
  "open-shift": { ...head, kind: "open-shift" },
  "close-shift": { ...head, kind: "close-shift" },
  "cash-in": { ...head, kind: "cash-in", sumKopecks: 150_000 },
  "cash-out": { ...head, kind: "cash-out", sumKopecks: 150_000 },
  sale: {
    ...SALE,
    email: "buyer@example.org",
    known: {
      cashier: { lastName: "Иванова" },
      taxSystem: "usn-income",
      goods: [null, { kind: "excisable", taxSystem: "patent", unit: { name: "кг", code: "166" }, marked: true }],
    },
    positions: SALE.positions.map((position) => ({
      ...position,
      marks: ["0104600000000000215abc"],
      pack: { name: "коробка", quantityMillionths: 12_000_000 },
    })),
  },
  "sales-return": { ...SALE, kind: "sales-return", original: { id: "sale-0", idType: "native" } },
  correction: {
    ...head,
    kind: "correction",
    step: "undo",
    of: { operation: "sale", document: SALE.document },
    settlement: { ...settlement, basis },
  },
  "x-report": { ...head, kind: "x-report" },
  "state-report": { ...head, kind: "state-report" },
};

describe("a row of the journal", () => {
  it("is read as what was written, whatever it says", () => {
    for (const operation of Object.values(OPERATIONS)) {
      const row = { ...ENTRY, content: JSON.stringify(operation), operation: operation.kind };
      expect(entryOf(row).operation).toEqual(operation);
    }
    for (const facts of [saleFacts(), openingFacts(), cashFacts()]) {
      expect(entryOf({ ...ENTRY, ...factsColumns(facts) }).facts).toEqual(facts);
    }
    for (const doubt of EVERY_DOUBT) expect(entryOf({ ...ENTRY, doubt: JSON.stringify(doubt) }).doubt).toEqual(doubt);
    for (const refusal of EVERY_REFUSAL) expect(entryOf({ ...ENTRY, refusal: JSON.stringify(refusal) }).refusal).toEqual(refusal);
    for (const reason of EVERY_REASON) {
      const move: Move = { ...MOVE, reasons: [reason] };
      expect(moveOf({ ...MOVED, ...moveRow(move) })).toEqual(move);
    }
    for (const state of ENTRY_STATES) expect(entryOf({ ...ENTRY, state }).state).toBe(state);
    for (const operation of JOURNAL_OPERATIONS) expect(entryOf({ ...ENTRY, operation }).key.operation).toBe(operation);
    for (const by of FOUND_OUT_BY) expect(moveOf({ ...MOVED, by }).by).toBe(by);
  });

  it("is read without members that nothing stands for", () => {
    const entry = entryOf({ ...ENTRY, checkpoint: null, facts: null, refusal: null, doubt: null });
    for (const member of ["checkpoint", "facts", "refusal", "doubt"]) expect(entry).not.toHaveProperty(member);
    expect(moveOf({ ...MOVED, from_state: null, reasons: null })).toEqual({
      entryId: 12,
      attempt: 2,
      atMs: 3,
      to: "in-doubt",
      by: "register",
    });
  });
});

/** Wrong values of each JSON column, besides text that is no JSON, with the part that the error names. */
const SPOILT_ENTRY: readonly [column: keyof EntryRow, value: unknown, told: string][] = [
  ["content", [], "it is"],
  ["content", { ...SALE, kind: "gift" }, "kind is"],
  ["content", { ...SALE, storeId: 5 }, "storeId is"],
  ["content", { ...SALE, positions: [{ ...SALE.positions[0], priceKopecks: "59.90" }] }, "positions.0.priceKopecks is"],
  ["content", { ...SALE, document: { id: "sale-1", idType: "paper" } }, "document.idType is"],
  ["document", "receipt", "it is"],
  ["document", { ...saleDocument(), kind: "invoice" }, "kind is"],
  ["document", { ...saleDocument(), totalKopecks: 0.5 }, "totalKopecks is"],
  ["document", { ...saleDocument(), taxSystem: "none" }, "taxSystem is"],
  ["checkpoint", [41], "it is"],
  ["checkpoint", { ...checkpoint(), lastDocumentNumber: "41" }, "lastDocumentNumber is"],
  ["checkpoint", { ...checkpoint(), shiftOpen: 1 }, "shiftOpen is"],
  ["checkpoint", {}, "driveNumber is"],
  ["facts", true, "it is"],
  ["facts", { ...saleFacts(), kind: "virtual" }, "kind is"],
  ["facts", { ...saleFacts(), fiscalSign: 2_134_567_890 }, "fiscalSign is"],
  ["refusal", "no-paper", "it is"],
  ["refusal", { code: "no-ink" }, "code is"],
  ["refusal", { code: "no-paper", details: { sum: 5 } }, "details.sum is"],
  ["refusal", { code: "lane-stopped", doubt: { code: "perhaps" } }, "doubt.code is"],
  ["doubt", "answer-late", "it is"],
  ["doubt", { code: "perhaps" }, "code is"],
  ["doubt", { code: "sum-differs" }, "number is"],
  ["doubt", { code: "facts-missing", number: 3, because: "tired" }, "because is"],
];

const SPOILT_MOVE: readonly [column: keyof MoveRow, value: unknown, told: string][] = [
  ["reasons", { code: "confirmed" }, "it is"],
  ["reasons", ["confirmed"], "0 is"],
  ["reasons", [{ code: "rumour" }], "0.code is"],
  ["reasons", [{ code: "confirmed" }, { code: "doubt", doubt: { code: "perhaps" } }], "1.doubt.code is"],
  ["reasons", [{ code: "refused", refusal: { code: "no-ink" } }], "0.refusal.code is"],
  ["reasons", [{ code: "taken-back", was: { kind: "lost" } }], "0.was.kind is"],
  ["reasons", Array.from({ length: 21 }, () => ({ code: "confirmed" })), "it is"],
];

const WORDS: readonly [column: keyof EntryRow & keyof typeof ENTRY, word: string][] = [
  ["operation", "gift"],
  ["id_type", "paper"],
  ["paper", "57"],
  ["state", "lost"],
];

describe("a row that somebody has spoilt", () => {
  const tables = [
    { table: "entries", row: "12", spoilt: SPOILT_ENTRY, read: (column: string, text: string) => entryOf({ ...ENTRY, [column]: text }) },
    {
      table: "moves",
      row: "12/2/in-doubt",
      spoilt: SPOILT_MOVE,
      read: (column: string, text: string) => moveOf({ ...MOVED, [column]: text }),
    },
  ];
  const json = tables.flatMap(({ table, row, spoilt, read }) =>
    spoilt.map(([column, value, told]) => ({ name: `${table}.${column}`, table, row, column, text: JSON.stringify(value), told, read })),
  );

  it.each(json)("is not read: $name holds $text", ({ table, row, column, text, told, read }) => {
    const start = `Column ${column} of row ${row} in table ${table} cannot be read: `;
    expect(() => read(column, text)).toThrow(expect.objectContaining({ code: "journal-unreadable", kind: "fault" }));
    expect(() => read(column, text)).toThrow(`${start}${told}`);
    for (const broken of ["", text.slice(0, -1), `${text}}`]) expect(() => read(column, broken)).toThrow(`${start}it is no JSON`);
  });

  it("is told for every column that holds JSON", () => {
    const isJson = (text: unknown) => typeof text === "string" && /^[[{]/.test(text);
    const columns = (row: object) => Object.entries(row).flatMap(([column, text]) => (isJson(text) ? [column] : []));
    const spoilt = [...SPOILT_ENTRY, ...SPOILT_MOVE].map(([column]) => column);
    expect([...new Set(spoilt)].toSorted()).toEqual([...columns(ENTRY), ...columns(MOVED)].toSorted());
  });

  it.each(WORDS)("is not read: entries.%s is %s", (column, word) => {
    expect(() => entryOf({ ...ENTRY, [column]: word })).toThrow(
      `Column ${column} of row 12 in table entries cannot be read: it is none of `,
    );
  });

  it.each([["to_state"], ["from_state"], ["by"]] as const)("is not read: moves.%s is a word that nobody writes", (column) => {
    expect(() => moveOf({ ...MOVED, [column]: "lost" })).toThrow(`Column ${column} of row 12/2/`);
  });
});
