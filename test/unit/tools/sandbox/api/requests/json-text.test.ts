import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BodyPlaces } from "../../../../../../src/tools/sandbox/api/requests/error-places.ts";
import { JsonScan, parseJsonText } from "../../../../../../src/tools/sandbox/api/requests/json-text.ts";
import { errorsOf } from "../../../../../../src/tools/sandbox/call/error-body.ts";
import { type ApiError, Refusal } from "../../../../../../src/tools/sandbox/call/refusal.ts";

function faultOf(text: string | Buffer): unknown {
  try {
    parseJsonText(Buffer.from(text));
  } catch (error) {
    if (error instanceof Refusal) return error.errors[0];
    throw error;
  }
  return undefined;
}

describe("the text of a body", () => {
  it.each([
    ["{", 1, 2],
    ['{"name": "Чай",}', 1, 16],
    ['{\n  "name": Чай\n}', 2, 11],
    ['[{"a": 1}\n {"b": 2}]', 2, 2],
    ['{"a": 01}', 1, 8],
    ['{"a": "\n"}', 1, 8],
    ['{"a": "\\x"}', 1, 8],
    ["{} {}", 1, 4],
    ["\ufeff{}", 1, 1],
    ["nul", 1, 1],
  ])("is 2001 at the line and column of its fault: %j", (text, line, column) => {
    expect(faultOf(text)).toEqual({ code: 2001, line, column });
  });

  it("is 2001 when it is no UTF-8", () => {
    expect(faultOf(Buffer.from([0x22, 0xff, 0x22]))).toMatchObject({ code: 2001 });
  });

  it("has a fault in our eyes exactly when the engine refuses it", () => {
    const mutilated = fc
      .tuple(fc.json(), fc.nat(), fc.constantFrom("", ",", "}", "]", '"', "\\", "-", "0", "e", " "))
      .map(([text, at, more]) => {
        const place = at % (text.length + 1);
        return text.slice(0, place) + more + text.slice(place + (at % 2));
      });
    fc.assert(
      fc.property(mutilated, (text) => {
        expect(new JsonScan(text).fault === undefined).toBe(isJson(text));
      }),
      { numRuns: 500 },
    );
  });

  it("that nests without an end is refused, not followed", () => {
    expect(faultOf("[".repeat(100_000))).toMatchObject({ code: 2001, line: 1 });
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe("errors about a body", () => {
  const text = '[\n  {"name": "Чай"},\n  {"code": "1",\n   "name": 5}\n]';
  const placesIn = (body: string) => new BodyPlaces(() => body);
  const error = (more: Partial<ApiError>): ApiError => ({ code: 2016, ...more });

  it("name the place of the member, and of the element when the member is missing", () => {
    expect(placesIn(text).of(error({ path: [1, "name"], parameter: "name" }))).toEqual({ line: 4, column: 4 });
    expect(placesIn(text).of(error({ path: [1], parameter: "name" }))).toEqual({ line: 4, column: 4 });
    expect(placesIn(text).of(error({ path: [1], parameter: "weight" }))).toEqual({ line: 3, column: 3 });
  });

  it("of one object name the place in it", () => {
    expect(placesIn('{"a": {"b": 1}, "b": 2}').of(error({ parameter: "b" }))).toEqual({ line: 1, column: 17 });
    expect(placesIn('{"a": {"b": 1}, "b": 2}').of(error({ path: ["a"], parameter: "b" }))).toEqual({ line: 1, column: 8 });
  });

  it("have no place when they are about the address, or nobody read a body", () => {
    const errorsIn = (places: BodyPlaces) =>
      errorsOf([{ code: 1021 }, { code: 3042, parameter: "fields" }], { language: "en", places }).errors;
    for (const written of errorsIn(placesIn("{}")) as object[]) expect(written).not.toHaveProperty("line");
    expect(new BodyPlaces(() => undefined).of(error({ parameter: "b" }))).toBeUndefined();
  });
});
