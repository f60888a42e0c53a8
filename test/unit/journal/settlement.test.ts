import { describe, expect, it } from "vitest";
import type { Entry } from "../../../src/journal/entry.ts";
import { settledFacts } from "../../../src/journal/settlement.ts";
import { parseIdentity, parseReadOff, type ReadOff } from "../../../src/journal/settlement-schema.ts";
import { checkpoint, entryContent, IDENTITY, saleFacts } from "../../support/journal-entries.ts";

const PAPER: ReadOff = { documentNumber: 42, fiscalSign: "0034567890", time: "2026-03-02 10:15:00", shiftNumber: 7, receiptNumber: 12 };

function doubtful(changed: Partial<Entry> = {}): Entry {
  const head = { id: 5, state: "in-doubt" as const, attempt: 1, acceptedAtMs: 0, movedAtMs: 0, doubt: "no reply" };
  return { ...entryContent(), ...head, checkpoint: checkpoint(), ...changed };
}

describe("what a person types from paper", () => {
  it("is read with the day first and without seconds, as registers print it", () => {
    const texts = { number: "42", sign: "0034567890", time: "02.03.26 10:15", shift: "7", receipt: "12" };
    expect(parseReadOff(texts)).toEqual({ kind: "read", value: PAPER });
    expect(parseReadOff({ ...texts, time: "02.03.2026 10:15" })).toEqual({ kind: "read", value: PAPER });
    expect(parseReadOff({ ...texts, time: " 2026-03-02 10:15:00 " })).toEqual({ kind: "read", value: PAPER });
  });

  it("may lack number and sign, which a slip for cash does not have", () => {
    const read = parseReadOff({ time: "2026-03-02 10:15", shift: "7" });
    expect(read).toEqual({ kind: "read", value: { time: "2026-03-02 10:15:00", shiftNumber: 7 } });
  });

  it.each([
    [{ shift: "7" }, "time: is missing"],
    [{ time: "2026-03-02 10:15" }, "shift: is missing"],
    [{ time: "31.02.26 10:15", shift: "7" }, "time: expected"],
    [{ time: "10:15", shift: "7" }, "time: expected"],
    [{ time: "2026-03-02 10:15", shift: "0" }, "shift: expected a whole number from 1"],
    [{ time: "2026-03-02 10:15", shift: "7", number: "4294967296" }, "number: expected"],
    [{ time: "2026-03-02 10:15", shift: "7", sign: "12 345" }, "sign: expected 1 to 10 digits"],
  ])("is refused with the field that is wrong: %j", (texts, problem) => {
    expect(parseReadOff(texts)).toMatchObject({ kind: "wrong", problem: expect.stringContaining(problem) });
  });

  it("describes a register by the fields that a receipt shows", () => {
    expect(parseIdentity(IDENTITY)).toEqual({ kind: "read", value: IDENTITY });
    expect(parseIdentity({ ...IDENTITY, driveNumber: "12" })).toEqual({ kind: "wrong", problem: "driveNumber: expected 16 digits" });
    expect(parseIdentity("text")).toMatchObject({ kind: "wrong" });
  });
});

describe("facts made of paper and of what was sent", () => {
  it("holds the numbers of the paper and the sums that were sent", () => {
    expect(settledFacts(doubtful(), PAPER, IDENTITY, [])).toEqual({ kind: "facts", facts: saleFacts({ fiscalSign: "0034567890" }) });
  });

  it("counts the drawer on from the checkpoint for a slip without number and sign", () => {
    const document = { kind: "cash-out", reference: "r", sumKopecks: 50_000 } as const;
    const settled = settledFacts(doubtful({ document }), { time: "2026-03-02 10:16:00", shiftNumber: 7 }, IDENTITY, []);
    expect(settled).toEqual({
      kind: "facts",
      facts: {
        kind: "cash",
        document: "cash-out",
        identity: IDENTITY,
        time: "2026-03-02 10:16:00",
        shiftNumber: 7,
        sumKopecks: 50_000,
        drawerKopecks: 100_000,
      },
    });
  });

  it.each<[string, Entry, ReadOff, string]>([
    ["a number from before the operation", doubtful(), { ...PAPER, documentNumber: 41 }, "41 was the last one before it"],
    [
      "a slip from well before it began",
      doubtful({ document: { kind: "cash-out", reference: "r", sumKopecks: 50_000 } }),
      { time: "2026-03-02 10:04:59", shiftNumber: 7 },
      "before the operation began",
    ],
    ["a shift that was over", doubtful(), { ...PAPER, shiftNumber: 6 }, "shift 6 is over"],
    ["the old shift for an opening", doubtful({ document: { kind: "open-shift", reference: "r" } }), PAPER, "shift 7 is over"],
    ["no fiscal sign on a receipt", doubtful(), { documentNumber: 42, time: PAPER.time, shiftNumber: 7 }, "both are needed"],
  ])("cannot be made from %s", (_what, entry, paper, problem) => {
    expect(settledFacts(entry, paper, IDENTITY, [])).toMatchObject({ kind: "contradicts", problem: expect.stringContaining(problem) });
  });

  it("may show an earlier time where the register's clock was set back meanwhile: documents are ordered by their numbers", () => {
    const document = { kind: "cash-out", reference: "r", sumKopecks: 50_000 } as const;
    expect(settledFacts(doubtful(), { ...PAPER, time: "2026-03-02 09:15:00" }, IDENTITY, [])).toMatchObject({ kind: "facts" });
    const slip = { time: "2026-03-02 10:05:00", shiftNumber: 7 };
    expect(settledFacts(doubtful({ document }), slip, IDENTITY, [])).toMatchObject({ kind: "facts" });
  });

  it("cannot be made for an operation that was never sent, or by another drive", () => {
    const { checkpoint: _checkpoint, ...unsent } = doubtful();
    expect(settledFacts(unsent, PAPER, IDENTITY, [])).toMatchObject({ kind: "contradicts" });
    const other = { ...IDENTITY, driveNumber: "9999078900009999" };
    expect(settledFacts(doubtful(), PAPER, other, [])).toMatchObject({ kind: "contradicts" });
  });

  it("cannot be made of a document that belongs to another operation", () => {
    const owner: Entry = { ...doubtful({ id: 4 }), state: "done", facts: saleFacts() };
    const settled = settledFacts(doubtful(), PAPER, IDENTITY, [owner]);
    expect(settled).toEqual({ kind: "contradicts", problem: "document 42 belongs to entry 4 (sale 00017)" });
  });
});
