import { describe, expect, it } from "vitest";
import { comparisonLines } from "../../../../../src/cli/journal/words/comparison-lines.ts";
import type { Entry, Move } from "../../../../../src/journal/entry.ts";
import type { RegisterDocument } from "../../../../../src/model/document.ts";
import type { RegisterIdentity } from "../../../../../src/model/facts.ts";
import { comparisonOf } from "../../../../../src/operator/explaining/comparison.ts";
import { checkpoint, entryContent, IDENTITY, saleDocument } from "../../../../support/journal-entries.ts";

const SENT_MS = Date.UTC(2026, 2, 2, 3, 15, 2);
const MOVES: Move[] = [
  { entryId: 5, attempt: 1, atMs: SENT_MS, to: "sending", by: "caller" },
  { entryId: 5, attempt: 1, atMs: SENT_MS + 150_000, from: "sending", to: "in-doubt", by: "register" },
];

function doubtful(document: RegisterDocument, changed: Partial<Entry> = {}): Entry {
  const head = {
    id: 5,
    state: "in-doubt" as const,
    attempt: 1,
    acceptedAtMs: 0,
    movedAtMs: 0,
    doubt: { code: "no-answer" as const, reason: "no reply" },
  };
  return { ...entryContent({ document }), ...head, checkpoint: checkpoint(), ...changed };
}

function linesOf(entry: Entry, moves: readonly Move[], identity: RegisterIdentity | undefined): string[] {
  return comparisonLines(entry.document, comparisonOf(entry, moves, identity));
}

describe("what to compare on the register's paper", () => {
  it("of a sale is drive, kind, numbers, sum, shift, time, our id and the goods", () => {
    expect(linesOf(doubtful(saleDocument()), MOVES, IDENTITY)).toEqual([
      "  drive     ФН 9999078900001234, register ЗН EMU-000000000001, РН 0000000001012345",
      "  kind      КАССОВЫЙ ЧЕК, ПРИХОД",
      "  number    ФД 42 or above: ФД 41 was the last one before it",
      "  sum       390.02: 390.02 card",
      "  shift     7 or a later one",
      "  time      from 2026-03-02 10:15, most likely until 2026-03-02 10:18, on the register's clock",
      "  our id    1f8a2c3d4e5f6071, in tag 1084 (printed as ID), on some registers in tag 1192",
      "  positions Хлеб «Бородинский» 119.80; Сыр «Российский», весовой 270.22",
    ]);
  });

  it("of a return and of a correction has the same things under their own titles", () => {
    const back = linesOf(doubtful({ ...saleDocument(), sign: 2 }), MOVES, undefined);
    expect(back.slice(0, 2)).toEqual(["  drive     ФН 9999078900001234", "  kind      КАССОВЫЙ ЧЕК, ВОЗВРАТ ПРИХОДА"]);
    expect(back).toContain("  our id    1f8a2c3d4e5f6071, in tag 1084 (printed as ID)");
    const correction = {
      ...saleDocument(),
      sign: 2 as const,
      kind: "correction" as const,
      basis: { kind: "own" as const, settledOn: "2026-03-01" },
    };
    expect(linesOf(doubtful(correction), MOVES, undefined)).toEqual(
      back.map((line, at) => (at === 1 ? "  kind      КАССОВЫЙ ЧЕК КОРРЕКЦИИ, ВОЗВРАТ ПРИХОДА" : line)),
    );
  });

  it("of a correction of income or expense names no tag that holds the sign of another receipt", () => {
    for (const sign of [1, 3] as const) {
      const basis = { kind: "own" as const, settledOn: "2026-03-01" };
      const lines = linesOf(doubtful({ ...saleDocument(), sign, kind: "correction", basis }), MOVES, undefined);
      expect(lines).toContain("  our id    1f8a2c3d4e5f6071, in tag 1084 (printed as ID)");
    }
  });

  it("of cash is the drawer before and after, and no number", () => {
    const lines = linesOf(doubtful({ kind: "cash-out", reference: "r", sumKopecks: 50_000 }), MOVES, undefined);
    expect(lines).toEqual([
      "  drive     ФН 9999078900001234",
      "  kind      ВЫПЛАТА",
      "  sum       500.00 (a slip: it has neither ФД nor ФП)",
      "  drawer    1500.00 before; 1000.00 if it was made and nothing else since (X-отчёт, without closing the shift)",
      "  shift     7 or a later one",
      "  time      from 2026-03-02 10:15, most likely until 2026-03-02 10:18, on the register's clock",
    ]);
  });

  it("of an opening is the next shift, of a closing this one; without moves the time has no end", () => {
    const opening = linesOf(doubtful({ kind: "open-shift", reference: "r" }), [], undefined);
    expect(opening).toContain("  kind      ОТЧЁТ ОБ ОТКРЫТИИ СМЕНЫ");
    expect(opening).toContain("  shift     8 or a later one");
    expect(opening).toContain("  time      2026-03-02 10:15 or later on the register's clock");
    expect(linesOf(doubtful({ kind: "close-shift", reference: "r" }), [], undefined)).toContain("  shift     7 or a later one");
  });

  it("takes the times of the attempt that is in doubt, and stands still when the server's clock went back", () => {
    const second: Move[] = [...MOVES, { ...MOVES[0], entryId: 5, attempt: 2, atMs: SENT_MS + 9e6, to: "sending", by: "caller" }];
    const back: Move[] = [...second, { entryId: 5, attempt: 2, atMs: SENT_MS, from: "sending", to: "in-doubt", by: "restart" }];
    expect(linesOf(doubtful(saleDocument(), { attempt: 2 }), back, undefined)).toContain(
      "  time      from 2026-03-02 10:15, most likely until 2026-03-02 10:16, on the register's clock",
    );
  });

  it("is nothing where nothing was sent", () => {
    const { checkpoint: _, ...unsent } = doubtful(saleDocument());
    expect(linesOf(unsent, MOVES, IDENTITY)).toEqual([]);
  });
});
