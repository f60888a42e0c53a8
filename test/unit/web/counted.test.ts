import { describe, expect, it } from "vitest";
import { sayIn } from "../../../src/web/language.ts";
import { countedDays, countedDocuments } from "../../../src/web/words/counted.ts";

describe("a number with its noun", () => {
  it.each([
    [0, "0 документов", "0 documents"],
    [1, "1 документ", "1 document"],
    [3, "3 документа", "3 documents"],
    [11, "11 документов", "11 documents"],
    [12, "12 документов", "12 documents"],
    [21, "21 документ", "21 documents"],
    [249_982, "249\u00a0982 документа", "249\u00a0982 documents"],
  ])("of documents is written as people say it: %i", (count, ru, en) => {
    expect([countedDocuments(sayIn("ru"), count), countedDocuments(sayIn("en"), count)]).toEqual([ru, en]);
  });

  it("of days too", () => {
    expect([1, 2, 5].map((count) => countedDays(sayIn("ru"), count))).toEqual(["1 день", "2 дня", "5 дней"]);
  });
});
