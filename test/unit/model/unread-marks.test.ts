import { describe, expect, it } from "vitest";
import type { MarkPolicy } from "../../../src/model/marks/mark-check.ts";
import { codeTaken, unreadProblem } from "../../../src/model/marks/marks.ts";
import { unreadMarksOf, unreadPlaces, unreadRefusal } from "../../../src/model/unread-marks.ts";
import { draft, mark, NOTHING_PAID, position, receipt, refusal } from "./builders.ts";

/** Marks that exist but cannot be read: a description, the scanned code, the problem, and the code that a register gets. */
const UNREAD = [
  ["of no known shape", "A-1234567890", "shape", "A-1234567890"],
  [
    "that lost a character",
    mark("lost").slice(0, -1).replaceAll("\u001d", ""),
    "shape",
    mark("lost").slice(0, -1).replaceAll("\u001d", ""),
  ],
  ["with a misread product number", "010460000000000721abcdef\u001d93abcd", "check-digit", "010460000000000721abcdef\u001d93abcd"],
  ["typed under the Russian layout", "0104600ФЫВ", "keyboard-layout", "0104600ASD"],
  ["with characters that no code has", "0104é\u000091", "characters", "0104??91"],
] as const;

/** Texts that are no mark of a piece: a description, the text, and the problem. */
const NONE = [
  ["a box", "00046000000000000014", "aggregate"],
  ["the label of a scale", "2100001012345", "weight-label"],
  ["nothing", " ", "characters"],
  ["more than any code has", "x".repeat(301), "length"],
] as const;

const ALLOWING: MarkPolicy[] = ["all", "correct-or-unverifiable"];
const STRICT: (MarkPolicy | undefined)[] = ["checked-correct", "checked", undefined];

const paid = { ...NOTHING_PAID, cashKopecks: 20_000 };
const sold = (code: string) => ({ positions: [position(), position({ marks: [code] })], payments: paid });

describe.each(UNREAD)("a mark %s", (_, code, problem, text) => {
  it("is told as such, and taken in characters that a register knows", () => {
    expect(unreadProblem(code)).toBe(problem);
    expect(codeTaken(code)).toEqual({ shape: "unrecognised", text });
  });

  it("keeps a thing from being sold, where it is, unless the policy of the point of sale allows it", () => {
    for (const markPolicy of STRICT) {
      expect(refusal(sold(code), markPolicy === undefined ? {} : { markPolicy })).toEqual({
        code: "mark-unreadable",
        parameter: "positions[1].marks[0]",
        details: { problem, name: "Хлеб" },
      });
    }
    for (const markPolicy of ALLOWING) {
      const { lines } = receipt(sold(code), { markPolicy });
      expect(lines.map(({ mark: own, unreadMark, subject }) => [own, unreadMark, subject])).toEqual([
        [undefined, undefined, 1],
        [code, problem, 33],
      ]);
    }
  });

  it("is warned of by its position, without the mark", () => {
    const drafted = draft(sold(code), { markPolicy: "all" });
    const warnings = drafted.kind === "document" ? drafted.warnings : [];
    expect(warnings).toContainEqual({ code: "mark-unrecognised", parameter: "positions[1].marks" });
    expect(JSON.stringify(warnings)).not.toContain(JSON.stringify(code).slice(1, -1));
  });

  it("holds up no return, whatever the policy", () => {
    for (const markPolicy of [...STRICT, ...ALLOWING]) {
      const back = receipt({ kind: "sales-return", ...sold(code) }, markPolicy === undefined ? {} : { markPolicy });
      expect(back.lines[1]).toMatchObject({ mark: code, unreadMark: problem });
    }
  });

  it("by measure is held up and let through in the same way", () => {
    const litres = { positions: [position({ unit: { name: "л", code: "112" }, quantityMillionths: 500_000, marks: [code] })] };
    expect(refusal(litres)).toMatchObject({ code: "mark-unreadable", parameter: "positions[0].marks[0]" });
    const { lines } = receipt({ ...litres, payments: { ...NOTHING_PAID, cashKopecks: 5_000 } }, { markPolicy: "all" });
    expect(lines).toMatchObject([{ mark: code, unreadMark: problem, unit: { label: "л" }, quantityMillionths: 500_000 }]);
  });
});

describe.each(NONE)("%s in place of a mark", (_, code, problem) => {
  it("is sold by no policy and comes back in no return", () => {
    expect(unreadProblem(code)).toBeUndefined();
    for (const kind of ["sale", "sales-return"] as const) {
      for (const markPolicy of ALLOWING) {
        expect(refusal({ kind, ...sold(code) }, { markPolicy })).toMatchObject({ code: "mark-unreadable", details: { problem } });
      }
    }
  });
});

describe("marks that could be read", () => {
  it("are sold under any policy, and none", () => {
    for (const markPolicy of [...STRICT, ...ALLOWING]) {
      const { lines } = receipt(sold(mark("A")), markPolicy === undefined ? {} : { markPolicy });
      expect(lines.every((line) => !("unreadMark" in line))).toBe(true);
    }
  });
});

describe("a document with marks that could not be read", () => {
  const line = { name: "Сыр", quantityMillionths: 1, unit: { code: 0, label: "" }, priceKopecks: 1, sumKopecks: 1, vat: 6 as const };
  const rest = { vatKopecks: 0, subject: 33, method: 4 };

  it("tells where they are and why", () => {
    const lines = [{ name: "Хлеб" }, { name: "Сыр", unreadMark: "shape" as const }, { name: "Пиво", unreadMark: "check-digit" as const }];
    expect(unreadMarksOf(lines)).toEqual([
      { line: 1, name: "Сыр", problem: "shape" },
      { line: 2, name: "Пиво", problem: "check-digit" },
    ]);
    expect(unreadPlaces(unreadMarksOf(lines))).toBe("2 (shape), 3 (check-digit)");
  });

  it("goes to a register when somebody has decided that, or when it was stored before anybody was asked", () => {
    const document = (code: string, unread?: "shape" | "check-digit") => ({
      lines: [{ ...line, ...rest, mark: code, ...(unread === undefined ? {} : { unreadMark: unread }) }],
    });
    const misread = "010460000000000721abcdef\u001d93abcd";
    expect(unreadRefusal(document(misread))).toEqual({ code: "mark-unreadable", details: { name: "Сыр", problem: "check-digit" } });
    expect(unreadRefusal(document(misread, "check-digit"))).toBeUndefined();
    expect(unreadRefusal(document("A"))).toBeUndefined();
    expect(unreadRefusal(document("2100001012345", "check-digit"))).toMatchObject({ code: "mark-unreadable" });
  });
});
