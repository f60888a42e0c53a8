import { describe, expect, it } from "vitest";
import { impossibleWords } from "../../../../src/cli/journal/words/figure-words.ts";
import type { Entry } from "../../../../src/journal/entry.ts";
import type { RegisterDocument } from "../../../../src/model/document.ts";
import type { FiscalFacts } from "../../../../src/model/facts.ts";
import { deviceTimeNow, type KnownAtRegister } from "../../../../src/operator/settling/figure-bounds.ts";
import { parseIdentity, parseReadOff, type ReadOff } from "../../../../src/operator/settling/read-off-schema.ts";
import { type Settlement, settledFacts } from "../../../../src/operator/settling/settled-facts.ts";
import { checkpoint, entryContent, IDENTITY, saleFacts } from "../../../support/journal-entries.ts";

const PAPER: ReadOff = { documentNumber: 42, fiscalSign: "0034567890", time: "2026-03-02 10:15:00", shiftNumber: 7, receiptNumber: 12 };

const REPORT_PAPER: ReadOff = { documentNumber: 42, fiscalSign: "0034567890", time: "2026-03-02 10:15:00", shiftNumber: 7 };

/** Two minutes after the checkpoint. */
function known(changed: Partial<KnownAtRegister> = {}): KnownAtRegister {
  return { identity: IDENTITY, others: [], deviceNow: "2026-03-02 10:17:00", confirmed: false, ...changed };
}

/** A done sale of the same shift. */
function neighbour(facts: Partial<FiscalFacts>): Entry {
  return { ...doubtful({ id: 4 }), state: "done", facts: saleFacts({ fiscalSign: "0000000004", ...facts }) };
}

function doubtful(changed: Partial<Entry> = {}): Entry {
  const head = {
    id: 5,
    state: "in-doubt" as const,
    attempt: 1,
    acceptedAtMs: 0,
    movedAtMs: 0,
    doubt: { code: "no-answer" as const, reason: "no reply" },
  };
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
    [{ time: "2026-03-02 10:15", shift: "7", sign: "0" }, "sign: expected a number from 1 to 4294967295"],
    [{ time: "2026-03-02 10:15", shift: "7", sign: "0000000000" }, "sign: expected a number from 1"],
    [{ time: "2026-03-02 10:15", shift: "7", sign: "4294967296" }, "sign: expected a number from 1 to 4294967295"],
    [{ time: "2026-03-02 10:15", shift: "4294967296" }, "shift: expected a whole number"],
    [{ time: "2026-03-02 10:15", shift: "7", receipt: "0" }, "receipt: expected a whole number from 1"],
    [{ time: "2026-03-02 10:15", shift: "7", sum: "390.021" }, "sum: expected roubles and kopecks"],
    [{ time: "2026-03-02 10:15", shift: "7", sum: "all of it" }, "sum: expected roubles and kopecks"],
  ])("is refused with the field that is wrong: %j", (texts, problem) => {
    expect(parseReadOff(texts)).toMatchObject({ kind: "wrong", problem: expect.stringContaining(problem) });
  });

  it("has its sign filled up to the ten digits that are printed, and its sum in kopecks, however it is written", () => {
    const texts = { number: "42", sign: "34567890", time: "02.03.26 10:15", shift: "7" };
    for (const sum of ["390.02", "390,02", " ≡390.02"]) {
      expect(parseReadOff({ ...texts, sum })).toMatchObject({ kind: "read", value: { fiscalSign: "0034567890", sumKopecks: 39_002 } });
    }
  });

  it("describes a register by the fields that a receipt shows", () => {
    expect(parseIdentity(IDENTITY)).toEqual({ kind: "read", value: IDENTITY });
    expect(parseIdentity({ ...IDENTITY, driveNumber: "12" })).toEqual({ kind: "wrong", problem: "driveNumber: expected 16 digits" });
    expect(parseIdentity("text")).toMatchObject({ kind: "wrong" });
  });
});

describe("facts made of paper and of what was sent", () => {
  it("holds the numbers of the paper and the sums that were sent", () => {
    expect(settledFacts(doubtful(), PAPER, known())).toEqual({ kind: "facts", facts: saleFacts({ fiscalSign: "0034567890" }) });
  });

  it("counts the drawer on from the checkpoint for a slip without number and sign", () => {
    const document = { kind: "cash-out", reference: "r", sumKopecks: 50_000 } as const;
    const settled = settledFacts(doubtful({ document }), { time: "2026-03-02 10:16:00", shiftNumber: 7 }, known());
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
    ["the old shift for an opening", doubtful({ document: { kind: "open-shift", reference: "r" } }), REPORT_PAPER, "shift 7 is over"],
    ["no fiscal sign on a receipt", doubtful(), { documentNumber: 42, time: PAPER.time, shiftNumber: 7 }, "both are needed"],
  ])("cannot be made from %s", (_what, entry, paper, problem) => {
    expect(problemOf(settledFacts(entry, paper, known()))).toContain(problem);
  });

  it("may show an earlier time where the register's clock was set back meanwhile: documents are ordered by their numbers", () => {
    const document = { kind: "cash-out", reference: "r", sumKopecks: 50_000 } as const;
    expect(settledFacts(doubtful(), { ...PAPER, time: "2026-03-02 09:15:00" }, known())).toMatchObject({ kind: "facts" });
    const slip = { time: "2026-03-02 10:05:00", shiftNumber: 7 };
    expect(settledFacts(doubtful({ document }), slip, known())).toMatchObject({ kind: "facts" });
  });

  it("cannot be made for an operation that was never sent, or by another drive", () => {
    const { checkpoint: _checkpoint, ...unsent } = doubtful();
    expect(settledFacts(unsent, PAPER, known())).toMatchObject({ kind: "impossible" });
    const other = { ...IDENTITY, driveNumber: "9999078900009999" };
    expect(settledFacts(doubtful(), PAPER, known({ identity: other }))).toMatchObject({ kind: "impossible" });
  });

  const SLIP: RegisterDocument = { kind: "cash-out", reference: "r", sumKopecks: 50_000 };
  const SLIP_PAPER: ReadOff = { time: "2026-03-02 10:16:00", shiftNumber: 7 };
  const opening = doubtful({
    document: { kind: "open-shift", reference: "r" },
    checkpoint: checkpoint({ shiftNumber: 6, shiftOpen: false }),
  });
  const closing = doubtful({ document: { kind: "close-shift", reference: "r" } });

  it.each<[string, Entry, ReadOff, string]>([
    ["a digit too many in the number", doubtful(), { ...PAPER, documentNumber: 422 }, "so 42 to 49 was expected"],
    ["a number just too far on", doubtful(), { ...PAPER, documentNumber: 50 }, "document 50 is too far on: 41 was the last one before"],
    ["the largest number", doubtful(), { ...PAPER, documentNumber: 4_294_967_295 }, "too far on"],
    ["a shift of the far future", doubtful(), { ...PAPER, shiftNumber: 4_000_000_000 }, "the operation belongs to shift 7 or 8"],
    ["the shift after the next", doubtful(), { ...PAPER, shiftNumber: 9 }, "shift 9 has not begun"],
    ["the next shift for a closing", closing, { ...REPORT_PAPER, shiftNumber: 8 }, "the operation belongs to shift 7"],
    ["the shift after the next for an opening", opening, { ...REPORT_PAPER, shiftNumber: 8 }, "the operation belongs to shift 7"],
    [
      "the closed shift for a slip",
      doubtful({ document: SLIP, checkpoint: checkpoint({ shiftOpen: false }) }),
      SLIP_PAPER,
      "belongs to shift 8",
    ],
    ["a time of another year", doubtful(), { ...PAPER, time: "2030-03-02 10:15:00" }, "has not come yet on the register's clock"],
    ["a time more than an hour ahead", doubtful(), { ...PAPER, time: "2026-03-02 11:18:00" }, "give or take 60 minutes"],
    ["a time more than an hour before", doubtful(), { ...PAPER, time: "2026-03-02 09:14:00" }, "before the operation began"],
    ["a slip from the future", doubtful({ document: SLIP }), { ...SLIP_PAPER, time: "2026-03-02 10:28:00" }, "has not come yet"],
    ["another sum than what was sent", doubtful(), { ...PAPER, sumKopecks: 39_000 }, "390.00 is not what was sent: 390.02 was"],
    ["another sum of a slip", doubtful({ document: SLIP }), { ...SLIP_PAPER, sumKopecks: 5_000 }, "50.00 is not what was sent: 500.00 was"],
    ["a number on a slip", doubtful({ document: SLIP }), { ...SLIP_PAPER, documentNumber: 42 }, "a slip for cash has neither"],
    ["a receipt's number on a slip", doubtful({ document: SLIP }), { ...SLIP_PAPER, receiptNumber: 1 }, "a slip for cash has neither"],
    ["a receipt's number on a report", closing, { ...REPORT_PAPER, receiptNumber: 1 }, "a report has neither"],
    ["a sum on a report", opening, { ...REPORT_PAPER, sumKopecks: 1 }, "a report has neither"],
    ["more receipts than documents", doubtful(), { ...PAPER, receiptNumber: 43 }, "expected 1 to 42"],
    ["an X report", doubtful({ document: { kind: "x-report", reference: "r" } }), REPORT_PAPER, "an X report is no document"],
  ])("cannot be made from a typing error: %s", (_what, entry, paper, problem) => {
    expect(problemOf(settledFacts(entry, paper, known()))).toContain(problem);
  });

  it.each<[string, Entry, ReadOff]>([
    ["the number that comes next", doubtful(), PAPER],
    ["the last number that is likely", doubtful(), { ...PAPER, documentNumber: 49 }],
    ["the next shift, which the register opened itself", doubtful(), { ...PAPER, shiftNumber: 8 }],
    ["the shift that an opening opens", opening, REPORT_PAPER],
    ["the shift that a closing closes", closing, REPORT_PAPER],
    [
      "a state report of a closed shift",
      doubtful({ document: { kind: "state-report", reference: "r" }, checkpoint: checkpoint({ shiftOpen: false }) }),
      REPORT_PAPER,
    ],
    ["a clock that was set on by an hour", doubtful(), { ...PAPER, time: "2026-03-02 11:17:00" }],
    ["the sum that was sent", doubtful(), { ...PAPER, sumKopecks: 39_002 }],
  ])("are made from %s", (_what, entry, paper) => {
    expect(settledFacts(entry, paper, known()).kind).toBe("facts");
  });

  it.each<[string, Partial<FiscalFacts>, number, string | undefined]>([
    ["fits behind the receipt before it", { documentNumber: 41, receipt: { number: 11, sign: 1, totalKopecks: 1 } }, 12, undefined],
    ["is that of the receipt before it", { documentNumber: 41, receipt: { number: 12, sign: 1, totalKopecks: 1 } }, 12, "expected 13"],
    ["leaves receipts out", { documentNumber: 40, receipt: { number: 9, sign: 1, totalKopecks: 1 } }, 12, "expected 10 to 11"],
    ["is that of a receipt behind it", { documentNumber: 43, receipt: { number: 12, sign: 1, totalKopecks: 1 } }, 12, "expected 1 to 11"],
    [
      "is of another shift than those known",
      { documentNumber: 41, shiftNumber: 6, receipt: { number: 90, sign: 1, totalKopecks: 1 } },
      12,
      undefined,
    ],
  ])("have a receipt's number that fits its neighbours: %s", (_what, facts, receiptNumber, problem) => {
    const settled = settledFacts(doubtful(), { ...PAPER, receiptNumber }, known({ others: [neighbour(facts)] }));
    if (problem === undefined) expect(settled.kind).toBe("facts");
    else expect(problemOf(settled)).toContain(problem);
  });

  it("are believed beyond what is likely where the register says so itself, and never against another operation", () => {
    const far: ReadOff = { ...PAPER, documentNumber: 90, shiftNumber: 9, time: "2026-03-04 10:15:00" };
    const confirmed = known({ confirmed: true });
    expect(settledFacts(doubtful(), far, confirmed).kind).toBe("facts");
    expect(settledFacts(doubtful(), { ...far, documentNumber: 41 }, confirmed).kind).toBe("impossible");
    const owner = neighbour({ documentNumber: 90 });
    expect(settledFacts(doubtful(), far, { ...confirmed, others: [owner] }).kind).toBe("impossible");
  });

  it("reckon the register's time now from what it showed before sending, whatever the server's clock did since", () => {
    const sent = { entryId: 5, attempt: 1, atMs: 1_000_000, to: "sending", by: "caller" } as const;
    expect(deviceTimeNow(doubtful(), [sent], 1_090_000)).toBe("2026-03-02 10:16:32");
    expect(deviceTimeNow(doubtful(), [sent], 0)).toBe("2026-03-02 10:15:02");
    expect(deviceTimeNow(doubtful(), [sent, { ...sent, attempt: 2, atMs: 1_060_000 }], 1_090_000)).toBe("2026-03-02 10:15:32");
  });

  it("cannot be made of a sign that belongs to another operation", () => {
    const settled = settledFacts(
      doubtful(),
      PAPER,
      known({ others: [neighbour({ documentNumber: 40, fiscalSign: "34567890", receipt: { number: 10, sign: 1, totalKopecks: 1 } })] }),
    );
    expect(problemOf(settled)).toContain("is that of document 40, which belongs to entry 4");
  });

  it("may be those of the entry's own document, which a person settles anew", () => {
    const own: Entry = { ...neighbour({}), id: 5 };
    expect(settledFacts(doubtful(), PAPER, known({ others: [own] })).kind).toBe("facts");
    const before: Entry = { ...neighbour({ documentNumber: 41 }), id: 5 };
    expect(settledFacts(doubtful(), PAPER, known({ others: [before] })).kind).toBe("facts");
  });

  it("cannot be made of a document that belongs to another operation", () => {
    const owner: Entry = { ...doubtful({ id: 4 }), state: "done", facts: saleFacts() };
    const settled = settledFacts(doubtful(), PAPER, known({ others: [owner] }));
    expect(problemOf(settled)).toBe("document 42 belongs to entry 4 (sale 00017)");
  });
});

function problemOf(settlement: Settlement): string {
  return settlement.kind === "impossible" ? impossibleWords(settlement.problem) : "";
}
