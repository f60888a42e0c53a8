import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_JSON_DEPTH, parseJson } from "../../../src/http/json-body.ts";

const read = (text: string) => parseJson(Buffer.from(text));

describe("a JSON body", () => {
  it("keeps every number as it was written", () => {
    expect(read('{"a":0.10,"b":[1e400,-0,12345678901234567890.123456789],"c":"7"}')).toEqual({
      kind: "json",
      value: { a: "0.10", b: ["1e400", "-0", "12345678901234567890.123456789"], c: "7" },
    });
    expect(read("5")).toEqual({ kind: "json", value: "5" });
  });

  it("keeps literals, texts and order of lists", () => {
    expect(read('[true,false,null,"\\u041f",""]')).toEqual({ kind: "json", value: [true, false, null, "П", ""] });
  });

  it("tolerates a byte order mark", () => {
    expect(read('\ufeff{"a":"b"}')).toEqual({ kind: "json", value: { a: "b" } });
  });

  it.each([
    ["nothing at all", Buffer.from("")],
    ["NaN", Buffer.from('{"sum":NaN}')],
    ["a comma at the end", Buffer.from('{"a":1,}')],
    ["two texts", Buffer.from("{}{}")],
    ["an unfinished text", Buffer.from('{"a":"')],
    ["single quotes", Buffer.from("{'a':1}")],
    ["a raw control character in a text", Buffer.from('{"a":"\u0001"}')],
    ["Windows-1251", Buffer.from([0x7b, 0x22, 0xcf, 0xf0, 0x22, 0x3a, 0x31, 0x7d])],
    ["a lone surrogate in UTF-8", Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
    ["an overlong slash", Buffer.from([0x22, 0xc0, 0xaf, 0x22])],
    ["UTF-16", Buffer.from("{}", "utf16le")],
  ])("refuses %s", (_what, bytes) => {
    expect(parseJson(bytes).kind).toBe("broken");
  });

  it("takes nesting up to the limit and nothing deeper", () => {
    const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
    expect(read(nested(MAX_JSON_DEPTH)).kind).toBe("json");
    expect(read(nested(MAX_JSON_DEPTH + 1)).kind).toBe("broken");
    expect(read(`${'{"a":'.repeat(65)}1${"}".repeat(65)}`).kind).toBe("broken");
  });

  it("answers a million open brackets without recursing", () => {
    expect(parseJson(Buffer.alloc(1024 * 1024, "["))).toEqual({ kind: "broken", problem: "nested deeper than 64 levels" });
  });

  it("does not count brackets inside texts", () => {
    const brackets = "[{".repeat(100);
    expect(read(JSON.stringify({ a: brackets, b: `\\"${brackets}` }))).toEqual({
      kind: "json",
      value: { a: brackets, b: `\\"${brackets}` },
    });
  });

  it("drops members named __proto__ at any depth and leaves prototypes alone", () => {
    const { value } = read('{"__proto__":{"polluted":1},"a":{"__proto__":null,"b":"c"},"constructor":"x"}') as {
      value: Record<string, unknown>;
    };
    expect(Object.keys(value)).toEqual(["a", "constructor"]);
    expect(value).toEqual({ a: { b: "c" }, constructor: "x" });
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it("reads whatever JSON.stringify writes, numbers as their text", () => {
    const asText = (value: unknown): unknown => {
      if (typeof value === "number") return JSON.stringify(value);
      if (Array.isArray(value)) return value.map(asText);
      if (typeof value === "object" && value !== null)
        return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, asText(inner)]));
      return value;
    };
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        fc.pre(!JSON.stringify(value).includes("__proto__"));
        expect(read(JSON.stringify(value))).toEqual({ kind: "json", value: asText(value) });
      }),
    );
  });

  it("answers any bytes with a value or a problem", () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => ["json", "broken"].includes(parseJson(Buffer.from(bytes)).kind)));
  });
});
