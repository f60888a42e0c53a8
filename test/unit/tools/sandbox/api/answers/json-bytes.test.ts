import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { listBytes } from "../../../../../../src/tools/sandbox/api/answers/json-bytes.ts";
import type { Json, JsonObject } from "../../../../../../src/tools/sandbox/values/json.ts";

const json = fc.jsonValue() as fc.Arbitrary<Json>;

describe("the bytes of a list", () => {
  it("are those that JSON.stringify gives the whole of it", () => {
    const heads = fc.dictionary(fc.constantFrom("context", "meta", "другое"), json) as fc.Arbitrary<JsonObject>;
    fc.assert(
      fc.property(heads, fc.array(json), (head, rows) => {
        expect(listBytes(head, rows).toString("utf8")).toBe(JSON.stringify({ ...head, rows }));
      }),
      { numRuns: 200 },
    );
  });

  it("find room for a list of megabytes, and for one row of them", () => {
    for (const rows of [Array.from({ length: 3_000 }, (_, at) => ({ at, name: "Чай €😀".repeat(50) })), ["я".repeat(3_000_000)]]) {
      expect(listBytes({ meta: 1 }, rows).equals(Buffer.from(JSON.stringify({ meta: 1, rows })))).toBe(true);
    }
  });

  it("leave out what is undefined", () => {
    expect(listBytes({ meta: undefined }, [{ name: "Чай", code: undefined }]).toString("utf8")).toBe('{"rows":[{"name":"Чай"}]}');
  });
});
