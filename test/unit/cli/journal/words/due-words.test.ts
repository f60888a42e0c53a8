import { describe, expect, it } from "vitest";
import { afterPersonLines, doubledLines, missingLines, wrongLines } from "../../../../../src/cli/journal/words/due-words.ts";
import type { Entry, Move } from "../../../../../src/journal/entry.ts";
import type { RegisterDocument, SettlementSign } from "../../../../../src/model/document.ts";
import * as due from "../../../../../src/operator/due.ts";
import { checkpoint, entryContent, saleDocument } from "../../../../support/journal-entries.ts";

function entryOf(document: RegisterDocument, changed: Partial<Entry> = {}): Entry {
  const head = { id: 5, state: "in-doubt" as const, attempt: 1, acceptedAtMs: 0, movedAtMs: 0 };
  return { ...entryContent({ document }), ...head, checkpoint: checkpoint(), ...changed };
}

function dueWhenMissing(entry: Entry): string[] {
  return missingLines(entry, due.dueWhenMissing(entry));
}

function dueWhenDoubled(entry: Entry): string[] {
  return doubledLines(entry, due.dueWhenDoubled(entry));
}

function dueWhenWrong(entry: Entry): string[] {
  return wrongLines(due.dueWhenWrong(entry));
}

function afterPerson(entry: Entry, moves: readonly Move[]): string[] {
  return afterPersonLines(entry, due.afterPerson(entry, moves));
}

function byPerson(attempt: number, to: Move["to"]): Move {
  return { entryId: 5, attempt, atMs: 0, from: "in-doubt", to, by: "person" };
}

const CASH: RegisterDocument = { kind: "cash-in", reference: "r", sumKopecks: 50_000 };

describe("a correction receipt", () => {
  it("for a settlement without a document has its sign, its sum, the day of it, and is nobody's but the shop's", () => {
    const lines = dueWhenMissing(entryOf(saleDocument())).join("\n");
    expect(lines).toContain("ЧЕК КОРРЕКЦИИ, ПРИХОД,");
    expect(lines).toContain("САМОСТОЯТЕЛЬНО (ПО ПРЕДПИСАНИЮ, with its number, when the tax office ordered it)");
    expect(lines).toContain("date of the settlement 02.03.2026");
    expect(lines).toContain("390.02 (390.02 card)");
    expect(lines).toContain("whoever answers for the register");
    expect(lines).not.toContain("tag 1192");
  });

  it("for a return without a document names the sign of the sale", () => {
    const lines = dueWhenMissing(entryOf({ ...saleDocument(), sign: 2, originalSign: "2134567890" })).join("\n");
    expect(lines).toContain("ЧЕК КОРРЕКЦИИ, ВОЗВРАТ ПРИХОДА,");
    expect(lines).toContain("tag 1192 = 2134567890");
  });

  it.each<[SettlementSign, string]>([
    [1, "ВОЗВРАТ ПРИХОДА"],
    [2, "ПРИХОД"],
    [3, "ВОЗВРАТ РАСХОДА"],
    [4, "РАСХОД"],
  ])("for a settlement that stands there twice has the opposite sign of %i", (sign, opposite) => {
    const lines = dueWhenDoubled(entryOf({ ...saleDocument(), sign })).join("\n");
    expect(lines).toContain(`ЧЕК КОРРЕКЦИИ, ${opposite}, САМОСТОЯТЕЛЬНО`);
    expect(lines).toContain("tag 1192 = the ФП of the receipt that is too many");
  });

  it("for wrong figures undoes them, and a second one makes the right ones, since a repeat gets what is registered", () => {
    const lines = dueWhenWrong(entryOf(saleDocument())).join("\n");
    expect(lines).toContain("ЧЕК КОРРЕКЦИИ, ВОЗВРАТ ПРИХОДА, САМОСТОЯТЕЛЬНО, with its figures, tag 1192 = its ФП");
    expect(lines).toMatch(/A second correction of ПРИХОД makes the right one, with\n {2}390\.02/);
  });

  it("is treated as a receipt itself", () => {
    const correction: RegisterDocument = { ...saleDocument(), kind: "correction", basis: { kind: "own", settledOn: "2026-03-01" } };
    expect(dueWhenMissing(entryOf(correction))).toEqual(dueWhenMissing(entryOf(saleDocument())));
    expect(dueWhenDoubled(entryOf(correction))).toEqual(dueWhenDoubled(entryOf(saleDocument())));
  });

  it("is never due for cash and for reports", () => {
    const report: RegisterDocument = { kind: "close-shift", reference: "r" };
    expect(dueWhenMissing(entryOf(CASH)).join()).toContain("no correction is due");
    expect(dueWhenDoubled(entryOf(CASH)).join()).toContain("no correction is due");
    expect(dueWhenMissing(entryOf(report)).join()).toContain("No correction is due");
    expect([dueWhenDoubled(entryOf(report)), dueWhenWrong(entryOf(report)), dueWhenWrong(entryOf(CASH))]).toEqual([[], [], []]);
  });
});

describe("after a person's word", () => {
  it("that nothing was registered, it is said what is due when money changed hands", () => {
    const refused = entryOf(saleDocument(), { state: "refused" });
    expect(afterPerson(refused, [byPerson(1, "refused")])).toEqual(dueWhenMissing(refused));
  });

  it("and a repeat that was registered, it is said what is due when the first one stands there after all", () => {
    const done = entryOf(saleDocument(), { state: "done", attempt: 2 });
    const [when, ...due] = afterPerson(done, [byPerson(1, "refused")]);
    expect(when).toContain("An earlier attempt was settled as not registered");
    expect(due).toEqual(dueWhenDoubled(done));
  });

  it("that replaces the word before it, nothing is said of an earlier attempt: there was none", () => {
    const done = entryOf(saleDocument(), { state: "done", attempt: 2 });
    const sent: Move = { entryId: 5, attempt: 1, atMs: 0, to: "sending", by: "caller" };
    expect(afterPerson(done, [sent, byPerson(1, "refused"), byPerson(2, "done")])[0]).toContain("Should another equal document");
  });

  it("that it was registered, it is said what is due when another equal one is found", () => {
    const done = entryOf(saleDocument(), { state: "done" });
    expect(afterPerson(done, [byPerson(1, "done")])[0]).toContain("Should another equal document");
  });

  it("in an earlier attempt, a refusal by the register says nothing new; nor does anything where no person spoke", () => {
    expect(afterPerson(entryOf(saleDocument(), { state: "refused", attempt: 2 }), [byPerson(1, "refused")])).toEqual([]);
    const asked: Move = { ...byPerson(1, "done"), by: "look-up" };
    expect(afterPerson(entryOf(saleDocument(), { state: "done" }), [asked])).toEqual([]);
    expect(afterPerson(entryOf({ kind: "close-shift", reference: "r" }, { state: "done" }), [byPerson(1, "done")])).toEqual([]);
  });
});
