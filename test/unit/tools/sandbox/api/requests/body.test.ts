import { describe, expect, it } from "vitest";
import { arrayBody, objectBody } from "../../../../../../src/tools/sandbox/api/requests/body.ts";
import { Refusal } from "../../../../../../src/tools/sandbox/call/refusal.ts";

function codeOf(read: () => unknown): number | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error.errors[0]?.code;
    throw error;
  }
}

/** Returns `depth` objects inside one another. With `inArrays` each inner object is in an array. */
function nested(depth: number, inArrays: boolean): object {
  let value: object = {};
  for (let each = 1; each < depth; each += 1) value = { nobodyReads: inArrays ? [value] : value };
  return value;
}

describe("the form of a body", () => {
  it.each([false, true])("objects nest ten deep, and 2006 deeper, also below unknown fields and in arrays (%s)", (inArrays) => {
    for (const [depth, code] of [
      [10, undefined],
      [11, 2006],
      [2_000, 2006],
    ] as const) {
      expect(codeOf(() => objectBody(nested(depth, inArrays)))).toBe(code);
      expect(codeOf(() => arrayBody([{}, nested(depth, inArrays)]))).toBe(code);
    }
  });

  it("an array in an array is 2004 wherever it stands", () => {
    for (const body of [{ nobodyReads: [[]] }, { positions: [{ deep: { deeper: [1, [2]] } }] }]) {
      expect(codeOf(() => objectBody(body))).toBe(2004);
      expect(codeOf(() => arrayBody([{}, body]))).toBe(2004);
    }
    expect(codeOf(() => arrayBody([[]]))).toBe(2004);
  });
});
