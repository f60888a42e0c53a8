import { describe, expect, it } from "vitest";
import { readTableNumber } from "../../../../../src/registers/shtrih-m/commands/values.ts";

describe("a number of a table", () => {
  it("has six bytes at most, the lowest first", () => {
    expect(readTableNumber(Buffer.of(1, 2))).toBe(0x0201);
    expect(readTableNumber(Buffer.alloc(0))).toBe(0);
    expect(readTableNumber(Buffer.alloc(250, 255))).toBe(2 ** 48 - 1);
  });
});
