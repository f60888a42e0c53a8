import { describe, expect, it } from "vitest";
import { csvRow } from "../../../../../src/web/console/export/csv.ts";

describe("a row of a file for programs for tables", () => {
  it.each([
    ["=1+1", "'=1+1"],
    ["＝1+1", "'＝1+1"],
    ["+79120000000", "'+79120000000"],
    ["-5", "'-5"],
    ["@cell", "'@cell"],
    ["\t=1", "'\t=1"],
    ["  =1", "'  =1"],
    ['a "b"; c', '"a ""b""; c"'],
    ["two\r\nlines", '"two\r\nlines"'],
    ["\u001b]0;title\u0007", '"\\u001b]0;title\\u0007"'],
    ["\u202egnp.exe", "\\u202egnp.exe"],
    ["plain", "plain"],
  ])("makes %j harmless", (text, written) => {
    expect(csvRow([text])).toBe(`${written}\r\n`);
  });

  it("leaves numbers numbers, and nothing empty", () => {
    expect(csvRow([-12.5, 0, undefined, "x"])).toBe("-12,5;0;;x\r\n");
  });
});
