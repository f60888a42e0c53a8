import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_JSON_DEPTH, MAX_JSON_MEMBERS, MAX_JSON_VALUES, parseJson } from "../../../src/http/json-body.ts";

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
    expect(read(`${'{"a":'.repeat(64)}1${"}".repeat(64)}`).kind).toBe("json");
    expect(read(`${'{"a":'.repeat(65)}1${"}".repeat(65)}`)).toMatchObject({ kind: "excess", excess: "depth", limit: MAX_JSON_DEPTH });
  });

  it("names the field that holds more than any document, and reads nothing behind it", () => {
    const place = (text: string) => {
      const body = read(text);
      return body.kind === "excess" ? `${body.excess} ${body.path.join(".")}` : body.kind;
    };
    const values = (count: number) => Array(count).fill("1").join(",");
    const members = (count: number) => Array.from({ length: count }, (_, index) => `"m${index}":1`).join(",");
    expect(place(`{"a":{"b":[[${values(MAX_JSON_VALUES)}`)).toBe("values a.b");
    expect(place(`{"a":[${values(MAX_JSON_VALUES - 2)}]}`)).toBe("json");
    expect(place(`{"a":[${values(MAX_JSON_VALUES - 1)}]}`)).toBe("values a");
    expect(place(`{"a":[{${members(MAX_JSON_MEMBERS)}}]}`)).toBe("json");
    expect(place(`{"a":[{},{${members(MAX_JSON_MEMBERS + 1)}`)).toBe(`members a.1.m${MAX_JSON_MEMBERS}`);
    expect(place(`{${members(MAX_JSON_MEMBERS + 1)}}`)).toBe(`members m${MAX_JSON_MEMBERS}`);
    expect(place(`{"first":${"[".repeat(64)}`)).toBe("depth first");
    // An error in an element without a name belongs to no field.
    expect(place(`[${values(MAX_JSON_VALUES)}]`)).toBe("broken");
  });

  it("tells of names that are long, many or no text in a few characters", () => {
    const long = read(`{"${"n".repeat(500_000)}":${'{"\\ud800":'.repeat(70)}`);
    expect(long).toMatchObject({ kind: "excess", path: ["n".repeat(64), ...Array(5).fill("\ufffd")] });
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

  it("takes what the standard parser takes, and nothing else", () => {
    const piece = fc.constantFrom(
      ...'{}[]:,"\\/-+.eE0123456789tfn \t\r\n\b\u2028ба',
      "true",
      "null",
      "\\u041f",
      '"a"',
      '"a":',
      "1.5e+3",
      '{"a":1}',
    );
    // TypeScript's library does not know the reviver's third argument yet.
    const numberAsText = (_: string, value: unknown, context?: { source?: string }) =>
      typeof value === "number" ? context?.source : value;
    const withTextOfNumbers = (text: string): unknown => JSON.parse(text, numberAsText);
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join("");
        let expected: unknown;
        try {
          expected = { kind: "json", value: withTextOfNumbers(text) };
        } catch {
          expected = { kind: "broken", problem: "not valid JSON" };
        }
        expect(read(text)).toEqual(expected);
      }),
      { numRuns: 3_000 },
    );
  });

  it("takes the later of two members of one name", () => {
    expect(read('{"a":1,"b":2,"a":[3]}')).toEqual({ kind: "json", value: { a: ["3"], b: "2" } });
  });

  it("keeps a number of a million digits and an exponent of a million as they are", () => {
    const digits = "7".repeat(1_000_000);
    expect(read(digits)).toEqual({ kind: "json", value: digits });
    expect(read(`[1e1000000,0.${"0".repeat(500_000)}1]`)).toEqual({ kind: "json", value: ["1e1000000", `0.${"0".repeat(500_000)}1`] });
  });

  it("answers any bytes with a value or a problem", () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => ["json", "broken"].includes(parseJson(Buffer.from(bytes)).kind)));
  });
});
