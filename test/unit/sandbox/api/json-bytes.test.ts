import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonBytes } from "../../../../src/sandbox/api/json-bytes.ts";
import type { Json } from "../../../../src/sandbox/reading/render.ts";

const json = fc.jsonValue() as fc.Arbitrary<Json>;

describe("the bytes of a body", () => {
  it("are those of JSON.stringify, rows or not, wherever they stand", () => {
    const bodies = fc.oneof(
      json,
      fc.record({ rows: fc.array(json) }),
      fc.record({ meta: json, rows: fc.array(json, { maxLength: 5 }) }),
      fc.record({ meta: json, rows: json, more: json }),
    ) as fc.Arbitrary<Json>;
    fc.assert(
      fc.property(bodies, (body) => {
        expect(jsonBytes(body).toString("utf8")).toBe(JSON.stringify(body));
      }),
      { numRuns: 200 },
    );
  });

  it("leave out what is undefined", () => {
    expect(jsonBytes({ meta: undefined, rows: [{ name: "Чай", code: undefined }] }).toString("utf8")).toBe('{"rows":[{"name":"Чай"}]}');
  });
});
