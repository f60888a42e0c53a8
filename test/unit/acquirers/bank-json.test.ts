import { describe, expect, it } from "vitest";
import { readBankJson } from "../../../src/acquirers/bank-json.ts";

const read = (text: string) => readBankJson(Buffer.from(text));

describe("JSON of a bank", () => {
  it("keeps every digit of its numbers, at every depth", () => {
    const members = { a: "259.20", b: ["12345678901234567890", { c: "1e3" }], d: "259.20", e: true, f: null };
    expect(read('{"a":259.20,"b":[12345678901234567890,{"c":1e3}],"d":"259.20","e":true,"f":null}')).toEqual({ kind: "object", members });
  });

  it.each(["", "<html></html>", '{"a":', "[1]", '"text"', "12", "null", '{"a":01}'])("is unreadable: %j", (text) => {
    expect(read(text)).toMatchObject({ kind: "unreadable" });
  });

  it("is unreadable when it is no UTF-8", () => {
    expect(readBankJson(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))).toEqual({ kind: "unreadable", problem: "not JSON" });
  });

  it("has at most 32 levels, where brackets inside texts do not count", () => {
    const nested = (levels: number) => `{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;
    expect(read(nested(32)).kind).toBe("object");
    expect(read(nested(33)).kind).toBe("unreadable");
    expect(read(nested(30_000)).kind).toBe("unreadable");
    expect(read(`{"a":"${'[\\"{'.repeat(100)}"}`).kind).toBe("object");
  });
});
